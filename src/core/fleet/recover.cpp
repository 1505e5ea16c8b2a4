#include <algorithm>

#include "core/fleet/fleet.h"

/// What the fleet is after a start, and what it leaves in the store for the next one.
namespace fermata::fleet {

void Fleet::restore(Instant now, const RegistrationRecord& record) {
  // Whoever has spoken already knows better than what was written.
  if (registrations_.contains(record.id) || !former_of(record.card).empty()) return;
  Registration registration;
  registration.id = record.id;
  registration.card = record.card;
  registration.load = record.load;
  registration.registered_at = record.registered_at;
  registration.last_seen = now;
  registration.lease_ms = record.lease_ms;
  registration.drained = record.drained;
  registration.drain_until = record.drain_until;
  registration.alive = false;
  registration.written_at = now;
  if (record.drained) drained_[record.card.worker] = record.drain_until;
  add(std::move(registration));
}

/// The registration that holds a lease now: the one it was given to, or one of the same worker that
/// took it over. Its job has not been told of that.
Registration& Fleet::holder_of(Instant now, const job::Summary& holder) {
  if (auto named = registrations_.find(holder.registration); named != registrations_.end())
    return named->second;
  if (auto same = by_worker_.find(holder.worker); same != by_worker_.end())
    for (const RegistrationId& id : same->second) {
      Registration& one = registrations_.at(id);
      const auto& accounts = one.card.accounts;
      bool theirs = accounts.empty() || std::find(accounts.begin(), accounts.end(),
                                                  holder.account.text()) != accounts.end();
      if (!one.ghost && theirs && one.card.pool == holder.pool) return one;
    }
  Registration ghost;
  ghost.id = holder.registration;
  ghost.card.worker = holder.worker;
  ghost.card.pool = holder.pool;
  ghost.card.max_parallel = 0;
  ghost.registered_at = now;
  ghost.last_seen = now;
  ghost.lease_ms = holder.lease_ms;
  ghost.alive = false;
  ghost.ghost = true;
  return add(std::move(ghost));
}

void Fleet::adopt(Instant now, const job::Summary& holder) {
  LeaseKey key{holder.id, holder.fence};
  if (holder.fence == 0 || holders_.contains(key) || owed_.contains(key)) return;
  Registration& registration = holder_of(now, holder);
  Lease lease;
  lease.attempt = holder.attempts;
  lease.account = holder.account;
  lease.topic = holder.topic;
  lease.pool = holder.pool;
  for (const job::Concurrency& limit : limits_of(holder)) lease.limit_keys.push_back(limit.key);
  lease.given_at = now;
  lease.seen = holder.started;
  if (registration.id == holder.registration) {
    lease.seq = holder.claim_seq;
    registration.answered_seq = std::max(registration.answered_seq, holder.claim_seq);
  }
  queue_.adopt(now, {lease.account, lease.pool, lease.topic, lease.limit_keys});
  hold(registration, key, std::move(lease));
}

std::vector<RegistrationRecord> Fleet::unwritten(Instant now) {
  std::vector<RegistrationRecord> records;
  for (auto id = unwritten_.begin(); id != unwritten_.end();) {
    Registration& registration = registrations_.at(*id);
    if (registration.ghost) {
      id = unwritten_.erase(id);
      continue;
    }
    bool early = registration.written_at &&
                 now < *registration.written_at + Duration{settings_.load_write_ms};
    if (early) {
      ++id;
      continue;
    }
    registration.written_at = now;
    records.push_back({registration.id, registration.card, registration.load,
                       registration.registered_at, registration.lease_ms, registration.drained,
                       registration.drain_until});
    id = unwritten_.erase(id);
  }
  return records;
}

void Fleet::not_written(const std::vector<RegistrationRecord>& records,
                        const std::vector<RegistrationId>& forgotten) {
  // Perhaps they were, and nobody knows: should they go now, they are to be forgotten.
  for (const RegistrationRecord& record : records)
    if (registrations_.contains(record.id)) unwritten_.insert(record.id);
  forgotten_.insert(forgotten_.end(), forgotten.begin(), forgotten.end());
}

std::optional<Instant> Fleet::next_write() const {
  if (!forgotten_.empty()) return Instant{0};
  std::optional<Instant> next;
  for (const RegistrationId& id : unwritten_) {
    const Registration& registration = registrations_.at(id);
    Instant at = registration.written_at
                     ? *registration.written_at + Duration{settings_.load_write_ms}
                     : Instant{0};
    if (!next || at < *next) next = at;
  }
  return next;
}

std::vector<RegistrationId> Fleet::forgotten() { return std::exchange(forgotten_, {}); }

}  // namespace fermata::fleet
