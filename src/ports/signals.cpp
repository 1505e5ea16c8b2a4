#include "ports/signals.h"

namespace fermata {
namespace {

Value list_of(const std::vector<Value>& items) {
  return Value::array({items.begin(), items.end()});
}

std::vector<Value> items_of(const Value& list) {
  if (!list.is_array()) return {};
  return {list.items().begin(), list.items().end()};
}

}  // namespace

Value to_value(const SignalReach& reach) {
  Value out = Value::object({{"total", reach.total}});
  auto add = [&](const char* name, const std::vector<Value>& items) {
    if (!items.empty()) out.set(name, list_of(items));
  };
  add("goals", reach.goals);
  add("waits", reach.waits);
  add("triggers", reach.triggers);
  add("ignored", reach.ignored);
  if (reach.warnings.empty()) return out;
  Value warnings = Value::array();
  for (const std::string& warning : reach.warnings) warnings.push(warning);
  out.set("warnings", std::move(warnings));
  return out;
}

SignalReach signal_reach_of(const Value& value) {
  SignalReach reach;
  reach.goals = items_of(value.get("goals"));
  reach.waits = items_of(value.get("waits"));
  reach.triggers = items_of(value.get("triggers"));
  reach.ignored = items_of(value.get("ignored"));
  const Value& total = value.get("total");
  if (total.is_integer()) reach.total = static_cast<uint64_t>(total.as_integer());
  for (const Value& warning : items_of(value.get("warnings")))
    if (warning.is_string()) reach.warnings.emplace_back(warning.as_string());
  return reach;
}

std::string_view name_of(ReachKind kind) {
  if (kind == ReachKind::goal) return "goal";
  return kind == ReachKind::trigger ? "trigger" : "wait";
}

ReachKind reach_kind_of(std::string_view name) {
  if (name == "goal") return ReachKind::goal;
  return name == "trigger" ? ReachKind::trigger : ReachKind::wait;
}

void add_reached(SignalReach& reach, ReachKind kind, Value entry) {
  ++reach.total;
  std::vector<Value>& list = kind == ReachKind::goal      ? reach.goals
                             : kind == ReachKind::trigger ? reach.triggers
                                                          : reach.waits;
  if (list.size() < signal_reach_listed_max) list.push_back(std::move(entry));
}

SignalReach whole_reach(const SignalRecord& record) {
  SignalReach whole = record.reach;
  auto add = [](std::vector<Value>& list, const std::vector<Value>& more) {
    for (const Value& entry : more)
      if (list.size() < signal_reach_listed_max) list.push_back(entry);
  };
  add(whole.goals, record.effects.goals);
  add(whole.waits, record.effects.waits);
  add(whole.triggers, record.effects.triggers);
  whole.total += record.effects.total;
  return whole;
}

bool matches(const SignalFilter& filter, const SignalRecord& record) {
  const Signal& signal = record.signal;
  if (!filter.account.empty() && filter.account != signal.account) return false;
  if (!filter.type.empty() && filter.type != signal.type) return false;
  if (!filter.contact_id.empty() && filter.contact_id != signal.contact_id) return false;
  if (filter.from && signal.received_at < *filter.from) return false;
  if (filter.to && signal.received_at >= *filter.to) return false;
  return !filter.matched || *filter.matched == (record.reach.total + record.effects.total > 0);
}

}  // namespace fermata
