#include <algorithm>

#include "core/schedule/step.h"

namespace fermata::schedule {
namespace {

void cancel_live(Step& step) {
  std::vector<RunId> runs;
  for (const auto& [run, live] : step.schedule.live) runs.push_back(run);
  for (const RunId& run : runs) {
    step.emit(PreviousCancelled{run});
    step.post(
        StopRun{run, "the next occurrence of schedule " + step.schedule.id.text() + " has come"});
  }
}

void start_run(Step& step, Instant occurrence, RunId run, Cause cause, bool queued) {
  const Schedule& schedule = step.schedule;
  Duration delay = jitter_of(schedule.id, occurrence, schedule.spec.jitter_ms);
  if (cause == Cause::trigger) delay = {};
  Instant start_at = std::max(occurrence + delay, step.at);
  step.emit(OccurrenceStarted{occurrence, run, start_at, cause, queued});
  Value trigger = Value::object({{"schedule_id", schedule.id.text()},
                                 {"scheduled_at", to_rfc3339(occurrence)},
                                 {"cause", name_of(cause)}});
  step.post(OrderScheduled{std::move(run), schedule.id, schedule.account, schedule.spec.workflow,
                           schedule.spec.version, schedule.spec.input, schedule.spec.labels,
                           std::move(trigger), start_at});
}

}  // namespace

std::string too_many_live(const Step& step) {
  return "the schedule has " + std::to_string(step.schedule.live.size()) +
         " runs under way; setting schedule_live_max";
}

void start(Step& step, Instant occurrence, Cause cause, bool queued) {
  start_run(step, occurrence, run_of(step.schedule, occurrence), cause, queued);
}

bool is_used_up(const Schedule& schedule) {
  if (schedule.spec.max_runs == 0) return false;
  auto by_rule = [](const QueuedOccurrence& queued) { return queued.cause == Cause::rule; };
  auto queued = std::count_if(schedule.queue.begin(), schedule.queue.end(), by_rule);
  return schedule.runs_started + static_cast<uint64_t>(queued) >= schedule.spec.max_runs;
}

std::string_view reason_to_skip(const Step& step) {
  const Schedule& schedule = step.schedule;
  const ScheduleLimits& limits = step.given.limits;
  bool busy = !schedule.live.empty() || !schedule.queue.empty();
  if (schedule.spec.overlap == Overlap::skip && busy) return "overlap";
  if (schedule.spec.overlap == Overlap::queue && busy)
    return schedule.queue.size() >= limits.queue_max ? "queue_full" : "";
  return schedule.live.size() >= limits.live_max ? "live_limit" : "";
}

void take(Step& step, Instant occurrence) {
  const Schedule& schedule = step.schedule;
  bool busy = !schedule.live.empty() || !schedule.queue.empty();
  if (busy && schedule.spec.overlap == Overlap::queue)
    return step.emit(OccurrenceQueued{occurrence, Cause::rule});
  if (schedule.spec.overlap == Overlap::cancel_previous) cancel_live(step);
  start(step, occurrence, Cause::rule, false);
}

void start_queued(Step& step) {
  const Schedule& schedule = step.schedule;
  while (!schedule.queue.empty() && schedule.live.empty()) {
    QueuedOccurrence first = schedule.queue.front();
    // A backfill was asked for by somebody; what the rule queued waits for the end of the pause.
    if (schedule.paused && first.cause == Cause::rule) return;
    start(step, first.at, first.cause, true);
  }
}

Outcome<void> on_trigger(Step& step, const Command&, const TriggerSchedule& trigger) {
  if (trigger.key.empty()) return fail(ErrorCode::invalid_field, "a trigger needs a key");
  RunId run = triggered_run_of(step.schedule, trigger.key);
  if (trigger.started_before || step.schedule.live.contains(run)) return {};
  if (step.schedule.live.size() >= step.given.limits.live_max)
    return fail(ErrorCode::queue_full, too_many_live(step));
  if (step.schedule.spec.overlap == Overlap::cancel_previous) cancel_live(step);
  start_run(step, step.at, std::move(run), Cause::trigger, false);
  return {};
}

}  // namespace fermata::schedule
