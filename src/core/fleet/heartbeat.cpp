#include <set>

#include "core/fleet/fleet.h"

/// What a worker says of itself and its leases while it works.
namespace fermata::fleet {

namespace {

/// Leases the worker should know of and does not name.
void find_missing(const Registration& registration, const std::set<LeaseKey>& named,
                  uint64_t last_seq, std::vector<LeaseKey>& acknowledged,
                  Fleet::BeatAnswer& answer) {
  for (const auto& [key, lease] : registration.leases) {
    if (named.contains(key) || lease.seq > last_seq) continue;
    if (lease.revoked) {
      acknowledged.push_back(key);
    } else if (lease.seen) {
      answer.forgotten.push_back({key, true});
    } else {
      answer.undelivered.push_back(key);
    }
  }
}

}  // namespace

Outcome<Fleet::BeatAnswer> Fleet::heartbeat(Instant now, const RegistrationId& id,
                                            const Beat& beat) {
  FERMATA_TRY(registration, speaking(now, id));
  BeatAnswer answer;
  answer.lease_ms = registration->lease_ms;
  std::set<LeaseKey> named;
  for (const Listed& listed : beat.leases) {
    named.insert(listed.lease);
    auto held = registration->leases.find(listed.lease);
    if (held == registration->leases.end()) {
      answer.lost.push_back(listed.lease);
      continue;
    }
    Lease& lease = held->second;
    if (listed.progress.percent || !listed.progress.message.empty())
      lease.progress = listed.progress;
    if (lease.revoked) {
      registration->untold.erase(listed.lease);
      answer.cancels.push_back(listed.lease);
    } else if (!lease.seen) {
      lease.seen = true;
      answer.started.push_back(listed.lease);
    }
  }
  std::vector<LeaseKey> acknowledged;
  find_missing(*registration, named, beat.last_seq, acknowledged, answer);
  for (const LeaseKey& key : acknowledged) free(now, key, false);
  {
    Change change(*this, *registration);
    if (beat.load && *beat.load != registration->load) {
      registration->load = *beat.load;
      unwritten_.insert(id);
    }
    if (beat.draining && *beat.draining != registration->draining) {
      registration->draining = *beat.draining;
      answerable_.insert(id);
    }
  }
  enlist(now, *registration);
  serve(now, *registration);
  answer.drain = registration->drained;
  return answer;
}

Outcome<Fleet::Renewed> Fleet::renew(Instant now, const RegistrationId& id, const LeaseKey& key,
                                     Progress progress) {
  FERMATA_TRY(registration, speaking(now, id));
  Renewed renewed;
  auto held = registration->leases.find(key);
  if (held == registration->leases.end()) return renewed;
  Lease& lease = held->second;
  if (progress.percent || !progress.message.empty() || !progress.partial.is_null())
    lease.progress = std::move(progress);
  if (lease.revoked) {
    registration->untold.erase(key);
    renewed.answer = Renewal::cancel;
    return renewed;
  }
  renewed.answer = Renewal::ok;
  renewed.started = !lease.seen;
  lease.seen = true;
  return renewed;
}

}  // namespace fermata::fleet
