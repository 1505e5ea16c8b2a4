#include "core/flow/durable/snapshot_view.h"

#include <cmath>

#include "base/json.h"
#include "core/flow/machine.h"

namespace fermata::flow {

namespace {

constexpr int shown_depth_max = 8;
constexpr size_t shown_items_max = 100;
constexpr size_t shown_text_bytes_max = 1024;

struct ShownRoots final : Roots {
  explicit ShownRoots(const Execution& execution)
      : inputs(execution.inputs), context(execution.context) {}
  std::optional<Value> root(std::string_view name) const override {
    return name == "Inputs" ? inputs : context;
  }
  Value inputs;
  Value context;
};

Value cut_text(std::string_view text) {
  if (text.size() <= shown_text_bytes_max) return Value(text);
  size_t end = shown_text_bytes_max;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return Value(std::string(text.substr(0, end)) + "…");
}

}  // namespace

class SnapshotView {
 public:
  SnapshotView(const Execution& execution, Machine& machine)
      : execution_(execution), machine_(machine) {}

  Value fibers() {
    Value out = Value::array();
    for (const auto& [number, fiber] : machine_.fibers_) {
      Value shown = Value::object({{"fiber", name_of(number)}, {"awaiting", awaiting(number)}});
      Value frames = Value::array();
      for (size_t i = fiber.frames.size(); i-- > 0;)
        if (!fiber.frames[i].function->library) frames.push(frame(fiber, fiber.frames[i]));
      shown.set("frames", std::move(frames));
      out.push(std::move(shown));
    }
    return out;
  }

 private:
  std::string name_of(uint32_t number) const {
    return number == main_fiber ? "main" : execution_.id_of(number);
  }
  Value awaiting(uint32_t number) const {
    auto parked = execution_.parked.find(number);
    return parked == execution_.parked.end() ? Value()
                                             : Value(execution_.id_of(parked->second.awaiting));
  }

  Value frame(const Fiber& fiber, const Frame& frame) {
    const Function& function = *frame.function;
    auto next = function.index_of(frame.next);
    size_t offset = next > 0 ? function.offsets[next - 1] : 0;
    TextPosition at = position_at(function.program->text, offset);
    Value variables = Value::object();
    for (const Function::Local& local : function.locals)
      if (!local.name.empty() && local.from <= next && next < local.to)
        variables.set(local.name, shown(fiber.stack[frame.base + local.slot], 0));
    return Value::object({{"function", function.name.empty() ? "main" : function.name},
                          {"line", at.line},
                          {"column", at.column},
                          {"variables", std::move(variables)}});
  }

  Value shown(const Datum& given, int depth) {
    Datum value = machine_.current(given);
    switch (value.tag) {
      case Tag::unset: return Value("[not set yet]");
      case Tag::null: return Value();
      case Tag::boolean: return Value(value.boolean);
      case Tag::integer: return Value(value.integer);
      case Tag::number:
        return std::isfinite(value.number) ? Value(value.number) : text_of_it(value);
      case Tag::text:
      case Tag::json_text: return cut_text(text_of(value));
      case Tag::cell: return shown(static_cast<CellObject*>(value.heap)->value, depth);
      case Tag::array:
      case Tag::json_array: return depth < shown_depth_max ? list(value, depth) : Value("…");
      case Tag::object:
      case Tag::json_object: return depth < shown_depth_max ? record(value, depth) : Value("…");
      case Tag::iterator: return Value("[iterator]");
      case Tag::verdict: return Value("[ending]");
      default: return text_of_it(value);
    }
  }
  Value text_of_it(const Datum& value) { return cut_text(machine_.to_text(value)); }

  Value list(const Datum& value, int depth) {
    Value out = Value::array();
    size_t count = machine_.array_size(value);
    for (size_t i = 0; i < std::min(count, shown_items_max); ++i)
      out.push(shown(machine_.array_item(value, i), depth + 1));
    if (count > shown_items_max) out.push("… " + std::to_string(count - shown_items_max) + " more");
    return out;
  }
  Value record(const Datum& value, int depth) {
    Value out = Value::object();
    size_t count = machine_.object_size(value);
    for (size_t i = 0; i < std::min(count, shown_items_max); ++i) {
      auto [key, content] = machine_.object_entry(value, i);
      out.set(text_of(key), shown(content, depth + 1));
    }
    if (count > shown_items_max) out.set("…", std::to_string(count - shown_items_max) + " more");
    return out;
  }

  const Execution& execution_;
  Machine& machine_;
};

namespace {

Value shown_awaitables(const Execution& execution) {
  Value out = Value::array();
  for (const auto& [number, record] : execution.awaitables) {
    Value one = Value::object({{"id", execution.id_of(number)},
                               {"kind", kind_name(record.kind)},
                               {"status", status_name(record.status)},
                               {"name", record.name.empty() ? Value() : Value(record.name)}});
    if (record.due) one.set("due", to_rfc3339(*record.due));
    if (is_composite(record.kind)) one.set("open", record.composite.open);
    if (record.place.line > 0)
      one.set("at", std::to_string(record.place.line) + ":" + std::to_string(record.place.column));
    out.push(std::move(one));
  }
  return out;
}

Value shown_signals(const Execution& execution) {
  Value out = Value::array();
  for (const auto& [name, mailbox] : execution.mailboxes)
    for (const auto& [number, kept] : mailbox.kept)
      out.push(Value::object({{"name", name}, {"payload", kept.payload}}));
  return out;
}

}  // namespace

Result<Value, SnapshotError> shown_snapshot(const Execution& execution, const Expression& script) {
  ShownRoots roots(execution);
  Machine machine(script.program(), roots, {});
  if (execution.started) FERMATA_TRY_VOID(decode_snapshot(execution.snapshot, machine, execution));
  SnapshotView view(execution, machine);
  return Value::object({{"fibers", view.fibers()},
                        {"awaitables", shown_awaitables(execution)},
                        {"signals", shown_signals(execution)},
                        {"activations", execution.activations},
                        {"fuel", execution.fuel},
                        {"bytes", execution.snapshot.size()}});
}

}  // namespace fermata::flow
