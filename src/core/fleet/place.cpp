#include <algorithm>

#include "core/fleet/fleet.h"

/// Which worker gets which job.
namespace fermata::fleet {

bool Fleet::passes_over(const Registration& registration, const std::string& topic,
                        Instant now) const {
  auto found = registration.refusals.find(topic);
  return found != registration.refusals.end() && found->second.passed_over_until > now;
}

/// The worker that the class asks for by name, if it waits.
std::optional<RegistrationId> Fleet::preferred(Instant now, Queue::ClassId id) const {
  const Queue::Facts& facts = queue_.facts_of(id);
  auto known = by_worker_.find(WorkerId(facts.preferred_worker));
  if (facts.preferred_worker.empty() || known == by_worker_.end()) return std::nullopt;
  const auto& profiles = queue_.profiles_of(id);
  for (const RegistrationId& one : known->second) {
    const Registration& registration = registrations_.at(one);
    bool suits =
        std::find(profiles.begin(), profiles.end(), registration.profile) != profiles.end();
    if (suits && can_take(registration) && !passes_over(registration, facts.topic, now) &&
        !queue_.gates().pool(registration.card.pool, now))
      return one;
  }
  return std::nullopt;
}

std::optional<RegistrationId> Fleet::place(Instant now, const JobId& job) {
  Queue::ClassId id = queue_.class_of(job);
  if (!queue_.may_go(now, id)) return std::nullopt;
  if (auto named = preferred(now, id)) return named;
  if (queue_.held_until(now, job)) return std::nullopt;
  const std::string& topic = queue_.facts_of(id).topic;
  const Waiting* best = nullptr;
  for (Queue::ProfileId profile : queue_.profiles_of(id)) {
    auto waiting = waiting_.find(profile);
    if (waiting == waiting_.end() || waiting->second.empty()) continue;
    if (!queue_.pool_is_open(now, queue_.pool_of(profile))) continue;
    for (const Waiting& one : waiting->second) {
      if (best && *best < one) break;
      if (passes_over(registrations_.at(one.id), topic, now)) continue;
      best = &one;
      break;
    }
  }
  if (!best) return std::nullopt;
  return best->id;
}

void Fleet::assign(Instant now, Registration& registration, const JobId& job) {
  Change change(*this, registration);
  const std::string& pool = registration.card.pool;
  PoolTerms terms = terms_of(pool);
  Queue::Counted taken = queue_.take(now, job, pool);
  const TopicTerms& topic = queue_.table().topic(taken.topic);
  if (topic.run_timeout_ms) terms.run_timeout_ms = topic.run_timeout_ms;
  if (topic.start_timeout_ms) terms.start_timeout_ms = topic.start_timeout_ms;
  ++registration.reserved;
  ++registration.claim->reserved;
  registration.last_assigned = now;
  assignments_.push_back({job, registration.id, registration.card.worker, pool,
                          registration.claim->seq, terms, std::move(taken)});
}

void Fleet::serve(Instant now, Registration& registration) {
  std::function<bool(const std::string&)> passed = [&](const std::string& topic) {
    return passes_over(registration, topic, now);
  };
  while (can_take(registration)) {
    auto job = queue_.next({registration.profile, registration.card.worker, now, passed});
    if (!job) return;
    assign(now, registration, *job);
  }
}

void Fleet::match(Instant now, const std::set<Queue::ProfileId>& profiles) {
  for (Queue::ProfileId profile : profiles) {
    auto waiting = waiting_.find(profile);
    if (waiting == waiting_.end()) continue;
    std::vector<RegistrationId> idle;
    for (const Waiting& one : waiting->second) idle.push_back(one.id);
    for (const RegistrationId& id : idle) {
      Registration& registration = registrations_.at(id);
      std::function<bool(const std::string&)> passed = [&](const std::string& topic) {
        return passes_over(registration, topic, now);
      };
      std::optional<JobId> job;
      while (can_take(registration) &&
             (job = queue_.next({profile, registration.card.worker, now, passed}))) {
        // Its turn has come; the least loaded of all who may have it takes it.
        assign(now, registrations_.at(place(now, *job).value_or(id)), *job);
      }
      if (!job && registration.refusals.empty() && !queue_.any_prefers()) break;
    }
  }
}

void Fleet::offer(Instant now, const ReadyJob& job) {
  if (!queue_.add(job)) return;
  if (auto id = place(now, job.job)) assign(now, registrations_.at(*id), job.job);
}

void Fleet::use(Instant now, PoolTablePtr table) {
  for (const auto& [name, pool] : table->pools)
    if (pool.status != PoolStatus::draining) pools_drained_.erase(name);
  queue_.use(now, std::move(table));
  std::set<Queue::ProfileId> all;
  for (const auto& [profile, waiting] : waiting_) all.insert(profile);
  match(now, all);
}

job::Routing Fleet::routing_of(Instant now, const JobId& job) const {
  // One that is on its way to a worker is not without a place.
  if (!queue_.holds(job))
    return {.reason_code = std::string(name_of(Reason::pool_overloaded)), .fault = false};
  Queue::Kept kept = queue_.reason_of(now, queue_.class_of(job));
  return {.reason_code = std::string(name_of(kept.reason)),
          .fault = is_fault(kept.reason),
          .fault_since = kept.since};
}

std::vector<Assignment> Fleet::take_assignments() { return std::exchange(assignments_, {}); }

}  // namespace fermata::fleet
