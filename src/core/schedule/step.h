#pragma once
#include "core/schedule/decide.h"

namespace fermata::schedule {

/// A decision in the making: every event it emits is folded into the schedule at once.
class Step {
 public:
  Step(Schedule& schedule, const Given& given)
      : schedule(schedule),
        given(given),
        // A history never goes back in time, even when the clock does (W-49).
        at(given.now > schedule.last_at ? given.now : schedule.last_at) {}

  template <class E>
  void emit(E body) {
    Event& event =
        decision.events.emplace_back(Event{schedule.last_sequence + 1, at, std::move(body)});
    evolve(schedule, event);
  }
  void post(SchedulePost post) { decision.posts.push_back(std::move(post)); }

  Schedule& schedule;
  const Given& given;
  const Instant at;
  Decision decision;
};

// One file each. They check first and refuse without a trace, then emit.
Outcome<void> on_create(Step& step, const Command& command, const CreateSchedule& create);
Outcome<void> on_update(Step& step, const Command& command, const UpdateSchedule& update);
Outcome<void> on_pause(Step& step, const Command& command);
Outcome<void> on_resume(Step& step, const Command& command);
Outcome<void> on_trigger(Step& step, const Command& command, const TriggerSchedule& trigger);
Outcome<void> on_backfill(Step& step, const Command& command, const BackfillSchedule& backfill);
Outcome<void> on_delete(Step& step, const Command& command);
Outcome<void> on_wake(Step& step, const WakeSchedule& wake);
Outcome<void> on_run_ended(Step& step, const RunEnded& ended);
Outcome<void> on_start_refused(Step& step, const RefuseStart& refuse);
Outcome<void> on_zones_changed(Step& step);

// starts.cpp
/// Starts a run for an occurrence; `queued` when it is the first of the queue.
void start(Step& step, Instant occurrence, Cause cause, bool queued);
/// Why an occurrence of the rule is skipped because of what else runs; empty when it is not.
std::string_view reason_to_skip(const Step& step);
/// Starts or queues an occurrence of the rule as `overlap` has it.
void take(Step& step, Instant occurrence);
/// For a refusal: what `live_max` says of it.
std::string too_many_live(const Step& step);
/// Starts what is queued as far as nothing runs any more.
void start_queued(Step& step);
/// True when the rule has started (or queued) as many runs as it may.
bool is_used_up(const Schedule& schedule);

// arm.cpp
Outcome<Rule> rule_of(const Step& step);
/// Finds the next occurrence after `counted_to` and expects it; without one the schedule ends.
void arm(Step& step, const Rule& rule, Instant counted_to, bool catching_up = false);

}  // namespace fermata::schedule
