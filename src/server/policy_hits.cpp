#include "server/policy_hits.h"

#include <algorithm>

namespace fermata::server {
namespace {

constexpr int64_t hits_hour_ms = 3'600'000;
constexpr int64_t hits_day_ms = 24 * hits_hour_ms;

void forget_before(std::map<int64_t, uint64_t>& steps, int64_t first) {
  steps.erase(steps.begin(), steps.lower_bound(first));
}

}  // namespace

void PolicyHits::begin(Instant now) {
  std::lock_guard lock(mutex_);
  begun_ = since_ = now;
}

void PolicyHits::judged(const job::PolicyDecision& decision) {
  std::lock_guard lock(mutex_);
  count(decision);
}

void PolicyHits::remember(const job::PolicyDecision& decision) {
  std::lock_guard lock(mutex_);
  // What was decided since the start has been counted as it happened.
  if (decision.at < begun_) count(decision);
}

void PolicyHits::remember_until(Instant oldest) {
  std::lock_guard lock(mutex_);
  since_ = std::min(since_, oldest);
}

Instant PolicyHits::since() const {
  std::lock_guard lock(mutex_);
  return since_;
}

void PolicyHits::count(const job::PolicyDecision& decision) {
  std::pair key{decision.account, RuleName{decision.bundle, decision.rule_id}};
  if (!rules_.contains(key)) make_room();
  Counted& counted = rules_[key];
  int64_t hour = decision.at.ms / hits_hour_ms, day = decision.at.ms / hits_day_ms;
  ++counted.hours[hour];
  ++counted.days[day];
  // The newest tell what is old; what is remembered comes last and is older.
  forget_before(counted.hours, counted.hours.rbegin()->first - hours_kept);
  forget_before(counted.days, counted.days.rbegin()->first - days_kept + 1);
}

void PolicyHits::make_room() {
  if (rules_.size() < rules_max) return;
  auto newest = [](const auto& rule) {
    return rule.second.days.empty() ? int64_t{0} : rule.second.days.rbegin()->first;
  };
  rules_.erase(std::min_element(rules_.begin(), rules_.end(), [&](const auto& a, const auto& b) {
    return newest(a) < newest(b);
  }));
}

std::map<PolicyHits::RuleName, PolicyHits::Hits> PolicyHits::hits(const AccountId& account,
                                                                  Instant now) const {
  std::lock_guard lock(mutex_);
  std::map<RuleName, Hits> out;
  int64_t first_day = now.ms / hits_day_ms - days_kept + 1,
          first_hour = now.ms / hits_hour_ms - hours_kept;
  for (auto it = rules_.lower_bound({account, {}});
       it != rules_.end() && it->first.first == account; ++it) {
    Hits hits;
    hits.days.resize(static_cast<size_t>(days_kept));
    for (const auto& [day, count] : it->second.days) {
      if (day < first_day || day >= first_day + days_kept) continue;
      hits.days[static_cast<size_t>(day - first_day)] = count;
      hits.month += count;
    }
    for (const auto& [hour, count] : it->second.hours)
      if (hour > first_hour) hits.day += count;
    out.emplace(it->first.second, std::move(hits));
  }
  return out;
}

}  // namespace fermata::server
