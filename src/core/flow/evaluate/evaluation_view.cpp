#include "core/flow/evaluate/evaluation.h"

/// The state of an evaluation as F-63 prints it.
namespace fermata::flow {

namespace {

/// Composites nest without end; what is printed does not.
constexpr int depth_max = 32;

Value number_value(double number) {
  auto whole = static_cast<int64_t>(number);
  return static_cast<double>(whole) == number ? Value(whole) : Value(number);
}

std::string_view shape_name(Composite::Shape shape) {
  switch (shape) {
    case Composite::Shape::bare: return "bare";
    case Composite::Shape::kv: return "kv";
    case Composite::Shape::item: return "item";
  }
  return {};
}

}  // namespace

Value Evaluation::error_value() const {
  if (!refused_.is_null()) {
    return Value::object({{"code", "invalid_definition"},
                          {"message", refused_.items()[0].get("message")},
                          {"errors", refused_}});
  }
  if (damaged_) return damaged_->to_value();
  return execution_.end == FlowEnd::failed ? execution_.error.to_value() : Value();
}

Value Evaluation::state() const {
  bool failed = !refused_.is_null() || damaged_ || execution_.end == FlowEnd::failed;
  bool completed = execution_.end == FlowEnd::completed;
  Value out = Value::object();
  out.set("status", failed ? "failed" : completed ? "completed" : "suspended");
  out.set("result", completed ? execution_.output : Value());
  out.set("error", error_value());
  out.set("awaiting", failed || completed ? Value::array() : awaiting());
  out.set("tasks", asked(tasks_, "name", true));
  out.set("timers", timers());
  out.set("children", asked(children_, "workflow", true));
  out.set("approvals", asked(approvals_, "title", false));
  out.set("signals", signals());
  out.set("logs", logs_);
  out.set("warnings", warnings_);
  out.set("stats", Value::object({{"activations", execution_.activations},
                                  {"fuel", execution_.fuel},
                                  {"snapshot_bytes", parked_bytes_},
                                  {"ignored", ignored_}}));
  return out;
}

Value Evaluation::awaiting() const {
  Value out = Value::array();
  for (const auto& [fiber, parked] : execution_.parked) {
    Value one = Value::object();
    one.set("fiber", fiber == main_fiber ? Value("main") : Value(execution_.id_of(fiber)));
    one.set("at", std::to_string(parked.place.line) + ":" + std::to_string(parked.place.column));
    Value what = awaited(parked.awaiting, 0);
    for (const Value::Member& member : what.members())
      one.set(member.key.as_string(), member.value);
    out.push(std::move(one));
  }
  return out;
}

Value Evaluation::awaited(uint32_t number, int depth) const {
  auto found = execution_.awaitables.find(number);
  if (found == execution_.awaitables.end()) {
    return Value::object({{"id", Value()}, {"kind", Value()}, {"name", Value()}});
  }
  const Awaitable& record = found->second;
  Value out = Value::object({{"id", execution_.id_of(number)}, {"kind", kind_name(record.kind)}});
  out.set("name", record.name.empty() ? Value() : Value(record.name));
  if (!is_composite(record.kind)) return out;
  const Composite& composite = record.composite;
  Value keys = Value::array();
  Value items = Value::array();
  for (size_t i = 0; i < composite.items.size(); ++i) {
    keys.push(composite.object ? Value(composite.keys[i]) : Value(i));
    if (depth < depth_max) items.push(awaited(composite.items[i], depth + 1));
  }
  out.set("form", composite.object ? "object" : "array");
  out.set("keys", std::move(keys));
  out.set("shape", shape_name(composite.shape));
  out.set("open", composite.open);
  out.set("items", std::move(items));
  return out;
}

Value Evaluation::asked(const std::vector<Asked>& list, std::string_view name_key,
                        bool input) const {
  Value out = Value::array();
  for (const Asked& one : list) {
    Value entry = Value::object({{"id", execution_.id_of(one.number)}, {name_key, one.name}});
    if (input) entry.set("input", one.input);
    entry.set("status", one.status);
    bool options = one.kind == AwaitableKind::task && one.options.size() > 0;
    if (options) entry.set("options", one.options);
    out.push(std::move(entry));
  }
  return out;
}

Value Evaluation::timers() const {
  Value out = Value::array();
  for (const Timer& timer : timers_) {
    out.push(Value::object({{"id", execution_.id_of(timer.number)},
                            {"due", to_rfc3339(timer.due)},
                            {"seconds", number_value(timer.seconds)},
                            {"state", timer.state}}));
  }
  return out;
}

/// Kept and not taken, in the order they came.
Value Evaluation::signals() const {
  std::map<uint64_t, Value> by_arrival;
  for (const auto& [name, mailbox] : execution_.mailboxes) {
    for (const auto& [arrival, kept] : mailbox.kept) {
      by_arrival[arrival] = Value::object({{"name", name}, {"payload", kept.payload}});
    }
  }
  Value out = Value::array();
  for (auto& [arrival, signal] : by_arrival) out.push(std::move(signal));
  return out;
}

}  // namespace fermata::flow
