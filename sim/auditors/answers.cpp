#include "sim/auditors/answers.h"

#include "core/run/history.h"

namespace fermata::sim {

namespace {

[[noreturn]] void lied(const Command& command, const std::string& reason) {
  throw Violation{"a caller of " + command.run.text() + " was told what is not so: " + reason};
}

/// A script that is cancelled runs its `finally` blocks first (F-53).
bool cleans_up(const StoredRun& stored) {
  for (const HistoryChunk& chunk : stored.history) {
    auto events = decode_history(chunk);
    if (!events) continue;
    for (const Event& event : *events)
      if (std::holds_alternative<FlowEnding>(event.body)) return true;
  }
  return false;
}

void audit_success(const StoredRun* stored, const Command& command, const RunSummary& told,
                   const ProbeHook& probe) {
  if (!stored) lied(command, "the run is not stored");
  if (told.id != command.run) lied(command, "this is another run");
  if (stored->summary.last_sequence < told.last_sequence)
    lied(command, "sequence " + std::to_string(told.last_sequence) + " is not stored");
  if (stored->summary.last_sequence == told.last_sequence && stored->summary != told)
    lied(command, "the summary is another");
  if (is_terminal(told.status) && stored->summary != told) lied(command, "the end is another");
  if (const auto* start = std::get_if<StartRun>(&command.body)) {
    // What comes from outside joins a run that another message has begun.
    if (!start->arrival && stored->summary.request_hash != start->request_hash)
      lied(command, "the run was started by another request");
    if (told.last_sequence > 0 && stored->version > 1) probe(Probe::start_repeated);
  }
  const auto* cancel = std::get_if<CancelRun>(&command.body);
  SagaStatus saga = stored->summary.saga;
  bool undone = saga == SagaStatus::rolling_back || saga == SagaStatus::parked;
  if (cancel && !undone && !is_terminal(stored->summary.status) &&
      (cancel->force || !cleans_up(*stored)))
    lied(command, "the run was not cancelled");
}

}  // namespace

void audit_answer(const SimStore& store, const Command& command, const Outcome<RunSummary>& answer,
                  const ProbeHook& probe) {
  const StoredRun* stored = store.truth(command.run);
  if (answer) return audit_success(stored, command, *answer, probe);
  switch (answer.error().code) {
    case ErrorCode::idempotency_key_reused: {
      const auto* start = std::get_if<StartRun>(&command.body);
      if (!start || !stored || stored->summary.request_hash == start->request_hash)
        lied(command, "it was no other request");
      probe(Probe::start_refused);
      return;
    }
    case ErrorCode::run_finished:
      if (!stored || !is_terminal(stored->summary.status)) lied(command, "the run has not ended");
      return;
    case ErrorCode::store_unavailable:
    case ErrorCode::outcome_unknown:
    case ErrorCode::execution_not_found:
    case ErrorCode::run_not_paused:
    case ErrorCode::wait_ended:
    case ErrorCode::run_paused:
    case ErrorCode::type_fixed:
    case ErrorCode::wait_exists:
    case ErrorCode::contact_opted_out: return;
    case ErrorCode::activation_closed:
      if (!std::holds_alternative<TakeHop>(command.body)) lied(command, "nothing was closed");
      return;
    case ErrorCode::wait_limit_account:
    case ErrorCode::wait_limit_execution:
      if (!std::holds_alternative<OpenWait>(command.body)) lied(command, "it opens no wait");
      return;
    case ErrorCode::undo_not_parked:
    case ErrorCode::run_rolling_back:
      if (stored && stored->summary.saga == SagaStatus::none) lied(command, "nothing is undone");
      return;
    case ErrorCode::approval_not_pending:
    case ErrorCode::approval_by_submitter:
    case ErrorCode::approval_stale_request:
      if (!std::holds_alternative<AnswerApproval>(command.body)) lied(command, "it was no answer");
      return;
    default: lied(command, "an unexpected refusal: " + answer.error().message);
  }
}

}  // namespace fermata::sim
