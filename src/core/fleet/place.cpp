#include "base/check.h"
#include "core/fleet/fleet.h"

/// Which worker gets which job.
namespace fermata::fleet {

bool Fleet::passes_over(const Registration& registration, const std::string& topic,
                        Instant now) const {
  auto found = registration.refusals.find(topic);
  return found != registration.refusals.end() && found->second.passed_over_until > now;
}

std::optional<RegistrationId> Fleet::place(Instant now, const JobId& job) const {
  Queue::ClassId id = queue_.class_of(job);
  if (queue_.is_limited(id)) return std::nullopt;
  const Waiting* best = nullptr;
  for (Queue::ProfileId profile : queue_.profiles_of(id)) {
    auto waiting = waiting_.find(profile);
    if (waiting == waiting_.end()) continue;
    for (const Waiting& one : waiting->second) {
      if (best && *best < one) break;
      if (passes_over(registrations_.at(one.id), queue_.topic_of(id), now)) continue;
      best = &one;
      break;
    }
  }
  if (!best) return std::nullopt;
  return best->id;
}

void Fleet::assign(Instant now, Registration& registration, const JobId& job) {
  auto taken = queue_.remove(job);
  check(taken.has_value());
  Change change(*this, registration);
  for (const std::string& key : taken->limit_keys) queue_.count_lease(taken->account, key, 1);
  ++registration.reserved;
  ++registration.claim->reserved;
  registration.last_assigned = now;
  assignments_.push_back({job, registration.id, registration.card.worker, registration.card.pool,
                          registration.claim->seq, terms_of(registration.card.pool),
                          *std::move(taken)});
}

void Fleet::serve(Instant now, Registration& registration) {
  while (can_take(registration)) {
    auto job = queue_.next(registration.profile, [&](const std::string& topic) {
      return passes_over(registration, topic, now);
    });
    if (!job) return;
    assign(now, registration, *job);
  }
}

void Fleet::offer(Instant now, const ReadyJob& job) {
  if (!queue_.add(job)) return;
  if (auto id = place(now, job.job)) assign(now, registrations_.at(*id), job.job);
}

std::vector<Assignment> Fleet::take_assignments() { return std::exchange(assignments_, {}); }

}  // namespace fermata::fleet
