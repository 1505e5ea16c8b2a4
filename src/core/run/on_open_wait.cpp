#include "core/graph/advance.h"
#include "core/graph/wait_plan.h"
#include "core/run/api_waits.h"
#include "core/run/wait_events.h"
#include "core/run/wait_gate.h"

/// Opening waits by the API, and what a callback's answer asks for.
namespace fermata {

namespace {

Failure<Error> refused_config(std::vector<Finding> findings) {
  auto code = error_code_of(findings.front().code).value_or(ErrorCode::invalid_config);
  std::string message = findings.front().message;
  for (Finding& finding : findings) finding.path = "/config" + finding.path;
  return fail(code, std::move(message), std::move(findings));
}

/// A request that was taken already finds its wait, ended or not.
bool is_repeated(const Run& run, const OpenWait& open) {
  return !open.request.empty() && run.signal_ids.contains(taken_request(open.request));
}

Outcome<void> refuse_to_open(const Run& run, const OpenWait& open) {
  if (run.finished()) return fail(ErrorCode::run_finished, "the execution has ended");
  if (run.paused()) return fail(ErrorCode::run_paused, "the execution is paused");
  if (!open.contact_id.empty() && open.contact_id != run.contact_id)
    return fail(ErrorCode::contact_mismatch,
                run.contact_id.empty() ? "the execution is about no contact"
                                       : "the execution is about contact `" + run.contact_id + "`",
                {{"contact_mismatch", "/contact_id", "the execution's contact is another", {}}});
  for (const auto& [key, wait] : run.waits)
    if (wait.step == open.step && is_pending(wait.status))
      return fail(ErrorCode::wait_exists, "occurrence " + std::to_string(wait.occurrence) +
                                              " is pending at step `" + open.step + "`");
  return {};
}

/// What a cancelled wait has left behind: at the same step, or in a run without a program at any
/// (W-64).
const std::pair<const WaitKey, Wait>* left_behind(const Run& run, const std::string& step) {
  const std::pair<const WaitKey, Wait>* other = nullptr;
  for (const auto& entry : run.waits) {
    if (is_pending(entry.second.status)) continue;
    if (entry.second.step == step) return &entry;
    if (run.definition->external && other == nullptr) other = &entry;
  }
  return other;
}

struct Opening {
  WaitRegistered event;
  /// Set when the date has passed, or the contact has none and something else follows from that.
  std::optional<waits::DateReaction> past;
  bool missing = false;
  std::string branch;            ///< that is taken then, or empty
  std::optional<TokenId> token;  ///< that it takes over
};

/// What is the same for every type: its names, and the token that it may take over.
Outcome<Opening> complete_opening(const Step& step, const OpenWait& open, std::string id,
                                  Opening out) {
  const Run& run = step.run;
  if (const auto* left = left_behind(run, open.step)) {
    out.event.takes = left->first.number;
    if (left->first.source == WaitSource::graph) out.token = left->first.number;
  }
  if (out.token && !graph::edges_to(run, *out.token, out.branch))
    return refused_config({{"unknown_step", "/past_step", "no edge of the step leads there", {}}});
  Wait& wait = out.event.wait;
  wait.id = std::move(id);
  wait.step = open.step;
  wait.source = WaitSource::api;
  wait.type = open.type;
  wait.callback = open.callback;
  wait.metadata = open.metadata;
  wait.request = open.request;
  wait.parked = out.token || run.definition->external;
  wait.reached_at = wait.updated_at = step.at;
  return out;
}

Outcome<Opening> plan_opening(const Step& step, const OpenWait& open) {
  const Run& run = step.run;
  FERMATA_TRY_VOID(refuse_to_open(run, open));
  FERMATA_TRY_VOID(refuse_opted_out(step.given, run.workflow));
  std::string id = next_wait_id(run, open.step);
  Opening out;
  if (open.type == "for_event") {
    auto event = plan_api_event(step, open);
    if (!event) return refused_config(std::move(event).error());
    out.event.wait = *std::move(event);
    return complete_opening(step, open, std::move(id), std::move(out));
  }
  auto plan = graph::plan_typed_wait(open.type, open.config, graph::wait_moment(step, step.at, id));
  if (!plan) return refused_config(std::move(plan).error());
  if (auto refusal = graph::refusal_of(*plan, step.at)) return refused_config({*refusal});
  out.missing = plan->missing.has_value();
  if (out.missing) out.past = plan->missing;
  if (!out.missing && plan->past && plan->at <= step.at) out.past = plan->past;
  if (out.past) out.branch = branch_of(*out.past);
  out.event.wait.config = std::move(plan->config);
  out.event.wait.due = plan->at;
  out.event.wait.intent = std::move(plan->intent);
  return complete_opening(step, open, std::move(id), std::move(out));
}

/// A date that had passed before the wait was opened (R7), or that there is not.
void pass_date(Step& step, const Opening& opening) {
  const DateCause cause = cause_of(opening.missing);
  if (opening.token) {
    graph::resume_past_date(step, *opening.token, opening.branch, cause.resumed_by);
  } else {
    WaitEnded ended;
    ended.wait = opening.event.wait.id;
    ended.resumed_by = cause.resumed_by;
    ended.by = opening.event.by;
    if (!opening.branch.empty()) ended.outcome = Value::object({{"branch", opening.branch}});
    step.emit(std::move(ended));
  }
  if (opening.past->action == waits::DateAction::exit) exit_by_wait(step, cause.exit_reason);
  go_on(step);
}

/// A wait that could not be opened is told as one that ended at once.
WaitRegistered failed_opening(const Step& step, const TakeAnswer& answer, const Error& error) {
  WaitRegistered event;
  Wait& wait = event.wait;
  wait.step = answer.step;
  if (answer.next) {
    wait.step = answer.next->step;
    wait.type = answer.next->type;
    wait.config = answer.next->config;
    wait.callback = answer.next->callback;
    wait.metadata = answer.next->metadata;
  }
  wait.id = next_wait_id(step.run, wait.step);
  wait.source = WaitSource::api;
  wait.status = WaitStatus::error;
  wait.parked = false;
  wait.ended_reason = name_of(error.code);
  wait.last_error = error.message;
  wait.reached_at = wait.updated_at = step.at;
  return event;
}

}  // namespace

Outcome<void> on_open_wait(Step& step, const Command& command, const OpenWait& open) {
  if (is_repeated(step.run, open)) return {};
  FERMATA_TRY(opening, plan_opening(step, open));
  size_t listeners = opening.event.wait.listens() ? opening.event.wait.listeners.size() : 0;
  // What goes on at once takes no room.
  if (!opening.past) FERMATA_TRY_VOID(refuse_over_limit(step, listeners));
  step.listeners_opened += static_cast<int64_t>(listeners);
  opening.event.by = command.actor;
  step.emit(opening.event);
  if (opening.past) pass_date(step, opening);
  return {};
}

Outcome<void> on_complete(Step& step, const CompleteRun& complete) {
  if (!step.run.definition->external)
    return fail(ErrorCode::not_external, "the execution has a program, which ends it");
  if (step.run.finished()) return fail(ErrorCode::run_finished, "the execution has ended");
  step.emit(RunCompleted{complete.output});
  return {};
}

Outcome<void> on_take_answer(Step& step, const Command& command, const TakeAnswer& answer) {
  if (step.run.finished()) return fail(ErrorCode::run_finished, "the execution has ended");
  if (answer.complete) return on_complete(step, *answer.complete);
  std::optional<Error> refusal = answer.refusal;
  if (!refusal && answer.next) {
    auto opened = on_open_wait(step, command, *answer.next);
    if (!opened) refusal = std::move(opened).error();
  }
  if (!refusal) return {};
  WaitRegistered failed = failed_opening(step, answer, *refusal);
  failed.by = command.actor;
  step.emit(std::move(failed));
  return {};
}

}  // namespace fermata
