#include <algorithm>

#include "base/check.h"
#include "base/json.h"
#include "core/fleet/queue.h"

/// Kinds of workers, and which job each of them should take next.
namespace fermata::fleet {

namespace {

using job::Priority;

Value texts(const std::vector<std::string>& list) {
  Value out = Value::array();
  for (const std::string& text : list) out.push(text);
  return out;
}

std::string profile_key(const WorkerCard& card) {
  return to_canonical_json(Value::array({texts(card.accounts), card.pool, texts(card.topics),
                                         texts(card.capabilities), placement_of(card.labels)}));
}

size_t lane_of(Priority priority) { return static_cast<size_t>(priority); }

}  // namespace

bool Queue::suits(const Profile& profile, const Class& one) const {
  const WorkerCard& card = profile.card;
  const Facts& facts = one.facts;
  if (!card.accounts.empty() && std::find(card.accounts.begin(), card.accounts.end(),
                                          facts.account.text()) == card.accounts.end())
    return false;
  if (gates_.table().pool(card.pool).status != PoolStatus::active) return false;
  if (one.pools && std::find(one.pools->begin(), one.pools->end(), card.pool) == one.pools->end())
    return false;
  auto serves = [&](const std::string& pattern) { return fits(pattern, facts.topic); };
  if (std::none_of(card.topics.begin(), card.topics.end(), serves)) return false;
  if (!std::includes(profile.capabilities.begin(), profile.capabilities.end(),
                     facts.requires_.begin(), facts.requires_.end()))
    return false;
  for (const Value::Member& label : facts.placement.members())
    if (card.labels.get(label.key.as_string()) != label.value) return false;
  return true;
}

void Queue::link(ProfileId profile_id, Profile& profile, ClassId class_id, Class& one) {
  one.profiles.push_back(profile_id);
  one.fault_since.reset();
  profile.classes.push_back(class_id);
}

void Queue::note_fault(Class& one, Instant since) {
  if (!one.profiles.empty()) {
    one.fault_since.reset();
  } else if (!one.fault_since) {
    one.fault_since = since;
  }
}

Queue::ProfileId Queue::join(const WorkerCard& card) {
  std::string key = profile_key(card);
  if (auto known = profile_by_key_.find(key); known != profile_by_key_.end()) {
    ++profiles_.at(known->second).members;
    return known->second;
  }
  ProfileId id = next_profile_++;
  profile_by_key_.emplace(key, id);
  profiles_by_pool_[card.pool].insert(id);
  Profile& profile = profiles_[id];
  profile.card = card;
  profile.key = std::move(key);
  profile.members = 1;
  const Pool& pool = gates_.table().pool(card.pool);
  profile.capabilities = card.capabilities;
  profile.capabilities.insert(profile.capabilities.end(), pool.capabilities.begin(),
                              pool.capabilities.end());
  std::sort(profile.capabilities.begin(), profile.capabilities.end());
  for (auto& [class_id, one] : classes_) {
    if (!suits(profile, one)) continue;
    link(id, profile, class_id, one);
    if (one.shown) show_in(card.pool, profile, one);
  }
  return id;
}

void Queue::leave(Instant now, ProfileId id) {
  Profile& profile = profiles_.at(id);
  if (--profile.members > 0) return;
  for (ClassId class_id : profile.classes) {
    Class& one = classes_.at(class_id);
    std::erase(one.profiles, id);
    note_fault(one, now);
  }
  auto pool = profiles_by_pool_.find(profile.card.pool);
  pool->second.erase(id);
  if (pool->second.empty()) profiles_by_pool_.erase(pool);
  profile_by_key_.erase(profile.key);
  profiles_.erase(id);
}

void Queue::list(const std::string& pool, Priority priority, Lane& lane, FlowId flow) {
  FlowHeads& heads = lane.flows.at(flow);
  if (heads.listed) return;
  heads.count = turns_.count_of(pool, priority, flow);
  heads.listed = true;
  lane.order.insert({heads.count, flow});
}

void Queue::show_in(const std::string& pool, Profile& profile, const Class& one) {
  Lane& lane = profile.lanes[lane_of(one.facts.priority)];
  lane.flows[one.flow].heads.insert(*one.shown);
  list(pool, one.facts.priority, lane, one.flow);
}

void Queue::hide_in(Profile& profile, const Class& one) {
  Lane& lane = profile.lanes[lane_of(one.facts.priority)];
  auto found = lane.flows.find(one.flow);
  check(found != lane.flows.end());
  found->second.heads.erase(*one.shown);
  if (!found->second.heads.empty()) return;
  if (found->second.listed) lane.order.erase({found->second.count, one.flow});
  lane.flows.erase(found);
}

/// The oldest of a flow that the worker may have.
std::optional<JobId> Queue::first_allowed(const Asker& asker, const FlowHeads& heads) {
  for (const Head& head : heads.heads) {
    const Class& one = classes_.at(head.of);
    if (asker.passes_over(one.facts.topic)) continue;
    JobId job(*one.jobs.begin()->second);
    if (one.facts.preferred_worker != asker.worker.text() && held_until(asker.now, job)) continue;
    return job;
  }
  return std::nullopt;
}

std::optional<JobId> Queue::next_of(const Asker& asker, Profile& profile, Priority priority) {
  Lane& lane = profile.lanes[lane_of(priority)];
  const std::string& pool = profile.card.pool;
  for (auto at = lane.order.begin(); at != lane.order.end();) {
    auto [count, flow_id] = *at;
    FlowHeads& heads = lane.flows.at(flow_id);
    uint64_t by_now = turns_.count_of(pool, priority, flow_id);
    if (count < by_now) {
      // It was served elsewhere since: its turn comes later.
      at = lane.order.erase(at);
      heads.count = by_now;
      auto moved = lane.order.insert({by_now, flow_id}).first;
      if (at == lane.order.end() || *moved < *at) at = moved;
      continue;
    }
    Flow& flow = flows_.at(flow_id);
    if (auto closed = gates_.account(flow.account.text(), flow.exempt, asker.now)) {
      // Passed over until its account may have more; that costs it nothing.
      if (closed->until) due_.insert({*closed->until, Opens::account, flow.account.text()});
      flow.parked = true;
      heads.listed = false;
      at = lane.order.erase(at);
      continue;
    }
    if (auto job = first_allowed(asker, heads)) return job;
    ++at;
  }
  return std::nullopt;
}

std::optional<JobId> Queue::next(const Asker& asker) {
  Profile& profile = profiles_.at(asker.profile);
  if (!pool_is_open(asker.now, profile.card.pool)) return std::nullopt;
  if (auto job = next_of(asker, profile, Priority::critical)) return job;
  bool batch_first = turns_.batch_is_next(profile.card.pool);
  Priority first = batch_first ? Priority::batch : Priority::interactive;
  Priority second = batch_first ? Priority::interactive : Priority::batch;
  if (auto job = next_of(asker, profile, first)) return job;
  return next_of(asker, profile, second);
}

}  // namespace fermata::fleet
