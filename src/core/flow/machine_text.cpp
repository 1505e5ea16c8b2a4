#include "base/json.h"
#include "core/flow/machine.h"

namespace fermata::flow {

std::string Machine::to_text(const Datum& datum) {
  std::string out;
  append_text(out, datum, 0);
  return out;
}

/// False when the evaluation has ended meanwhile.
bool Machine::append_text(std::string& out, const Datum& datum, int depth) {
  Datum now = current(datum);
  switch (now.tag) {
    case Tag::boolean: out += now.boolean ? "true" : "false"; break;
    case Tag::integer: out += std::to_string(now.integer); break;
    case Tag::number: out += number_to_text(now.number); break;
    case Tag::json_text:
    case Tag::text:
      if (!text_fits(out.size() + text_of(now).size())) return false;
      out += text_of(now);
      break;
    case Tag::json_array:
    case Tag::array:
      if (!program_.rhythm) return append_list_text(out, now, depth);
      out += "[object Array]";
      break;
    case Tag::json_object:
    case Tag::object: out += "[object Object]"; break;
    case Tag::error: {
      out += program_.rhythm ? "[Error: " : "Error: ";
      if (!append_text(out, static_cast<ErrorObject*>(now.heap)->message, depth + 1)) return false;
      if (program_.rhythm) out += "]";
      break;
    }
    case Tag::builtin: out += "[function " + std::string(builtin(now.builtin).name) + "]"; break;
    case Tag::bound:
      out += "[function " + std::string(builtin(static_cast<BoundObject*>(now.heap)->builtin).name);
      out += "]";
      break;
    case Tag::closure: {
      const std::string& name = static_cast<ClosureObject*>(now.heap)->function->name;
      out += "[function" + (name.empty() ? "" : " " + name) + "]";
      break;
    }
    case Tag::awaitable: out += awaitable_text(now); break;
    default: out += "null";
  }
  return text_fits(out.size());
}

bool Machine::append_list_text(std::string& out, const Datum& list, int depth) {
  if (depth > nesting_max) {
    throw_type("the array is nested too deeply to be a text");
    return false;
  }
  size_t size = array_size(list);
  for (size_t i = 0; i < size; ++i) {
    if (!charge(1)) return false;
    if (i > 0) out += ',';
    Datum item = array_item(list, i);
    if (!item.is_null() && !append_text(out, item, depth + 1)) return false;
  }
  return text_fits(out.size());
}

void Machine::op_text_template(const Instruction& in) {
  std::string out;
  for (size_t i = in.a; i-- > 0;) {
    if (!append_text(out, stack_.from_top(i), 0)) return;
  }
  stack_.drop(in.a);
  stack_.push(text(std::move(out)));
}

}  // namespace fermata::flow
