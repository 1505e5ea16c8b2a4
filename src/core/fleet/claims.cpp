#include "base/check.h"
#include "core/fleet/fleet.h"

/// Workers that wait for jobs, and what they are told.
namespace fermata::fleet {

Outcome<std::optional<ClaimAnswer>> Fleet::claim(Instant now, const RegistrationId& id,
                                                 uint64_t seq, uint32_t slots, int64_t wait_ms,
                                                 bool spoken) {
  FERMATA_TRY(registration, spoken ? speaking(now, id) : known(id));
  if (registration->ghost)
    return fail(ErrorCode::registration_not_found,
                "of registration " + id.text() + " only the leases are known; register again");
  if (seq <= registration->answered_seq || (registration->claim && seq < registration->claim->seq))
    return std::optional(repeated(*registration, seq));
  bool same = registration->claim && registration->claim->seq == seq;
  if (!same && registration->claim) {
    // The worker has given up on an answer; what that held is found by its heartbeats.
    registration->answered_seq = registration->claim->seq;
    end_claim(*registration);
  }
  {
    Change change(*this, *registration);
    if (!same) registration->claim.emplace();
    Claim& claim = *registration->claim;
    if (same) claim_ends_.erase({claim.until, id});
    claim.seq = seq;
    claim.slots = slots;
    claim.push = !spoken;
    claim.until = now + Duration{wait_ms};
    claim_ends_.insert({claim.until, id});
  }
  serve(now, *registration);
  answerable_.insert(id);
  return std::optional<ClaimAnswer>();
}

void Fleet::quit_claim(const RegistrationId& id, uint64_t seq) {
  auto found = registrations_.find(id);
  if (found == registrations_.end() || !found->second.claim || found->second.claim->seq != seq)
    return;
  found->second.answered_seq = seq;
  end_claim(found->second);
}

Outcome<ClaimAnswer> Fleet::outstanding(const RegistrationId& id,
                                        std::optional<uint64_t> after) const {
  auto found = registrations_.find(id);
  if (found == registrations_.end())
    return fail(ErrorCode::registration_not_found, "there is no registration " + id.text());
  const Registration& registration = found->second;
  ClaimAnswer answer;
  answer.registration = id;
  answer.seq = registration.claim ? registration.claim->seq : registration.answered_seq;
  for (const auto& [key, lease] : registration.leases) {
    if (lease.revoked) {
      answer.cancels.push_back(key);
    } else if (after ? lease.seq > *after : !lease.seen) {
      answer.jobs.push_back(key);
    }
  }
  answer.drain = registration.drained || registration.draining;
  return answer;
}

/// Assignments under way stay reserved: they are told to the registration, not to the claim.
void Fleet::end_claim(Registration& registration) {
  if (!registration.claim) return;
  Change change(*this, registration);
  claim_ends_.erase({registration.claim->until, registration.id});
  registration.claim.reset();
}

std::optional<Lost> Fleet::placed(Instant now, const Assignment& assignment,
                                  const job::Summary& holder) {
  LeaseKey key{assignment.job, holder.fence};
  auto found = registrations_.find(assignment.registration);
  // What is known of it from its leases alone was given nothing: it went, and they stayed.
  if (found == registrations_.end() || found->second.ghost) {
    owed_.insert_or_assign(key, assignment.taken);
    return Lost{key, false};
  }
  Registration& registration = found->second;
  Lease lease;
  lease.attempt = holder.attempts;
  lease.account = assignment.taken.account;
  lease.topic = assignment.taken.topic;
  lease.pool = assignment.taken.pool;
  lease.limit_keys = assignment.taken.limit_keys;
  lease.seq = assignment.claim_seq;
  lease.given_at = now;
  hold(registration, key, std::move(lease));
  Change change(*this, registration);
  check(registration.reserved > 0);
  --registration.reserved;
  if (registration.claim && registration.claim->seq == assignment.claim_seq) {
    --registration.claim->reserved;
    registration.claim->taken.push_back(key);
    answerable_.insert(registration.id);
  }
  return std::nullopt;
}

void Fleet::not_placed(Instant now, const Assignment& assignment) {
  uncount(now, assignment.taken, true);
  auto found = registrations_.find(assignment.registration);
  if (found == registrations_.end() || found->second.ghost) return;
  Registration& registration = found->second;
  {
    Change change(*this, registration);
    check(registration.reserved > 0);
    --registration.reserved;
    if (registration.claim && registration.claim->seq == assignment.claim_seq)
      --registration.claim->reserved;
  }
  answerable_.insert(registration.id);
  serve(now, registration);
}

bool Fleet::answerable(const Registration& registration, Instant now) const {
  if (!registration.claim || registration.claim->reserved > 0) return false;
  if (!registration.claim->taken.empty() || registration.claim->until <= now) return true;
  if ((registration.drained || registration.draining) && !registration.drain_told) return true;
  return !registration.untold.empty();
}

ClaimAnswer Fleet::answer_of(Registration& registration) {
  ClaimAnswer answer;
  answer.registration = registration.id;
  answer.seq = registration.claim->seq;
  for (const LeaseKey& key : registration.claim->taken) {
    auto held = registration.leases.find(key);
    if (held != registration.leases.end() && !held->second.revoked) answer.jobs.push_back(key);
  }
  answer.cancels.assign(registration.untold.begin(), registration.untold.end());
  registration.untold.clear();
  answer.drain = registration.drained || registration.draining;
  registration.drain_told = answer.drain;
  registration.answered_seq = answer.seq;
  end_claim(registration);
  return answer;
}

ClaimAnswer Fleet::repeated(const Registration& registration, uint64_t seq) const {
  ClaimAnswer answer;
  answer.registration = registration.id;
  answer.seq = seq;
  for (const auto& [key, lease] : registration.leases) {
    if (lease.revoked) {
      answer.cancels.push_back(key);
    } else if (lease.seq == seq && seq != 0) {
      answer.jobs.push_back(key);
    }
  }
  answer.drain = registration.drained || registration.draining;
  return answer;
}

std::vector<ClaimAnswer> Fleet::take_answers(Instant now) {
  for (auto end = claim_ends_.begin(); end != claim_ends_.end() && end->first <= now; ++end)
    answerable_.insert(end->second);
  std::vector<ClaimAnswer> answers;
  for (const RegistrationId& id : std::exchange(answerable_, {})) {
    auto found = registrations_.find(id);
    if (found == registrations_.end() || !answerable(found->second, now)) continue;
    answers.push_back(answer_of(found->second));
  }
  return answers;
}

}  // namespace fermata::fleet
