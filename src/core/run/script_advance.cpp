#include "core/flow/durable/activate.h"
#include "core/run/script_asks.h"
#include "core/run/script_events.h"
#include "core/run/step.h"

namespace fermata {

namespace {

/// The id of what the first fiber to go on was waiting for.
std::string woken_by(const flow::Execution& script) {
  if (!script.started) return "start";
  if (script.open || script.ready.empty()) return "slice";
  const flow::ReadyFiber& first = script.ready.front();
  if (first.wake != flow::Wake::outcome) return std::string(flow::end_name(script.unwinding));
  auto parked = script.parked.find(first.fiber);
  return parked == script.parked.end() ? "" : script.id_of(parked->second.awaiting);
}

/// Runs the machine beside the run: what cannot be read changes nothing.
void activate_script(Step& step) {
  Run& run = step.run;
  auto outcome = std::make_shared<flow::Execution>(*run.script);
  FlowResumed resumed;
  resumed.by = woken_by(*outcome);
  resumed.entropy = step.random.next();
  resumed.limits = changed_limits(step.given.limits.flow);
  std::vector<flow::Outgoing> asks;
  flow::FlowGiven given{step.at, resumed.entropy, step.given.limits.flow};
  auto activated = flow::activate(*outcome, run.definition->program, given, asks);
  if (!activated) {
    FlowEnding ending;
    ending.end = flow::FlowEnd::failed;
    ending.error = Value::object(
        {{"code", activated.error().code}, {"message", activated.error().message}});
    step.emit(std::move(ending));
    return tell_asks(step, std::exchange(run.script_asks, {}));
  }
  resumed.outcome = std::move(outcome);
  step.emit(std::move(resumed));
  tell_asks(step, std::move(asks));
}

void end_run(Step& step) {
  Run& run = step.run;
  // The end of the run takes the script away.
  const auto kept = run.script;
  const flow::Execution& script = *kept;
  switch (script.end) {
    case flow::FlowEnd::none: return;
    case flow::FlowEnd::completed: return step.emit(RunCompleted{script.output});
    case flow::FlowEnd::failed: return step.emit(RunFailed{script.error.to_value()});
    case flow::FlowEnd::cancelled:
      return step.emit(RunCancelled{script.reason, run.script_ended_by});
    case flow::FlowEnd::timed_out: return step.emit(RunTimedOut{});
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
  if (!run.finished() && run.script->ended()) end_run(step);
}

}  // namespace fermata
