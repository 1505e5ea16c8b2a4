#include "base/json.h"
#include "core/flow/durable/execution.h"
#include "core/flow/machine.h"

namespace fermata::flow {

namespace {

/// The innermost part of the script, which is what its author knows; the library's own frames are
/// not theirs.
constexpr size_t stack_lines_max = 10;

}  // namespace

size_t Machine::current_offset() const {
  for (size_t i = frames_.size(); i-- > 0;) {
    const Frame& frame = frames_[i];
    if (frame.function->library) continue;
    const Step* next = i + 1 == frames_.size() ? next_ : frame.next;
    uint32_t index = frame.function->index_of(next);
    return frame.function->offsets[index > 0 ? index - 1 : 0];
  }
  return 0;
}

std::string Machine::call_stack() const {
  std::string out;
  size_t lines = 0;
  for (size_t i = frames_.size(); i-- > 0 && lines < stack_lines_max;) {
    const Frame& frame = frames_[i];
    if (frame.function->library) continue;
    const Step* next = i + 1 == frames_.size() ? next_ : frame.next;
    uint32_t index = frame.function->index_of(next);
    TextPosition at =
        position_at(program_.text, frame.function->offsets[index > 0 ? index - 1 : 0]);
    if (lines++ > 0) out += "\n";
    std::string name = frame.function->name;
    if (name.empty()) name = activation_ == nullptr ? "top" : "main";
    out += "at " + name + " (" + std::to_string(at.line) + ":" + std::to_string(at.column) + ")";
  }
  return out;
}

Datum Machine::make_error(std::string_view code, const Datum& message) {
  if (program_.rhythm && code == "AGGREGATE_ERROR") code = "AggregateError";
  TextPosition at = position_at(program_.text, current_offset());
  Datum code_text = text(code);
  Datum stack = text(call_stack());
  auto* error = heap_.make<ErrorObject>();
  error->code = code_text;
  error->message = message;
  error->stack = stack;
  error->line = at.line;
  error->column = at.column;
  return Heap::datum(error);
}

Datum Machine::throw_error(std::string_view code, std::string message) {
  if (program_.rhythm && code == "TYPE_ERROR") code = "TypeError";
  // The first failure of an instruction is the one that matters.
  if (attention_) return {};
  Datum message_text = heap_.text(std::move(message));
  thrown_value_ = make_error(code, message_text);
  thrown_ = true;
  attention_ = true;
  return {};
}

void Machine::op_throw_value(const Instruction&) { throw_datum(stack_.pop()); }

void Machine::throw_datum(const Datum& value) {
  thrown_value_ = value;
  thrown_offset_ = current_offset();
  thrown_ = true;
  attention_ = true;
}

void Machine::op_undefined_variable(const Instruction& in) {
  const Value& name = frames_.back().function->program->constants[in.a];
  std::string quoted_name = "`" + std::string(name.as_string()) + "`";
  // Rhythm scripts may name what nothing declares, until they come to it.
  if (program_.rhythm) {
    throw_error(in.b != 0 ? "ReferenceError" : "INTERNAL_ERROR", "unknown name " + quoted_name);
  } else {
    throw_error("UNDEFINED_VARIABLE", quoted_name + " is used before its declaration has run");
  }
}

void Machine::op_push_handler(const Instruction& in) {
  handlers_.push({static_cast<uint32_t>(frames_.size()), static_cast<uint32_t>(stack_.size()), in.a,
                  in.b != 0});
}

void Machine::op_pop_handler(const Instruction&) { handlers_.drop(1); }

/// `break`, `continue` and `return` out of a `finally` block end whatever was pending there, but
/// not a verdict.
void Machine::op_leave_final(const Instruction& in) {
  if (stack_[base_ + in.a + 1].tag == Tag::verdict) throw_datum(Datum::verdict());
}

/// Goes to the innermost handler with the thrown value on the stack; false when there is none. A
/// verdict passes by every `catch`; what a `finally` block throws meanwhile does not replace it.
bool Machine::unwind() {
  bool verdict = thrown_value_.tag == Tag::verdict;
  if (unwinding_ && !verdict && handlers_.size() <= unwind_floor_) {
    thrown_value_ = Datum::verdict();
    verdict = true;
  }
  while (verdict && !handlers_.empty() && !handlers_.back().final) handlers_.drop(1);
  if (handlers_.empty()) return false;
  Handler handler = handlers_.pop();
  if (verdict) {
    unwinding_ = true;
    unwind_floor_ = static_cast<uint32_t>(handlers_.size());
  }
  frames_.shrink_to(handler.frames);
  const Frame& frame = frames_.back();
  base_ = frame.base;
  step_cost_ = frame.function->library ? 0 : 1;
  next_ = frame.function->step(handler.target);
  stack_.shrink_to(handler.height);
  stack_.push(thrown_value_);
  thrown_value_ = {};
  return true;
}

EvalError Machine::error() {
  if (thrown_ || verdict_ == Verdict::uncaught) return uncaught_error();
  if (verdict_ == Verdict::unresolved) return std::move(*unresolved_);
  return limit_error();
}

EvalError Machine::limit_error() const {
  bool code = program_.grammar == Grammar::fragment;
  std::string message = code ? "the code" : "the expression";
  switch (verdict_) {
    case Verdict::text:
      message += " makes a text of more than " + std::to_string(given_.limits.text_bytes_max) +
                 " bytes (graph_expression_text_bytes_max)";
      break;
    case Verdict::memory:
      message += " uses more than " + std::to_string(given_.limits.memory_bytes_max) +
                 " bytes of memory (graph_code_memory_bytes_max)";
      break;
    case Verdict::depth:
      message +=
          " calls functions more than " + std::to_string(given_.limits.call_depth_max) + " deep";
      break;
    default:
      if (steps_given_ < given_.limits.steps_max) {
        message = pool_exhausted(*given_.pool);
        break;
      }
      message += " takes more than " + std::to_string(given_.limits.steps_max) + " steps (" +
                 (code ? "graph_code_steps_max" : "graph_expression_steps_max") + ")";
  }
  TextPosition at = position_at(program_.text, current_offset());
  return {code ? "code_limit" : "expression_limit", std::move(message), {}, at.line, at.column};
}

/// Reads what was thrown by the rules of F-22.
FlowError Machine::thrown_error() {
  thrown_ = false;
  attention_ = false;
  verdict_ = Verdict::none;
  FlowError out{"THROWN", "a value that is no error was thrown", {}, {}};
  TextPosition at = position_at(program_.text, thrown_offset_);
  out.line = at.line;
  out.column = at.column;
  auto plain = [&](const Datum& datum) {
    auto value = to_json_value(datum);
    thrown_ = false;
    attention_ = false;
    verdict_ = Verdict::none;
    return value ? *std::move(value) : Value();
  };
  Datum thrown = current(thrown_value_);
  if (thrown.tag == Tag::error) {
    const auto& error = *static_cast<ErrorObject*>(thrown.heap);
    out.code = to_text(error.code);
    out.message = to_text(error.message);
    out.details = plain(error.details);
    out.cause = plain(error.cause);
    out.line = error.line;
    out.column = error.column;
  } else if (Value value = plain(thrown);
             value.get("code").is_string() && value.get("message").is_string()) {
    out.code = value.get("code").as_string();
    out.message = value.get("message").as_string();
    out.details = value.get("details");
    out.cause = value.get("cause");
  } else {
    out.details = std::move(value);
  }
  return out;
}

EvalError Machine::uncaught_error() {
  FlowError thrown = thrown_error();
  Value all =
      Value::object({{"code", thrown.code}, {"line", thrown.line}, {"column", thrown.column}});
  if (!thrown.details.is_null()) all.set("details", std::move(thrown.details));
  if (!thrown.cause.is_null()) all.set("cause", std::move(thrown.cause));
  bool is_code = program_.grammar == Grammar::fragment;
  return {is_code ? "code_failed" : "expression_failed", thrown.code + ": " + thrown.message,
          std::move(all), thrown.line, thrown.column};
}

}  // namespace fermata::flow
