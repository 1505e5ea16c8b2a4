#include "server/routes/follow_trigger.h"

#include "core/schedule/trigger.h"
#include "server/routes/common.h"
#include "server/routes/schedule_routes.h"

namespace fermata::server::routes {
namespace {

/// Says of a schedule that a trigger has made it; there is only one such request.
constexpr const char* trigger_request = "trigger";

/// What the trigger of the current definition asks for; nothing when it is of another kind.
Outcome<std::optional<schedule::Spec>> wanted_spec(Api& api, const AccountId& account,
                                                   const WorkflowId& workflow) {
  FERMATA_TRY(found,
              front::resolve_workflow(api.catalog(), api.definitions(), account, workflow, {}));
  const graph::Definition& definition = *found.definition;
  if (definition.is_script() || definition.entry >= definition.nodes.size())
    return std::optional<schedule::Spec>();
  const graph::Node& node = definition.nodes[definition.entry];
  if (node.type != graph::NodeType::schedule) return std::optional<schedule::Spec>();
  return std::optional(schedule::spec_of_trigger(workflow, node.id, node.raw));
}

/// Intervals count from the activation (G-32), or from when they came to be what they are.
void fix_start(schedule::Spec& spec, const schedule::Schedule& there, bool begins, Instant now) {
  if (spec.every_ms == 0) return;
  bool goes_on = !begins && there.exists() && there.spec.every_ms == spec.every_ms;
  spec.start_at = goes_on ? there.spec.start_at : now;
}

/// Nothing when all is as it should be.
Outcome<std::optional<schedule::CommandBody>> next_trigger_step(Api& api, const Call& call,
                                                                const WorkflowId& workflow,
                                                                const schedule::Key& key,
                                                                Followed what) {
  using Body = std::optional<schedule::CommandBody>;
  FERMATA_TRY(there, stored_schedule(api, key));
  if (what == Followed::removal) return there.exists() ? Body(schedule::DeleteSchedule{}) : Body();
  FERMATA_TRY(record, api.catalog().workflow(call.who.account, workflow));
  if (!record) return there.exists() ? Body(schedule::DeleteSchedule{}) : Body();
  FERMATA_TRY(wanted, wanted_spec(api, call.who.account, workflow));
  if (!wanted) return there.exists() ? Body(schedule::DeleteSchedule{}) : Body();
  if (!record->active) return there.exists() ? Body(schedule::PauseSchedule{}) : Body();
  bool begins = what == Followed::activation && (!there.exists() || there.paused);
  fix_start(*wanted, there, begins, api.now());
  if (!there.exists()) return Body(schedule::CreateSchedule{*wanted, false, trigger_request});
  schedule::UpdateSchedule update{*wanted};
  if (what == Followed::activation) update.paused = false;
  return Body(std::move(update));
}

}  // namespace

void follow_trigger(Api& api, const Call& call, const WorkflowId& workflow, Followed what,
                    std::function<void(const Call&)> done) {
  schedule::Key key{call.who.account, schedule::trigger_schedule_of(workflow)};
  auto step = next_trigger_step(api, call, workflow, key, what);
  if (!step) return api.fail(call, step.error());
  if (!*step) return done(call);
  send_schedule(
      api, call, {key, *std::move(*step), call.who.actor},
      [done = std::move(done)](Api&, const Call& asked, const ScheduleTold&) { done(asked); });
}

}  // namespace fermata::server::routes
