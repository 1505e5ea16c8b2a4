#pragma once
#include "core/fleet/worker.h"
#include "core/job/report.h"
#include "front/cap/identity.h"
#include "front/job_request.h"

/// What submitters and workers say on the wire, as the commands and cards of the engine.
namespace fermata::front::cap {

struct WireSubmission {
  JobSubmission job;
  size_t labels_stripped = 0;  ///< reserved ones, which only the engine sets
};
/// The same checks as for `POST /jobs`. `message_id` names a job that has neither an id nor a key.
/// Fails with account_mismatch when the packet is another tenant's.
Outcome<WireSubmission> read_submission(const fermata::cap::Packet& packet,
                                        const fermata::cap::JobRequest& request,
                                        const AccountId& account, const std::string& message_id,
                                        const job::RequestLimits& limits);

/// True for what is no end: a result that says so is progress.
bool is_progress(fermata::cap::Status status);
/// The end of an attempt without its output, which lies elsewhere. Fails with invalid_field.
Outcome<job::Report> read_report(const fermata::cap::JobResult& result);

/// What a worker said of itself before it began.
struct Introduction {
  std::vector<std::string> ready_topics{};
  std::string sdk_version{};
  bool understands_dispatch = false;
  bool operator==(const Introduction&) const = default;
};
Introduction read_introduction(const fermata::cap::Handshake& handshake);
/// Normalised; look at fleet::check_card before it is used.
fleet::WorkerCard card_of(const fermata::cap::Heartbeat& beat, const Introduction& introduction,
                          const AccountId& account);
/// True for the card of a worker that is reached by the wire.
bool is_wire_worker(const fleet::WorkerCard& card);
/// What a card that `card_of` made still tells of the introduction, after a restart.
Introduction introduction_of(const fleet::WorkerCard& card);
/// `leases`: of the jobs it reports, those that the engine gave it.
fleet::Load load_of(const fermata::cap::Heartbeat& beat, size_t leases);

}  // namespace fermata::front::cap
