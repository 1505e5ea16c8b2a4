#include "core/flow/durable/activate.h"
#include "core/run/api_waits.h"
#include "core/run/script_asks.h"
#include "core/run/script_events.h"
#include "core/run/step.h"
#include "core/saga/saga.h"

namespace fermata {

namespace {

/// The id of what the first fiber to go on was waiting for.
std::string woken_by(const flow::Execution& script) {
  if (!script.started) return "start";
  if (script.open || script.ready.empty()) return "slice";
  const flow::ReadyFiber& first = script.ready.front();
  if (first.wake != flow::Wake::outcome) return std::string(flow::end_name(script.unwinding));
  return first.awaited == 0 ? "" : script.id_of(first.awaited);
}

/// Says where the script stands now: its main fiber, or the first of those that are left.
void tell_parked(Step& step) {
  const flow::Execution& script = *step.run.script;
  if (script.open || script.ended() || script.parked.empty()) return;
  const flow::ParkedFiber& first = script.parked.begin()->second;
  Value about = Value::object({{"awaiting", script.id_of(first.awaiting)}});
  if (script.parked.size() > 1) about.set("fibers", script.parked.size());
  about.set("node", node_name(first.place));
  step.emit(FlowNoted{FlowNote::parked, first.awaiting, std::move(about)});
}

/// How long a machine that could not be run is left alone; one more failure ends the run.
constexpr int64_t fault_delays_ms[] = {1'000, 5'000, 25'000, 125'000};
constexpr std::string_view engine_error = "engine_error";

/// Nothing has changed. The run is tried again a few times, then it ends (F-49); one that a later
/// release has written waits for that one for as long as it takes (F-46).
void fault(Step& step, std::string code, std::string message) {
  Run& run = step.run;
  size_t before = run.script_faults;
  bool newer = code == "snapshot_newer";
  if (before < std::size(fault_delays_ms) || newer) {
    size_t delay = std::min(before, std::size(fault_delays_ms) - 1);
    Instant retry_at = step.at + Duration{fault_delays_ms[delay]};
    return step.emit(FlowFaulted{std::move(code), std::move(message),
                                 static_cast<uint32_t>(delay + 1), retry_at});
  }
  FlowEnding ending;
  ending.end = flow::FlowEnd::failed;
  ending.error = Value::object({{"code", std::move(code)}, {"message", std::move(message)}});
  step.emit(std::move(ending));
  tell_asks(step, std::exchange(run.script_asks, {}));
}

}  // namespace

/// Runs the machine beside the run: what cannot be read changes nothing.
void activate_script(Step& step) {
  Run& run = step.run;
  auto outcome = std::make_shared<flow::Execution>(*run.script);
  FlowResumed resumed;
  resumed.by = woken_by(*outcome);
  resumed.entropy = step.random.next();
  resumed.limits = changed_limits(step.given.limits.flow);
  std::vector<flow::Outgoing> asks;
  flow::ZoneAnswers zones(step.given.zones);
  if (step.given.contact) zones.contact_zone = step.given.contact->timezone;
  if (const AccountSettings* account = step.given.account.get()) {
    zones.account_zone = account->timezone;
    zones.business = account->business;
    zones.gap_policy = account->gap_policy;
  }
  flow::FlowGiven given{step.at, resumed.entropy, step.given.limits.flow, &zones};
  auto activated = flow::activate(*outcome, run.definition->program, given, asks);
  if (!activated) return fault(step, activated.error().code, activated.error().message);
  if (outcome->end == flow::FlowEnd::failed && outcome->error.code == engine_error)
    return fault(step, outcome->error.code, outcome->error.message);
  resumed.zones = zones.noted();
  resumed.outcome = std::move(outcome);
  step.emit(std::move(resumed));
  tell_asks(step, std::move(asks));
  tell_parked(step);
}

namespace {

void end_run(Step& step) {
  Run& run = step.run;
  // The end of the run takes the script away.
  const auto kept = run.script;
  const flow::Execution& script = *kept;
  switch (script.end) {
    case flow::FlowEnd::none: return;
    case flow::FlowEnd::completed:
      if (held_open(run)) return;
      return step.emit(RunCompleted{script.output});
    case flow::FlowEnd::failed: return saga::end_run(step, RunFailed{script.error.to_value()});
    case flow::FlowEnd::cancelled:
      // What a goal ended has come to its purpose.
      if (run.exit_reason == goal_achieved) return step.emit(RunCompleted{});
      return saga::end_run(step, RunCancelled{script.reason, run.script_ended_by});
    case flow::FlowEnd::timed_out: return saga::end_run(step, RunTimedOut{});
  }
}

}  // namespace

void advance_script(Step& step) {
  Run& run = step.run;
  while (has_ready_work(run) && !step.spent()) {
    ++step.activations;
    activate_script(step);
    // The rest of a cut activation waits until others had a turn (F-51).
    if (run.script->open) break;
  }
  if (!step.over() && run.script->ended()) end_run(step);
}

}  // namespace fermata
