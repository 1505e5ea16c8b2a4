#include <algorithm>

#include "core/fleet/fleet.h"

/// How registrations come and go.
namespace fermata::fleet {

namespace {

/// How long a registration that was replaced is told so; later it is merely unknown.
constexpr Duration replaced_kept{600'000};
/// Of a lease: so many heartbeats.
constexpr int64_t heartbeats_per_lease = 3;

}  // namespace

Fleet::Enrolled Fleet::enroll(Instant now, const RegistrationId& id, WorkerCard card,
                              const std::vector<LeaseKey>& resume) {
  std::vector<RegistrationId> former = former_of(card);
  Enrolled enrolled;
  enrolled.lease_ms = terms_of(card.pool).lease_ms;
  enrolled.heartbeat_ms = enrolled.lease_ms / heartbeats_per_lease;
  Registration fresh;
  fresh.id = id;
  if (auto drained = drained_.find(card.worker); drained != drained_.end()) {
    fresh.drained = true;
    fresh.drain_until = drained->second;
  }
  fresh.card = std::move(card);
  fresh.registered_at = now;
  fresh.last_seen = now;
  fresh.lease_ms = enrolled.lease_ms;
  Registration& registration = add(std::move(fresh));
  for (const RegistrationId& one : former) {
    take_over(registration, one, resume, enrolled);
    replaced_.insert(one);
    replaced_ends_.insert({now + replaced_kept, one});
  }
  for (const LeaseKey& key : resume)
    if (!registration.leases.contains(key)) enrolled.lost.push_back(key);
  unwritten_.insert(id);
  return enrolled;
}

/// Keeps what the worker still knows of; the rest is given up at once.
void Fleet::take_over(Registration& registration, const RegistrationId& former,
                      const std::vector<LeaseKey>& resume, Enrolled& enrolled) {
  Registration& old = registrations_.at(former);
  enrolled.replaced = former;
  enrolled.had_claim = enrolled.had_claim || old.claim.has_value();
  Instant now = registration.last_seen;
  end_claim(old);
  for (const LeaseKey& key : resume) {
    auto held = old.leases.find(key);
    if (held == old.leases.end() || held->second.revoked) continue;
    // Who comes back elsewhere cannot speak for what it had there.
    if (held->second.pool != registration.card.pool) continue;
    Lease lease = std::move(held->second);
    old.leases.erase(held);
    lease.seq = 0;
    hold(registration, key, std::move(lease));
    enrolled.resumed.push_back(key);
  }
  let_all_go(now, old, true, enrolled.given_up);
  remove(now, former);
}

Outcome<std::vector<Lost>> Fleet::dismiss(const RegistrationId& id) {
  if (!registrations_.contains(id))
    return fail(ErrorCode::registration_not_found, "there is no registration " + id.text());
  std::vector<Lost> lost;
  Registration& registration = registrations_.at(id);
  Instant now = registration.last_seen;
  let_all_go(now, registration, false, lost);
  remove(now, id);
  return lost;
}

std::vector<Lost> Fleet::expire(Instant now) {
  std::vector<RegistrationId> silent;
  for (auto end = expiries_.begin(); end != expiries_.end() && end->first <= now; ++end)
    silent.push_back(end->second);
  // None of them gets what another one has to leave.
  for (const RegistrationId& id : silent) end_claim(registrations_.at(id));
  std::vector<Lost> lost;
  for (const RegistrationId& id : silent) {
    let_all_go(now, registrations_.at(id), true, lost);
    remove(now, id);
  }
  end_drains(now, lost);
  match(now, queue_.open_due(now));
  while (!replaced_ends_.empty() && replaced_ends_.begin()->first <= now) {
    replaced_.erase(replaced_ends_.begin()->second);
    replaced_ends_.erase(replaced_ends_.begin());
  }
  return lost;
}

}  // namespace fermata::fleet
