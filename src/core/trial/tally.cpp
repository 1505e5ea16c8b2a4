#include "core/trial/tally.h"

#include <algorithm>

#include "core/run/waiting.h"

namespace fermata::trial {

namespace {

constexpr size_t broken_seeds_max = 20;
constexpr size_t groups_max = 200;  ///< of errors and of places where runs stand

std::string text_of(const Value& value) {
  return value.is_string() ? std::string(value.as_string()) : std::string();
}

template <class Key, class Map>
void count_group(Map& groups, const Key& key, uint64_t seed) {
  if (groups.size() >= groups_max && !groups.contains(key)) return;
  auto& group = groups[key];
  if (group.count++ == 0) group.first_seed = seed;
}

}  // namespace

Outcome<void> Tally::count(uint64_t seed) {
  Trial trial(plan_, seed);
  FERMATA_TRY_VOID(trial.live());
  ++seeds_;
  const Run& run = trial.run();
  bool ended = trial.end() == End::ended;
  count_group(outcomes_, std::string(ended ? name_of(run.status) : name_of(trial.end())), seed);
  if (ended && run.error.is_object())
    count_group(errors_, std::pair{text_of(run.error.get("code")), text_of(run.error.get("node"))},
                seed);
  if (ended) {
    int64_t length = run.completed_at->ms - run.started_at.ms;
    lengths_.push_back(length);
    if (length > slowest_.first) slowest_ = {length, seed};
  } else {
    Value entries = waiting_of(run);
    for (const Value& entry : entries.items())
      count_group(waits_, text_of(entry.get("kind")) + " " + text_of(entry.get("node")), seed);
  }
  reached_.resize(trial.reached().size());
  for (size_t i = 0; i < reached_.size(); ++i) {
    reached_[i].seeds += trial.reached()[i] > 0 ? 1 : 0;
    reached_[i].times += trial.reached()[i];
  }
  for (const auto& [day, counts] : trial.fired())
    for (size_t i = 0; i < causes; ++i) fired_[day][i] += counts[i];
  judge(trial, seed);
  return {};
}

void Tally::judge(const Trial& trial, uint64_t seed) {
  for (size_t i = 0; i < plan_.promises.size(); ++i) {
    auto kept = holds(plan_.promises[i], plan_, trial);
    if (kept) continue;
    Broken& broken = broken_[i];
    if (broken.count++ == 0) broken.why = kept.error().message;
    if (broken.seeds.size() < broken_seeds_max) broken.seeds.push_back(seed);
  }
}

/// {least, median, p95, p99, most}; null when none has ended.
Value Tally::lengths() const {
  if (lengths_.empty()) return {};
  std::vector<int64_t> sorted = lengths_;
  std::sort(sorted.begin(), sorted.end());
  auto at = [&](size_t percent) { return sorted[(sorted.size() - 1) * percent / 100]; };
  return Value::object({{"least", sorted.front()},
                        {"median", at(50)},
                        {"p95", at(95)},
                        {"p99", at(99)},
                        {"most", sorted.back()}});
}

Value Tally::nodes() const {
  Value out = Value::array();
  for (size_t i = 0; i < plan_.definition->nodes.size(); ++i) {
    const graph::Node& node = plan_.definition->nodes[i];
    Reached reached = i < reached_.size() ? reached_[i] : Reached{};
    out.push(Value::object({{"node_id", node.id},
                            {"node_name", node.name},
                            {"seeds", reached.seeds},
                            {"never", reached.seeds == 0}}));
  }
  return out;
}

Value Tally::calendar() const {
  Value out = Value::array();
  for (const auto& [day, counts] : fired_) {
    Value by_kind = Value::object();
    uint64_t total = 0;
    for (size_t i = 0; i < causes; ++i) {
      if (counts[i] == 0) continue;
      by_kind.set(name_of(static_cast<Cause>(i)), counts[i]);
      total += counts[i];
    }
    out.push(Value::object({{"start", to_rfc3339(Instant{day * day_ms})},
                            {"total", total},
                            {"by_kind", std::move(by_kind)}}));
  }
  return out;
}

Value Tally::value() const {
  Value outcomes = Value::array();
  for (const auto& [name, group] : outcomes_)
    outcomes.push(Value::object(
        {{"outcome", name}, {"count", group.count}, {"first_seed", group.first_seed}}));
  Value errors = Value::array();
  for (const auto& [key, group] : errors_)
    errors.push(Value::object({{"code", key.first},
                               {"node", key.second},
                               {"count", group.count},
                               {"first_seed", group.first_seed}}));
  Value waits = Value::array();
  for (const auto& [name, group] : waits_) {
    size_t space = name.find(' ');
    waits.push(Value::object({{"kind", name.substr(0, space)},
                              {"node", name.substr(space + 1)},
                              {"count", group.count},
                              {"first_seed", group.first_seed}}));
  }
  Value promises = Value::array();
  for (size_t i = 0; i < plan_.promises.size(); ++i) {
    auto broken = broken_.find(i);
    Value seeds = Value::array();
    if (broken != broken_.end())
      for (uint64_t seed : broken->second.seeds) seeds.push(seed);
    promises.push(
        Value::object({{"name", plan_.promises[i].name},
                       {"broken", broken == broken_.end() ? uint64_t{0} : broken->second.count},
                       {"seeds", std::move(seeds)},
                       {"why", broken == broken_.end() ? Value() : Value(broken->second.why)}}));
  }
  Value slowest;
  if (slowest_.first >= 0)
    slowest = Value::object({{"seed", slowest_.second}, {"length_ms", slowest_.first}});
  return Value::object({{"seeds", seeds_},
                        {"outcomes", std::move(outcomes)},
                        {"errors", std::move(errors)},
                        {"waiting", std::move(waits)},
                        {"length_ms", lengths()},
                        {"slowest", std::move(slowest)},
                        {"nodes", nodes()},
                        {"calendar", calendar()},
                        {"promises", std::move(promises)}});
}

}  // namespace fermata::trial
