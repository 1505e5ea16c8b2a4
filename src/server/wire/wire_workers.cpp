#include "server/wire/wire_workers.h"

#include <algorithm>

namespace fermata::server {
namespace {

constexpr int64_t claim_wait_ms = 15'000;
constexpr size_t introductions_max = 65'536;
/// A dispatch is under way so long before a worker could count it (C-76).
constexpr Duration delivery_time{2'000};
constexpr uint32_t unnoticed_max = 2;

}  // namespace

bool is_subject_token(std::string_view name) {
  if (name.empty() || name.size() > fleet::worker_id_bytes_max) return false;
  return std::none_of(name.begin(), name.end(), [](char c) {
    return c == '.' || c == '*' || c == '>' || static_cast<unsigned char>(c) <= ' ' || c == 0x7f;
  });
}

void WireWorkers::introduce(const WorkerId& worker, front::cap::Introduction introduction) {
  bool room = introduced_.size() < introductions_max || introduced_.contains(worker);
  if (room) introduced_[worker] = std::move(introduction);
}

front::cap::DispatchTerms WireWorkers::terms_of(const WorkerId& worker,
                                                const RegistrationId& registration,
                                                bool identity_understood) const {
  return {options_.sender, options_.base_url,   options_.account,  worker,
          registration,    identity_understood, parts_.clock.now()};
}

bool WireWorkers::understands_dispatch(const WorkerId& worker) const {
  auto found = known_.find(worker);
  return found != known_.end() &&
         front::cap::introduction_of(found->second.card).understands_dispatch;
}

/// A registration that an earlier life of the server made, or that was stored; what its worker may
/// not have heard of is sent again.
WireWorkers::Known* WireWorkers::adopt(Workers& workers, const fleet::WorkerCard& card) {
  for (const auto& [id, registration] : workers.fleet().registrations()) {
    const fleet::WorkerCard& has = registration.card;
    bool same = has.worker == card.worker && has.accounts == card.accounts;
    if (!same || registration.ghost || !front::cap::is_wire_worker(has)) continue;
    auto missed = workers.outstanding(id, std::nullopt);
    if (!missed) return nullptr;
    Known& known = known_[card.worker];
    known = {};
    known.id = id;
    known.card = has;
    known.seq = missed->seq;
    tell(card.worker, known, *missed);
    return &known;
  }
  return nullptr;
}

WireWorkers::Known* WireWorkers::enrolled(Workers& workers, const fleet::WorkerCard& card) {
  auto found = known_.find(card.worker);
  Known* known = found == known_.end() ? nullptr : &found->second;
  if (known && !workers.fleet().find(known->id)) known = nullptr;
  if (!known) known = adopt(workers, card);
  if (known && known->card == card) return known;
  // A worker that is not what it was keeps what it holds.
  std::vector<fleet::LeaseKey> resume;
  if (known)
    if (const fleet::Registration* former = workers.fleet().find(known->id))
      for (const auto& [key, lease] : former->leases) resume.push_back(key);
  Known fresh;
  fresh.id = RegistrationId(options_.new_id());
  fresh.card = card;
  fresh.was_busy = known && known->was_busy;
  workers.enroll(fresh.id, card, resume);
  return &(known_[card.worker] = std::move(fresh));
}

void WireWorkers::find_undelivered(const fleet::Registration& registration, Known& known,
                                   const cap::Heartbeat& beat, Instant sent_at,
                                   bool results_pending) {
  std::erase_if(known.unnoticed,
                [&](const auto& one) { return !registration.leases.contains(one.first); });
  if (beat.active_jobs > 0) {
    known.was_busy = true;
    known.unnoticed.clear();
    return;
  }
  // One that always says 0 says nothing.
  if (!known.was_busy || results_pending) return;
  for (const auto& [key, lease] : registration.leases) {
    if (lease.revoked || sent_at < lease.given_at + delivery_time) continue;
    if (++known.unnoticed[key] < unnoticed_max) continue;
    job::Command command{key.job, job::MarkUndelivered{key.fence}};
    (void)parts_.jobs.submit_job(std::move(command), [](const Outcome<JobTold>&) {});
  }
}

/// On the wire a heartbeat names no leases: it stands for all of them. One that was revoked is let
/// go when its worker has had a lease's time to say that it stopped.
fleet::Fleet::Beat WireWorkers::beat_of(const fleet::Registration& registration, Known& known,
                                        const cap::Heartbeat& beat) const {
  fleet::Fleet::Beat out;
  out.last_seq = UINT64_MAX;
  out.load = front::cap::load_of(beat, registration.leases.size());
  Instant now = parts_.clock.now();
  std::erase_if(known.revoked_at,
                [&](const auto& one) { return !registration.leases.contains(one.first); });
  for (const auto& [key, lease] : registration.leases) {
    if (lease.revoked) {
      Instant since = known.revoked_at.try_emplace(key, now).first->second;
      if (now >= since + Duration{registration.lease_ms}) continue;
    }
    out.leases.push_back({key, {}});
  }
  return out;
}

void WireWorkers::beat(Workers& workers, const cap::Heartbeat& beat, Instant sent_at,
                       bool results_pending) {
  WorkerId worker(beat.worker_id);
  auto introduced = introduced_.find(worker);
  front::cap::Introduction introduction;
  if (introduced != introduced_.end()) {
    introduction = introduced->second;
  } else if (auto found = known_.find(worker); found != known_.end()) {
    introduction = front::cap::introduction_of(found->second.card);
  } else if (Known* stored = adopt(workers, front::cap::card_of(beat, {}, options_.account))) {
    introduction = front::cap::introduction_of(stored->card);
  }
  fleet::WorkerCard card = front::cap::card_of(beat, introduction, options_.account);
  if (auto findings = fleet::check_card(card); !findings.empty()) {
    if (options_.warn)
      options_.warn("A worker's heartbeat cannot be used",
                    beat.worker_id.substr(0, fleet::worker_id_bytes_max) + ": " + findings[0].path +
                        ": " + findings[0].message);
    return;
  }
  Known* known = enrolled(workers, card);
  const fleet::Registration* registration = workers.fleet().find(known->id);
  if (!registration) return;
  find_undelivered(*registration, *known, beat, sent_at, results_pending);
  auto answer = workers.heartbeat(known->id, beat_of(*registration, *known, beat));
  if (!answer) return;
  for (const fleet::LeaseKey& lease : answer->cancels) cancelled_(worker, lease);
  claim(workers, worker);
}

void WireWorkers::progress(Workers& workers, const WorkerId& worker, const fleet::LeaseKey& lease,
                           fleet::Progress progress) {
  auto found = known_.find(worker);
  if (found == known_.end()) return;
  auto renewed = workers.renew(found->second.id, lease, std::move(progress));
  if (renewed && *renewed == fleet::Fleet::Renewal::cancel) cancelled_(worker, lease);
}

void WireWorkers::claim(Workers& workers, const WorkerId& worker) {
  auto found = known_.find(worker);
  if (found == known_.end() || found->second.claiming) return;
  Known& known = found->second;
  known.claiming = true;
  uint32_t slots = std::min(known.card.max_parallel, fleet::claim_slots_max);
  workers.await(known.id, ++known.seq, slots, claim_wait_ms,
                [this, worker, id = known.id](Outcome<Workers::Claimed> claimed) {
                  answered(worker, id, std::move(claimed));
                });
}

void WireWorkers::answered(const WorkerId& worker, const RegistrationId& id,
                           Outcome<Workers::Claimed> claimed) {
  auto found = known_.find(worker);
  if (found == known_.end() || found->second.id != id) return;
  found->second.claiming = false;
  // Whoever is gone is enrolled again by its next heartbeat.
  if (!claimed) return;
  tell(worker, found->second, *claimed);
  (void)parts_.jobs.with_workers([this, worker](Workers& workers) { claim(workers, worker); });
}

void WireWorkers::tell(const WorkerId& worker, const Known& known,
                       const Workers::Claimed& claimed) {
  bool understood = front::cap::introduction_of(known.card).understands_dispatch;
  for (const Value& job : claimed.jobs) dispatch_(job, terms_of(worker, known.id, understood));
  for (const fleet::LeaseKey& lease : claimed.cancels) cancelled_(worker, lease);
}

}  // namespace fermata::server
