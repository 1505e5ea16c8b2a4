#include <charconv>

#include "base/overloaded.h"
#include "core/flow/durable/activate.h"
#include "core/flow/durable/awaitable_errors.h"
#include "core/run/api_waits.h"
#include "core/run/script_asks.h"
#include "core/run/script_events.h"
#include "core/run/script_migration.h"
#include "core/run/step.h"
#include "core/run/wait_events.h"
#include "core/saga/saga.h"

/// Commands to a run of a script. They change its records; then the machine runs, in the same
/// decision, if a fiber can go on (F-42).
namespace fermata {

namespace {

using flow::AwaitableKind;
using flow::AwaitableStatus;

Outcome<void> refuse_ended(const Run& run) {
  if (run.finished()) return fail(ErrorCode::run_finished, "the execution has ended");
  return {};
}

/// What an event changed may have made the script ask for something.
template <class E>
void emit(Step& step, E event) {
  step.emit(std::move(event));
  tell_asks(step, std::exchange(step.run.script_asks, {}));
}

/// The awaitable that `ref`, its number, names, if it is still open.
Outcome<uint32_t> awaited(const Run& run, std::string_view ref, AwaitableKind kind) {
  FERMATA_TRY_VOID(refuse_ended(run));
  uint32_t number = 0;
  auto read = std::from_chars(ref.data(), ref.data() + ref.size(), number);
  bool whole = read.ec == std::errc() && read.ptr == ref.data() + ref.size();
  auto found = run.script->awaitables.find(number);
  bool open = whole && found != run.script->awaitables.end() && found->second.kind == kind &&
              found->second.pending();
  if (!open) return fail(ErrorCode::activation_closed, "this work is no longer awaited");
  return number;
}

void settle(Step& step, uint32_t number, AwaitableStatus status, Value result) {
  settle_awaited(step, number, status, std::move(result));
}

Outcome<void> on_job(Step& step, const SettleJob& job) {
  if (saga::settle_member(step, job)) return {};
  std::string_view own = step.run.id.text();
  std::string_view id = job.job.text();
  bool ours = id.size() > own.size() && id.starts_with(own) && id[own.size()] == '.';
  auto open =
      awaited(step.run, ours ? id.substr(own.size() + 1) : std::string_view(), AwaitableKind::task);
  bool noted = saga::note_unawaited(step, job);
  if (!open && noted) return {};
  if (!open) return Failure{open.error()};
  uint32_t number = *open;
  if (job.state == "SUCCEEDED") {
    settle(step, number, AwaitableStatus::completed, job.output);
    return {};
  }
  if (job.state == "CANCELLED") {
    settle(step, number, AwaitableStatus::cancelled,
           flow::cancelled_error("the job was cancelled"));
    return {};
  }
  flow::TaskEnd end;
  end.task = step.run.script->awaitables.at(number).name;
  end.reported = job.error;
  end.attempts = job.attempts;
  if (job.state == "TIMEOUT") end.how = flow::TaskFailure::timed_out;
  if (job.state == "DENIED") end.how = flow::TaskFailure::denied;
  if (job.state == "OUTPUT_QUARANTINED") end.how = flow::TaskFailure::quarantined;
  Value error = flow::task_error(end);
  if (job.fatal) {
    saga::request(step, "failed_fatal", std::string(end.task), "job " + job.job.text());
    fail_script(step, std::move(error));
    return {};
  }
  settle(step, number, AwaitableStatus::failed, std::move(error));
  return {};
}

Outcome<void> on_child(Step& step, const SettleChild& child) {
  FERMATA_TRY(number, awaited(step.run, child.ref, AwaitableKind::child));
  std::string name = step.run.script->awaitables.at(number).name;
  if (child.status == "completed") {
    settle(step, number, AwaitableStatus::completed, child.output);
  } else if (child.status == "cancelled") {
    settle(step, number, AwaitableStatus::cancelled,
           flow::cancelled_error("the child was cancelled"));
  } else {
    settle(step, number, AwaitableStatus::failed,
           flow::child_error(name, child.error, child.status == "timed_out"));
  }
  return {};
}

Outcome<void> on_sent(Step& step, const SettleSignal& sent) {
  FERMATA_TRY(number, awaited(step.run, sent.ref, AwaitableKind::send));
  if (sent.delivered) {
    settle(step, number, AwaitableStatus::completed, Value());
  } else {
    settle(step, number, AwaitableStatus::failed,
           flow::awaitable_error("SIGNAL_NOT_DELIVERED", sent.reason));
  }
  return {};
}

Outcome<void> on_signal_for_script(Step& step, const SignalRun& signal) {
  Run& run = step.run;
  FERMATA_TRY_VOID(refuse_ended(run));
  if (!signal.signal_id.empty() && run.signal_ids.contains(signal.signal_id)) return {};
  if (run.script->signals_kept >= step.given.limits.signals_kept_max)
    return fail(ErrorCode::signal_buffer_full, "the execution keeps " +
                                                   std::to_string(run.script->signals_kept) +
                                                   " signals; setting graph_signals_kept_max");
  std::string id = signal.signal_id;
  if (id.empty()) id = "#" + std::to_string(run.last_sequence + 1);
  emit(step, SignalReceived{signal.name, id, signal.payload});
  advance_script(step);
  return {};
}

/// One that is meant for the run itself; a script has no waits that listen beyond it.
Outcome<void> on_offer_for_script(Step& step, const OfferSignal& offer) {
  if (!offer.wait.empty()) return on_offer(step, offer);
  FERMATA_TRY_VOID(refuse_ended(step.run));
  const Signal& signal = *offer.signal;
  if (signal.account != step.run.account)
    return fail(ErrorCode::not_listening, "the execution belongs to another account");
  return on_signal_for_script(step, {signal.type, signal.data, signal.id});
}

/// Begins the end; clean-up may go on after this decision unless it is forced (F-53).
void end_script(Step& step, flow::FlowEnd end, std::string reason, std::string by,
                bool force = false) {
  FlowEnding ending;
  ending.end = end;
  ending.force = force;
  ending.reason = std::move(reason);
  ending.by = std::move(by);
  ending.grace_ms = step.given.limits.flow.cancel_grace_ms;
  emit(step, std::move(ending));
  advance_script(step);
}

}  // namespace

Outcome<void> on_cancel_script(Step& step, const Command& command, const CancelRun& cancel) {
  Run& run = step.run;
  if (run.status == RunStatus::cancelled) return {};
  FERMATA_TRY_VOID(refuse_ended(run));
  if (cancel.rollback) saga::request(step, "cancel", cancel.reason, command.actor);
  if (run.script->ended()) {
    saga::end_run(step, RunCancelled{cancel.reason, command.actor});
    return {};
  }
  if (run.script->unwinding != flow::FlowEnd::none && !cancel.force) return {};
  // What is paused cannot clean up.
  if (run.paused()) emit(step, RunUnpaused{command.actor, (step.at - *run.paused_at).ms});
  end_script(step, flow::FlowEnd::cancelled, cancel.reason, command.actor, cancel.force);
  return {};
}

/// No script may catch this: everything the run did is to be undone.
void fail_script(Step& step, Value error) {
  FlowEnding ending;
  ending.end = flow::FlowEnd::failed;
  ending.error = std::move(error);
  emit(step, std::move(ending));
  advance_script(step);
}

namespace {

void fire_script_timer(Step& step) {
  const Run& run = step.run;
  if (run.script_begins) return emit(step, FlowTimerFired{});
  // What has failed is the machine, or a resume that is tried again (W-66).
  if (run.script_retry_at && flow::wants_activation(*run.script)) return activate_script(step);
  uint32_t number = run.script->alarms.begin()->second;
  FlowTimerFired fired{number, Value()};
  auto record = run.script->awaitables.find(number);
  if (record != run.script->awaitables.end()) fired.about = about(record->second);
  emit(step, std::move(fired));
}

}  // namespace

Outcome<void> on_wake_script(Step& step) {
  Run& run = step.run;
  FERMATA_TRY_VOID(refuse_ended(run));
  if (run.paused()) return fail(ErrorCode::run_paused, "the execution is paused");
  auto due = [&] {
    return !step.over() && !run.timers.empty() && run.timers.begin()->due <= step.given.now;
  };
  if (!due() && !has_ready_work(run)) return fail(ErrorCode::nothing_due, "nothing is due yet");
  take_retained(step);
  if (step.over()) return {};
  advance_script(step);
  // One at a time, each followed until everything is parked; a cut activation comes first (F-51).
  while (!step.spent() && due() && !run.script->open) {
    ++step.activations;
    RunTimer timer = *run.timers.begin();
    if (timer.kind == TimerKind::wait) {
      fire_api_wait(step, timer.id);
      if (!step.over()) advance_script(step);
    } else if (timer.kind == TimerKind::run && run.script->ended()) {
      // It has ended already; a wait beside it kept the run.
      saga::end_run(step, RunTimedOut{});
    } else if (timer.kind == TimerKind::run) {
      end_script(step, flow::FlowEnd::timed_out, "the execution timed out", "engine");
    } else {
      fire_script_timer(step);
      advance_script(step);
    }
  }
  return {};
}

void exit_script(Step& step, const std::string& reason) {
  if (step.run.script->ended()) return saga::end_run(step, RunCancelled{reason, "engine"});
  end_script(step, flow::FlowEnd::cancelled, reason, "engine");
}

namespace {

Outcome<void> on_resume_script(Step& step, const Command& command) {
  Run& run = step.run;
  FERMATA_TRY_VOID(refuse_ended(run));
  if (!run.paused()) return fail(ErrorCode::run_not_paused, "the execution is not paused");
  emit(step, RunUnpaused{command.actor, (step.at - *run.paused_at).ms});
  advance_script(step);
  if (!step.over() && !step.spent()) (void)on_wake_script(step);
  return {};
}

/// A waiting or paused script goes on in another version (F-56).
Outcome<void> on_migrate_script(Step& step, const MigrateRun& migrate) {
  Run& run = step.run;
  FERMATA_TRY_VOID(refuse_ended(run));
  if (migrate.definition->hash == run.definition->hash) return {};
  FERMATA_TRY(moved, move_script(run, {migrate.workflow_version, migrate.definition, migrate.map}));
  run.definition = migrate.definition;
  emit(step, std::move(moved.event));
  advance_script(step);
  return {};
}

}  // namespace

void settle_awaited(Step& step, uint32_t number, AwaitableStatus status, Value result) {
  const flow::Awaitable& record = step.run.script->awaitables.at(number);
  FlowSettled event{number, record.kind, status, std::move(result), about(record)};
  emit(step, std::move(event));
  advance_script(step);
}

Outcome<void> decide_script(Step& step, const Command& command) {
  auto closed = [] { return fail(ErrorCode::activation_closed, "a script makes no calls"); };
  return std::visit(
      Overloaded{
          [&](const StartRun& body) -> Outcome<void> { return on_start(step, command, body); },
          [&](const WakeRun&) -> Outcome<void> { return on_wake_script(step); },
          [&](const AnswerCall&) -> Outcome<void> { return closed(); },
          [&](const RecoverCalls&) -> Outcome<void> { return closed(); },
          [&](const CancelRun& body) -> Outcome<void> {
            return on_cancel_script(step, command, body);
          },
          [&](const PauseRun&) -> Outcome<void> { return on_pause(step, command); },
          [&](const ResumeRun&) -> Outcome<void> { return on_resume_script(step, command); },
          [&](const SignalRun& body) -> Outcome<void> { return on_signal_for_script(step, body); },
          [&](const MigrateRun& body) -> Outcome<void> { return on_migrate_script(step, body); },
          [&](const SettleJob& body) -> Outcome<void> { return on_job(step, body); },
          [&](const SettleChild& body) -> Outcome<void> { return on_child(step, body); },
          [&](const SettleSignal& body) -> Outcome<void> { return on_sent(step, body); },
          [&](const ResumeWait& body) -> Outcome<void> { return on_resume_wait(step, body); },
          [&](const CancelWait& body) -> Outcome<void> {
            return on_cancel_wait(step, command, body);
          },
          [&](const ChangeWait& body) -> Outcome<void> {
            return on_change_wait(step, command, body);
          },
          [&](const HoldWaits& body) -> Outcome<void> {
            return on_hold_waits(step, command, body);
          },
          [&](const ReleaseWaits& body) -> Outcome<void> {
            return on_release_waits(step, command, body);
          },
          [&](const AnswerApproval& body) -> Outcome<void> {
            return on_answer_approval(step, command, body);
          },
          [&](const OpenWait& body) -> Outcome<void> { return on_open_wait(step, command, body); },
          [&](const CompleteRun& body) -> Outcome<void> { return on_complete(step, body); },
          [&](const TakeAnswer& body) -> Outcome<void> {
            return on_take_answer(step, command, body);
          },
          [&](const OfferSignal& body) -> Outcome<void> { return on_offer_for_script(step, body); },
          [&](const FollowContact&) -> Outcome<void> { return {}; },
          [&](const FollowZones&) -> Outcome<void> { return on_follow_zones(step); },
          [&](const AchieveGoals& body) -> Outcome<void> {
            FERMATA_TRY_VOID(refuse_goals(step.run, body));
            if (!note_goals(step, body)) return {};
            return on_cancel_script(step, command, {goal_achieved});
          },
          [&](const SagaOrder& body) -> Outcome<void> {
            return saga::on_order(step, command, body);
          },
          [&](const TakeHop& body) -> Outcome<void> { return on_take_hop(step, body); },
      },
      command.body);
}

}  // namespace fermata
