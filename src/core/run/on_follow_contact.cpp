#include "core/graph/advance.h"
#include "core/graph/wait_plan.h"
#include "core/run/api_waits.h"
#include "core/run/wait_events.h"

namespace fermata {

namespace {

bool follows(const Wait& wait) {
  return is_pending(wait.status) && wait.config.get("follow_field") == Value(true);
}

/// Computes one wait anew, as of now (W-42).
void follow(Step& step, const Command& command, const WaitKey& key) {
  const Wait& wait = step.run.waits.at(key);
  auto plan =
      graph::plan_typed_wait(wait.type, wait.config, graph::wait_moment(step, step.at, wait.id));
  // What cannot be computed, such as a date too far away, leaves the instant that was found before.
  if (!plan) return;
  bool held = !wait.hold.empty();
  bool ends = plan->missing || plan->at <= step.at;
  if (ends && !held && key.source != WaitSource::flow) {
    // Its instant is now: nothing resumes before it (R1).
    if (wait.due != step.at)
      step.emit(WaitChanged{wait.id, step.at, wait.config, wait.intent, "contact", command.actor});
    if (key.source == WaitSource::api) return follow_api_date(step, key, *plan);
    return graph::follow_date(step, key.number, *plan);
  }
  Instant due = std::max(plan->at, step.at);
  if (wait.due == due || plan->missing) return;
  step.emit(
      WaitChanged{wait.id, due, wait.config, std::move(plan->intent), "contact", command.actor});
}

}  // namespace

Outcome<void> on_follow_contact(Step& step, const Command& command) {
  if (step.run.finished()) return fail(ErrorCode::run_finished, "the execution has ended");
  std::vector<WaitKey> keys;
  for (const auto& [key, wait] : step.run.waits)
    if (follows(wait)) keys.push_back(key);
  for (const WaitKey& key : keys) {
    // What one of them led to may have ended others.
    if (!step.over() && step.run.waits.contains(key)) follow(step, command, key);
  }
  if (!step.over() && !step.decision.events.empty() && !step.run.paused()) graph::advance(step);
  return {};
}

}  // namespace fermata
