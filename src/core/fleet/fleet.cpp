#include "core/fleet/fleet.h"

#include <algorithm>

#include "base/check.h"

namespace fermata::fleet {

namespace {

/// A worker's id means something among those who do jobs for the same accounts.
std::string name_of_worker(const WorkerCard& card) {
  std::string name;
  for (const std::string& account : card.accounts) name.append(account).push_back('\n');
  return name.append("\n").append(card.worker.text());
}

}  // namespace

uint32_t Registration::free_slots() const {
  uint64_t used = leases.size() + reserved;
  return used < card.max_parallel ? static_cast<uint32_t>(card.max_parallel - used) : 0;
}

uint64_t Registration::active() const { return leases.size() + reserved + load.external_jobs; }

uint64_t Registration::score() const { return 1'000 * active() + load.cpu + load.gpu; }

bool Registration::overloaded() const {
  constexpr uint32_t busy = 900;  // tenths of a percent
  if (load.cpu >= busy || load.gpu >= busy) return true;
  // Who claims says how much it bears; who is streamed to keeps a tenth free.
  return claim && claim->push && 10 * active() >= 9 * uint64_t{card.max_parallel};
}

Fleet::Change::Change(Fleet& fleet, Registration& registration)
    : fleet_(fleet), registration_(registration) {
  auto waiting = fleet_.waiting_.find(registration_.profile);
  if (waiting != fleet_.waiting_.end()) waiting->second.erase(fleet_.waiting_of(registration_));
}

Fleet::Change::~Change() {
  if (fleet_.can_take(registration_))
    fleet_.waiting_[registration_.profile].insert(fleet_.waiting_of(registration_));
}

PoolTerms Fleet::terms_of(const std::string& pool) const {
  auto named = settings_.pools.find(pool);
  if (named == settings_.pools.end()) named = settings_.pools.find(std::string(default_pool));
  PoolTerms terms = named != settings_.pools.end() ? named->second : PoolTerms{};
  const Pool& known = queue_.table().pool(pool);
  if (known.lease_ms) terms.lease_ms = *known.lease_ms;
  if (known.run_timeout_ms) terms.run_timeout_ms = known.run_timeout_ms;
  if (known.start_timeout_ms) terms.start_timeout_ms = known.start_timeout_ms;
  return terms;
}

const Registration* Fleet::find(const RegistrationId& id) const {
  auto found = registrations_.find(id);
  return found != registrations_.end() ? &found->second : nullptr;
}

const Lease* Fleet::find_lease(const LeaseKey& lease) const {
  auto holder = holders_.find(lease);
  if (holder == holders_.end()) return nullptr;
  return &registrations_.at(holder->second).leases.at(lease);
}

std::optional<Instant> Fleet::next_due() const {
  std::optional<Instant> due;
  if (!expiries_.empty()) due = expiries_.begin()->first;
  for (std::optional<Instant> other : {queue_.next_due(), next_drain_end()})
    if (other && (!due || *other < *due)) due = other;
  for (const auto& [end, id] : claim_ends_) {
    // One whose jobs are being stored is answered by that, however long it takes.
    if (registrations_.at(id).claim->reserved > 0) continue;
    return due && *due < end ? *due : end;
  }
  return due;
}

Fleet::Waiting Fleet::waiting_of(const Registration& registration) const {
  return {registration.score(), registration.last_assigned, registration.card.worker,
          registration.id};
}

bool Fleet::can_take(const Registration& registration) const {
  if (!registration.claim || registration.profile == 0 || registration.overloaded()) return false;
  const Claim& claim = *registration.claim;
  return claim.taken.size() + claim.reserved < claim.slots && registration.free_slots() > 0;
}

Registration& Fleet::add(Registration registration) {
  RegistrationId id = registration.id;
  if (!registration.ghost) by_name_[name_of_worker(registration.card)] = id;
  by_worker_[registration.card.worker].insert(id);
  expiries_.insert({registration.expires_at(), id});
  auto [added, fresh] = registrations_.emplace(id, std::move(registration));
  check(fresh);
  enlist(added->second.last_seen, added->second);
  return added->second;
}

void Fleet::enlist(Instant now, Registration& registration) {
  bool wanted = !registration.ghost && !registration.draining && !registration.drained;
  if (wanted == (registration.profile != 0)) return;
  Change change(*this, registration);
  if (wanted) {
    registration.profile = queue_.join(registration.card);
    return;
  }
  Queue::ProfileId left = std::exchange(registration.profile, 0);
  queue_.leave(now, left);
  if (auto waiting = waiting_.find(left); waiting != waiting_.end() && waiting->second.empty())
    waiting_.erase(waiting);
}

void Fleet::remove(Instant now, const RegistrationId& id) {
  Registration& registration = registrations_.at(id);
  check(registration.leases.empty() && !registration.claim);
  auto name = by_name_.find(name_of_worker(registration.card));
  if (name != by_name_.end() && name->second == id) by_name_.erase(name);
  auto worker = by_worker_.find(registration.card.worker);
  worker->second.erase(id);
  if (worker->second.empty()) by_worker_.erase(worker);
  expiries_.erase({registration.expires_at(), id});
  answerable_.erase(id);
  unwritten_.erase(id);
  if (registration.written_at) forgotten_.push_back(id);
  registration.draining = true;
  enlist(now, registration);
  registrations_.erase(id);
}

void Fleet::touch(Registration& registration, Instant now) {
  registration.alive = true;
  if (now <= registration.last_seen) return;
  expiries_.erase({registration.expires_at(), registration.id});
  registration.last_seen = now;
  expiries_.insert({registration.expires_at(), registration.id});
}

Outcome<Registration*> Fleet::speaking(Instant now, const RegistrationId& id) {
  FERMATA_TRY(registration, known(id));
  touch(*registration, now);
  return registration;
}

Outcome<Registration*> Fleet::known(const RegistrationId& id) {
  if (auto found = registrations_.find(id); found != registrations_.end()) return &found->second;
  if (replaced_.contains(id))
    return fail(ErrorCode::registration_replaced,
                "another process has registered under this worker's id");
  return fail(ErrorCode::registration_not_found, "there is no registration " + id.text());
}

Outcome<const Registration*> Fleet::speak(Instant now, const RegistrationId& id) {
  FERMATA_TRY(registration, speaking(now, id));
  return static_cast<const Registration*>(registration);
}

std::vector<RegistrationId> Fleet::former_of(const WorkerCard& card) const {
  std::vector<RegistrationId> former;
  if (auto named = by_name_.find(name_of_worker(card)); named != by_name_.end())
    former.push_back(named->second);
  auto same = by_worker_.find(card.worker);
  if (same == by_worker_.end()) return former;
  // What is known from leases alone is the worker's if all of those may be.
  auto may_do = [&](const auto& held) {
    return card.accounts.empty() || std::find(card.accounts.begin(), card.accounts.end(),
                                              held.second.account.text()) != card.accounts.end();
  };
  for (const RegistrationId& id : same->second) {
    const Registration& one = registrations_.at(id);
    if (one.ghost && std::all_of(one.leases.begin(), one.leases.end(), may_do))
      former.push_back(id);
  }
  return former;
}

}  // namespace fermata::fleet
