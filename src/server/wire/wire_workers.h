#pragma once
#include <map>

#include "front/cap/incoming.h"
#include "front/cap/outgoing.h"
#include "server/wire/terms.h"

namespace fermata::server {

/// Workers that are known by their heartbeats: registrations of the fleet like any other, for which
/// the gateway claims. Everything happens on the partition's thread.
class WireWorkers {
 public:
  /// `cancelled`: a lease was revoked and its worker is to be told.
  using Cancelled = std::function<void(const WorkerId&, const fleet::LeaseKey&)>;
  /// A job is to be told to its worker; must not block.
  using Dispatch = std::function<void(const Value& job, front::cap::DispatchTerms terms)>;
  WireWorkers(GatewayParts parts, const GatewayOptions& options, Cancelled cancelled,
              Dispatch dispatch)
      : parts_(parts),
        options_(options),
        cancelled_(std::move(cancelled)),
        dispatch_(std::move(dispatch)) {}

  void introduce(const WorkerId& worker, front::cap::Introduction introduction);
  /// `results_pending`: something it said may not have been heard yet.
  void beat(Workers& workers, const cap::Heartbeat& beat, Instant sent_at, bool results_pending);
  void progress(Workers& workers, const WorkerId& worker, const fleet::LeaseKey& lease,
                fleet::Progress progress);
  /// What is said to a worker about one of its attempts.
  front::cap::DispatchTerms terms_of(const WorkerId& worker, const RegistrationId& registration,
                                     bool identity_understood) const;
  bool understands_dispatch(const WorkerId& worker) const;

 private:
  struct Known {
    RegistrationId id;
    fleet::WorkerCard card;
    uint64_t seq = 0;
    bool claiming = false;
    bool was_busy = false;                          ///< has ever reported a job
    std::map<fleet::LeaseKey, uint32_t> unnoticed;  ///< beats that should have counted it
    std::map<fleet::LeaseKey, Instant> revoked_at;  ///< first seen to be
  };

  Known* enrolled(Workers& workers, const fleet::WorkerCard& card);
  Known* adopt(Workers& workers, const fleet::WorkerCard& card);
  void find_undelivered(const fleet::Registration& registration, Known& known,
                        const cap::Heartbeat& beat, Instant sent_at, bool results_pending);
  fleet::Fleet::Beat beat_of(const fleet::Registration& registration, Known& known,
                             const cap::Heartbeat& beat) const;
  void claim(Workers& workers, const WorkerId& worker);
  void answered(const WorkerId& worker, const RegistrationId& id,
                Outcome<Workers::Claimed> claimed);
  void tell(const WorkerId& worker, const Known& known, const Workers::Claimed& claimed);

  GatewayParts parts_;
  const GatewayOptions& options_;
  const Cancelled cancelled_;
  const Dispatch dispatch_;
  std::map<WorkerId, Known> known_;
  std::map<WorkerId, front::cap::Introduction> introduced_;
};

/// True when the name can stand in a subject.
bool is_subject_token(std::string_view name);

}  // namespace fermata::server
