#include <algorithm>

#include "base/check.h"
#include "core/fleet/queue.h"

/// What keeps jobs back although workers wait, and what lets them go again.
namespace fermata::fleet {

uint32_t Queue::limit_of(const job::Concurrency& limit) const {
  const auto& keys = gates_.table().keys;
  auto found = keys.find(limit.key);
  return found != keys.end() ? std::min(found->second, limit.limit) : limit.limit;
}

void Queue::watch_counts(ClassId id, const Facts& facts) {
  for (const job::Concurrency& limit : facts.limits)
    counts_[{facts.account, limit.key}].classes.insert(id);
}

void Queue::forget_counts(ClassId id, const Facts& facts) {
  for (const job::Concurrency& limit : facts.limits) {
    auto count = counts_.find({facts.account, limit.key});
    if (count == counts_.end()) continue;
    count->second.classes.erase(id);
    if (count->second.classes.empty() && count->second.leases == 0) counts_.erase(count);
  }
}

bool Queue::is_limited(const Class& one) const {
  const Facts& facts = one.facts;
  return std::any_of(facts.limits.begin(), facts.limits.end(), [&](const auto& limit) {
    auto count = counts_.find({facts.account, limit.key});
    return count != counts_.end() && count->second.leases >= limit_of(limit);
  });
}

void Queue::count_key(const AccountId& account, const std::string& key, int change,
                      std::set<ProfileId>* opened) {
  auto found = counts_.try_emplace({account, key}).first;
  KeyCount& count = found->second;
  check(change > 0 || count.leases > 0);
  count.leases = change > 0 ? count.leases + 1 : count.leases - 1;
  // Every class of the key may come under its limit or reach it.
  for (ClassId id : count.classes) {
    bool before = classes_.at(id).shown.has_value();
    show(id);
    const Class& one = classes_.at(id);
    if (opened && !before && one.shown) opened->insert(one.profiles.begin(), one.profiles.end());
  }
  if (count.leases == 0 && count.classes.empty()) counts_.erase(found);
}

void Queue::look_at_topic(Instant now, const std::string& topic, std::set<ProfileId>* opened) {
  bool was_closed = closed_topics_.contains(topic);
  auto closed = gates_.topic(topic, now);
  if (closed && closed->until) due_.insert({*closed->until, Opens::topic, topic});
  if (was_closed == closed.has_value()) return;
  if (closed) {
    closed_topics_.insert(topic);
  } else {
    closed_topics_.erase(topic);
  }
  auto classes = classes_by_topic_.find(topic);
  if (classes == classes_by_topic_.end()) return;
  for (ClassId id : classes->second) {
    show(id);
    const Class& one = classes_.at(id);
    if (opened && one.shown) opened->insert(one.profiles.begin(), one.profiles.end());
  }
}

Queue::Counted Queue::take(Instant now, const JobId& job, const std::string& pool) {
  auto place = places_.find(JobKey(job));
  check(place != places_.end());
  const Class& one = classes_.at(place->second.of);
  Counted counted{one.facts.account, pool, one.facts.topic, {}};
  for (const job::Concurrency& limit : one.facts.limits) counted.limit_keys.push_back(limit.key);
  const std::string& account = counted.account.text();
  turns_.served(pool, one.facts.priority, one.flow, gates_.table().account(account).weight);
  remove(job);
  gates_.count(account, pool, counted.topic, now);
  for (const std::string& key : counted.limit_keys) count_key(counted.account, key, 1, nullptr);
  look_at_topic(now, counted.topic, nullptr);
  return counted;
}

void Queue::adopt(Instant now, const Counted& counted) {
  gates_.count(counted.account.text(), counted.pool, counted.topic, std::nullopt);
  for (const std::string& key : counted.limit_keys) count_key(counted.account, key, 1, nullptr);
  look_at_topic(now, counted.topic, nullptr);
}

std::set<Queue::ProfileId> Queue::give_back(Instant now, const Counted& counted, bool tokens_back) {
  std::set<ProfileId> opened;
  gates_.uncount(counted.account.text(), counted.pool, counted.topic, tokens_back);
  for (const std::string& key : counted.limit_keys) count_key(counted.account, key, -1, &opened);
  look_at_topic(now, counted.topic, &opened);
  unpark(counted.account, opened);
  if (closed_pools_.erase(counted.pool) > 0) add_profiles_of_pool(counted.pool, opened);
  return opened;
}

void Queue::unpark(const AccountId& account, std::set<ProfileId>& opened) {
  for (bool exempt : {false, true}) {
    auto found = flow_by_account_.find({account.text(), exempt});
    if (found == flow_by_account_.end()) continue;
    Flow& flow = flows_.at(found->second);
    if (!flow.parked) continue;
    flow.parked = false;
    for (ClassId id : flow.classes) {
      const Class& one = classes_.at(id);
      if (!one.shown) continue;
      for (ProfileId profile_id : one.profiles) {
        Profile& profile = profiles_.at(profile_id);
        list(profile.card.pool, one.facts.priority,
             profile.lanes[static_cast<size_t>(one.facts.priority)], found->second);
        opened.insert(profile_id);
      }
    }
  }
}

void Queue::add_profiles_of_pool(const std::string& pool, std::set<ProfileId>& opened) const {
  auto found = profiles_by_pool_.find(pool);
  if (found != profiles_by_pool_.end()) opened.insert(found->second.begin(), found->second.end());
}

bool Queue::pool_is_open(Instant now, const std::string& pool) {
  auto closed = gates_.pool(pool, now);
  if (!closed) return true;
  closed_pools_.insert(pool);
  if (closed->until) due_.insert({*closed->until, Opens::pool, pool});
  return false;
}

bool Queue::may_go(Instant now, ClassId id) {
  Class& one = classes_.at(id);
  Flow& flow = flows_.at(one.flow);
  if (auto closed = gates_.account(flow.account.text(), flow.exempt, now)) {
    flow.parked = true;
    if (closed->until) due_.insert({*closed->until, Opens::account, flow.account.text()});
    return false;
  }
  if (is_limited(one)) return false;
  look_at_topic(now, one.facts.topic, nullptr);
  return !closed_topics_.contains(one.facts.topic);
}

std::optional<Instant> Queue::held_until(Instant now, const JobId& job) {
  const Place& place = places_.at(JobKey(job));
  int64_t wait_ms = classes_.at(place.of).facts.preferred_wait_ms;
  Instant until = place.position.first + Duration{wait_ms};
  if (wait_ms == 0 || until <= now) return std::nullopt;
  due_.insert({until, Opens::hold, job.text()});
  return until;
}

std::optional<Instant> Queue::next_due() const {
  if (due_.empty()) return std::nullopt;
  return std::get<Instant>(*due_.begin());
}

std::set<Queue::ProfileId> Queue::open_due(Instant now) {
  std::set<ProfileId> opened;
  std::set<Due> due;
  // When the clock has gone back nothing is due when it said: all are looked at again.
  if (now < looked_at_) due.swap(due_);
  looked_at_ = now;
  while (!due_.empty() && std::get<Instant>(*due_.begin()) <= now)
    due.insert(due_.extract(due_.begin()));
  for (const auto& [at, what, name] : due) {
    if (what == Opens::account) unpark(AccountId(name), opened);
    if (what == Opens::topic) look_at_topic(now, name, &opened);
    if (what == Opens::pool && closed_pools_.erase(name) > 0) add_profiles_of_pool(name, opened);
    if (what != Opens::hold) continue;
    auto place = places_.find(JobKey(JobId(name)));
    if (place == places_.end()) continue;
    const auto& profiles = classes_.at(place->second.of).profiles;
    opened.insert(profiles.begin(), profiles.end());
  }
  return opened;
}

void Queue::spend(const AccountId& account, const job::Usage& usage, Instant at) {
  gates_.spend(account.text(), usage, at);
}

Queue::Kept Queue::reason_of(Instant now, ClassId id) const {
  const Class& one = classes_.at(id);
  if (one.pools && one.pools->empty())
    return {Reason::no_pool_mapping, one.fault_since.value_or(now)};
  if (one.profiles.empty()) return {Reason::no_workers, one.fault_since.value_or(now)};
  const Flow& flow = flows_.at(one.flow);
  if (auto closed = gates_.account(flow.account.text(), flow.exempt, now)) return {closed->reason};
  if (is_limited(one)) return {Reason::key_limit};
  if (auto closed = gates_.topic(one.facts.topic, now)) return {closed->reason};
  Reason reason = Reason::pool_overloaded;
  for (ProfileId profile : one.profiles) {
    auto closed = gates_.pool(profiles_.at(profile).card.pool, now);
    if (!closed || closed->reason != Reason::rate_limited) return {Reason::pool_overloaded};
    reason = closed->reason;
  }
  return {reason};
}

}  // namespace fermata::fleet
