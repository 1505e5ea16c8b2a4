#include <algorithm>
#include <cmath>

#include "base/json.h"
#include "core/flow/library_call.h"

namespace fermata::flow::natives {

namespace {

constexpr int64_t indent_max = 10;

/// Writes values as JavaScript's JSON.stringify does: what JSON cannot say is null in a list and
/// left out of an object.
class Writer {
 public:
  Writer(Machine& machine, std::string indent) : machine_(machine), indent_(std::move(indent)) {}

  /// False when the value has no JSON, or the evaluation has ended.
  bool write(const Datum& given, int depth) {
    Datum datum = machine_.current(given);
    if (depth > library_nesting_max) {
      machine_.throw_type("stringify: nested too deeply, or in a circle");
      return false;
    }
    if (!machine_.charge(1) || !machine_.text_fits(out_.size())) return false;
    switch (datum.tag) {
      case Tag::boolean: out_ += datum.boolean ? "true" : "false"; return true;
      case Tag::integer: out_ += std::to_string(datum.integer); return true;
      case Tag::number:
        out_ += std::isfinite(datum.number) ? number_to_text(datum.number) : "null";
        return true;
      case Tag::json_text:
      case Tag::text: append_json(out_, Value(text_of(datum))); return true;
      case Tag::json_array:
      case Tag::array: return write_array(datum, depth);
      case Tag::json_object:
      case Tag::object: return write_object(datum, depth);
      case Tag::error: return write_error(datum);
      case Tag::builtin:
      case Tag::bound:
      case Tag::closure: return false;
      default: out_ += "null"; return true;
    }
  }
  std::string take() { return std::move(out_); }

 private:
  void new_line(int depth) {
    if (indent_.empty()) return;
    out_ += '\n';
    for (int i = 0; i < depth; ++i) out_ += indent_;
  }

  bool write_array(const Datum& array, int depth) {
    size_t size = machine_.array_size(array);
    out_ += '[';
    for (size_t i = 0; i < size; ++i) {
      if (i > 0) out_ += ',';
      new_line(depth + 1);
      if (write(machine_.array_item(array, i), depth + 1)) continue;
      if (machine_.stopped()) return false;
      out_ += "null";
    }
    if (size > 0) new_line(depth);
    out_ += ']';
    return true;
  }

  bool write_object(const Datum& object, int depth) {
    size_t size = machine_.object_size(object);
    bool any = false;
    out_ += '{';
    for (size_t i = 0; i < size; ++i) {
      auto [key, value] = machine_.object_entry(object, i);
      size_t before = out_.size();
      if (any) out_ += ',';
      new_line(depth + 1);
      append_json(out_, Value(text_of(key)));
      out_ += indent_.empty() ? ":" : ": ";
      if (write(value, depth + 1)) {
        any = true;
      } else if (machine_.stopped()) {
        return false;
      } else {
        out_.resize(before);
      }
    }
    if (any) new_line(depth);
    out_ += '}';
    return true;
  }

  bool write_error(const Datum& error) {
    auto value = machine_.to_json_value(error);
    if (value) append_json(out_, *value);
    return value.has_value();
  }

  Machine& machine_;
  std::string indent_;
  std::string out_;
};

}  // namespace

Datum json_parse(Machine& machine, Arguments arguments) {
  Call call(machine, arguments);
  std::string_view text = call.text(0);
  // A parsed value takes more room than its text; this is a cautious guess at how much.
  if (call.failed() || !machine.charge_bytes(text.size()) ||
      !machine.memory_fits(text.size() * 8)) {
    return {};
  }
  auto parsed = parse_json(text);
  if (!parsed) return machine.throw_error("JSON_ERROR", parsed.error().message);
  return machine.keep(*std::move(parsed), text.size() * 8);
}

Datum json_stringify(Machine& machine, Arguments arguments) {
  Call call(machine, arguments);
  std::string indent;
  if (call.has(1)) return machine.throw_argument("argument 2 of stringify must be null");
  if (call.has(2) && arguments[2].is_text()) {
    indent = std::string(call.text(2).substr(0, indent_max));
  } else if (call.has(2)) {
    indent.assign(static_cast<size_t>(std::clamp<int64_t>(call.integer(2), 0, indent_max)), ' ');
  }
  if (call.failed()) return {};
  Writer writer(machine, std::move(indent));
  if (!writer.write(arguments[0], 0)) return {};
  return machine.text(writer.take());
}

}  // namespace fermata::flow::natives
