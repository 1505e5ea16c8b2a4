#include "base/check.h"
#include "core/fleet/fleet.h"

/// Who holds what.
namespace fermata::fleet {

void Fleet::hold(Registration& registration, const LeaseKey& key, Lease lease) {
  Change change(*this, registration);
  holders_[key] = registration.id;
  registration.leases.insert_or_assign(key, std::move(lease));
}

void Fleet::let_go(Instant now, Registration& registration, const LeaseKey& key, bool owed) {
  auto found = registration.leases.find(key);
  check(found != registration.leases.end());
  Lease lease = std::move(found->second);
  {
    Change change(*this, registration);
    registration.leases.erase(found);
    registration.untold.erase(key);
    holders_.erase(key);
  }
  Queue::Counted counted{lease.account, lease.pool, lease.topic, lease.limit_keys};
  if (owed) {
    owed_.insert_or_assign(key, std::move(counted));
  } else {
    uncount(now, counted, false);
  }
}

bool Fleet::pay(Instant now, const LeaseKey& lease) {
  auto found = owed_.find(lease);
  if (found == owed_.end()) return false;
  Queue::Counted counted = std::move(found->second);
  owed_.erase(found);
  uncount(now, counted, false);
  return true;
}

void Fleet::let_all_go(Instant now, Registration& registration, bool counted,
                       std::vector<Lost>& lost) {
  end_claim(registration);
  std::vector<std::pair<LeaseKey, bool>> held;
  for (const auto& [key, lease] : registration.leases) {
    held.emplace_back(key, !lease.revoked);
    if (!lease.revoked) lost.push_back({key, counted});
  }
  // A job that does not know yet holds its place within the limits.
  for (const auto& [key, owed] : held) let_go(now, registration, key, owed);
}

void Fleet::uncount(Instant now, const Queue::Counted& counted, bool tokens_back) {
  // One more lease is allowed: somebody may have waited for just that.
  match(now, queue_.give_back(now, counted, tokens_back));
}

void Fleet::revoke(Instant now, const LeaseKey& lease) {
  if (pay(now, lease)) return;
  auto holder = holders_.find(lease);
  if (holder == holders_.end()) return;
  Registration& registration = registrations_.at(holder->second);
  Lease& held = registration.leases.at(lease);
  if (held.revoked) return;
  held.revoked = true;
  registration.untold.insert(lease);
  answerable_.insert(registration.id);
}

void Fleet::free(Instant now, const LeaseKey& lease, bool refused) {
  if (pay(now, lease)) return;
  auto holder = holders_.find(lease);
  if (holder == holders_.end()) return;
  Registration& registration = registrations_.at(holder->second);
  const std::string topic = registration.leases.at(lease).topic;
  if (!refused) {
    registration.refusals.erase(topic);
  } else {
    Registration::Refusals& refusals = registration.refusals[topic];
    if (++refusals.in_a_row >= settings_.refusals_max) {
      refusals.in_a_row = 0;
      refusals.passed_over_until = now + Duration{settings_.passed_over_ms};
    }
  }
  let_go(now, registration, lease);
  serve(now, registration);
}

bool Fleet::note_invalid_report(const LeaseKey& lease) {
  auto holder = holders_.find(lease);
  if (holder == holders_.end()) return false;
  Lease& held = registrations_.at(holder->second).leases.at(lease);
  return !held.revoked && ++held.invalid_reports == settings_.invalid_reports_max;
}

}  // namespace fermata::fleet
