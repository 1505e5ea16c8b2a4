#include "core/fleet/fleet.h"

/// Workers and pools that are to get nothing more.
namespace fermata::fleet {

void Fleet::drain(Instant now, const WorkerId& worker, bool on, std::optional<Instant> until) {
  if (on) {
    drained_[worker] = until;
  } else {
    drained_.erase(worker);
  }
  auto known = by_worker_.find(worker);
  if (known == by_worker_.end()) return;
  for (const RegistrationId& id : known->second) {
    Registration& registration = registrations_.at(id);
    registration.drained = on;
    registration.drain_until = on ? until : std::nullopt;
    registration.drain_told = false;
    enlist(now, registration);
    unwritten_.insert(id);
    answerable_.insert(id);
    if (!on) serve(now, registration);
  }
}

void Fleet::end_drains(Instant now, std::vector<Lost>& lost) {
  auto take_away = [&](const Registration& registration, const std::string* pool) {
    for (const auto& [key, lease] : registration.leases)
      if (!lease.revoked && (!pool || lease.pool == *pool)) lost.push_back({key, false});
  };
  for (auto& [worker, until] : drained_) {
    if (!until || *until > now) continue;
    until.reset();
    auto known = by_worker_.find(worker);
    if (known == by_worker_.end()) continue;
    for (const RegistrationId& id : known->second) {
      Registration& registration = registrations_.at(id);
      registration.drain_until.reset();
      unwritten_.insert(id);
      take_away(registration, nullptr);
    }
  }
  for (const auto& [name, pool] : queue_.table().pools) {
    bool over = pool.status == PoolStatus::draining && pool.drain_until && *pool.drain_until <= now;
    if (!over || !pools_drained_.insert(name).second) continue;
    for (const auto& [id, registration] : registrations_) take_away(registration, &name);
  }
}

std::optional<Instant> Fleet::next_drain_end() const {
  std::optional<Instant> next;
  auto consider = [&](std::optional<Instant> until) {
    if (until && (!next || *until < *next)) next = until;
  };
  for (const auto& [worker, until] : drained_) consider(until);
  for (const auto& [name, pool] : queue_.table().pools)
    if (pool.status == PoolStatus::draining && !pools_drained_.contains(name))
      consider(pool.drain_until);
  return next;
}

}  // namespace fermata::fleet
