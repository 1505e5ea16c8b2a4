#include "base/json.h"
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
    const Instruction* next = i + 1 == frames_.size() ? next_ : frame.next;
    auto index = static_cast<size_t>(next - frame.function->code.data());
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
    const Instruction* next = i + 1 == frames_.size() ? next_ : frame.next;
    auto index = static_cast<size_t>(next - frame.function->code.data());
    TextPosition at =
        position_at(program_.text, frame.function->offsets[index > 0 ? index - 1 : 0]);
    if (lines++ > 0) out += "\n";
    out += "at " + (frame.function->name.empty() ? "top" : frame.function->name) + " (" +
           std::to_string(at.line) + ":" + std::to_string(at.column) + ")";
  }
  return out;
}

Datum Machine::make_error(std::string_view code, const Datum& message) {
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
  // The first failure of an instruction is the one that matters.
  if (attention_) return {};
  Datum message_text = heap_.text(std::move(message));
  thrown_value_ = make_error(code, message_text);
  thrown_ = true;
  attention_ = true;
  return {};
}

void Machine::op_throw_value(const Instruction&) {
  thrown_value_ = stack_.pop();
  thrown_offset_ = current_offset();
  thrown_ = true;
  attention_ = true;
}

void Machine::op_undefined_variable(const Instruction& in) {
  const Value& name = frames_.back().function->program->constants[in.a];
  throw_error("UNDEFINED_VARIABLE",
              "`" + std::string(name.as_string()) + "` is used before its declaration has run");
}

void Machine::op_push_handler(const Instruction& in) {
  handlers_.push({frames_.size(), stack_.size(), in.a});
}

void Machine::op_pop_handler(const Instruction&) { handlers_.drop(1); }

/// Goes to the innermost handler with the thrown value on the stack; false when there is none.
bool Machine::unwind() {
  if (handlers_.empty()) return false;
  Handler handler = handlers_.pop();
  frames_.shrink_to(handler.frames);
  const Frame& frame = frames_.back();
  base_ = frame.base;
  step_cost_ = frame.function->library ? 0 : 1;
  next_ = frame.function->code.data() + handler.target;
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
      message += " calls functions more than " + std::to_string(depth_max) + " deep";
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
EvalError Machine::uncaught_error() {
  thrown_ = false;
  attention_ = false;
  verdict_ = Verdict::none;
  std::string code = "THROWN";
  std::string message = "a value that is no error was thrown";
  Value details;
  Value cause;
  TextPosition at = position_at(program_.text, thrown_offset_);
  int line = at.line;
  int column = at.column;
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
    code = to_text(error.code);
    message = to_text(error.message);
    details = plain(error.details);
    cause = plain(error.cause);
    line = error.line;
    column = error.column;
  } else if (Value value = plain(thrown);
             value.get("code").is_string() && value.get("message").is_string()) {
    code = value.get("code").as_string();
    message = value.get("message").as_string();
    details = value.get("details");
    cause = value.get("cause");
  } else {
    details = std::move(value);
  }
  Value all = Value::object({{"code", code}, {"line", line}, {"column", column}});
  if (!details.is_null()) all.set("details", std::move(details));
  if (!cause.is_null()) all.set("cause", std::move(cause));
  bool is_code = program_.grammar == Grammar::fragment;
  return {is_code ? "code_failed" : "expression_failed", code + ": " + message, std::move(all),
          line, column};
}

}  // namespace fermata::flow
