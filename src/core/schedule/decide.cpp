#include "core/schedule/decide.h"

#include "core/schedule/step.h"

namespace fermata::schedule {
namespace {

template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <class... F>
Overloaded(F...) -> Overloaded<F...>;

}  // namespace

Outcome<Decision> decide(Schedule& schedule, const Command& command, const Given& given) {
  bool creates = std::holds_alternative<CreateSchedule>(command.body);
  if (!creates && !schedule.exists())
    return fail(ErrorCode::schedule_not_found,
                "there is no schedule " + command.schedule.id.text());
  Step step(schedule, given);
  auto outcome =
      std::visit(Overloaded{
                     [&](const CreateSchedule& body) { return on_create(step, command, body); },
                     [&](const UpdateSchedule& body) { return on_update(step, command, body); },
                     [&](const PauseSchedule&) { return on_pause(step, command); },
                     [&](const ResumeSchedule&) { return on_resume(step, command); },
                     [&](const TriggerSchedule& body) { return on_trigger(step, command, body); },
                     [&](const BackfillSchedule& body) { return on_backfill(step, command, body); },
                     [&](const DeleteSchedule&) { return on_delete(step, command); },
                     [&](const WakeSchedule& body) { return on_wake(step, body); },
                     [&](const RunEnded& body) { return on_run_ended(step, body); },
                     [&](const RefuseStart& body) { return on_start_refused(step, body); },
                     [&](const ZonesChanged&) { return on_zones_changed(step); },
                 },
                 command.body);
  if (!outcome) return Failure{std::move(outcome).error()};
  return std::move(step.decision);
}

}  // namespace fermata::schedule
