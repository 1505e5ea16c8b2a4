#include "front/definitions.h"
#include "front/fields.h"
#include "server/problem.h"
#include "server/routes/common.h"
#include "server/routes/follow_trigger.h"
#include "server/routes/routes.h"
#include "server/wait_sweep.h"

namespace fermata::server::routes {
namespace {

struct Switched {
  bool active = false;
  OnInactive waits = OnInactive::active;
  std::string reason;
};

Outcome<Switched> read_switch(const Call& call, bool active) {
  Switched request{active, active ? OnInactive::active : OnInactive::standard, {}};
  front::Fields fields(call.body);
  std::string choice = active ? "" : fields.text("on_waits").value_or("");
  request.reason = fields.text("reason").value_or("");
  if (choice == "cancel") request.waits = OnInactive::cancel;
  if (choice == "hold") request.waits = OnInactive::hold;
  if (choice == "keep") request.waits = OnInactive::keep;
  if (!choice.empty() && request.waits == OnInactive::standard)
    fields.wrong("on_waits", "cancel, hold or keep is expected.");
  FERMATA_TRY_VOID(fields.finish());
  return request;
}

/// What the definition says about its waits (W-31), unless the request does.
OnInactive choice_of_definition(Api& api, const Call& call) {
  auto found = front::resolve_workflow(api.catalog(), api.definitions(), call.who.account,
                                       WorkflowId(call.variable(0)), std::nullopt);
  if (!found) return OnInactive::standard;
  const Value& said = found->definition->canonical.get("on_deactivate");
  if (said == Value("cancel")) return OnInactive::cancel;
  if (said == Value("hold")) return OnInactive::hold;
  return said == Value("keep") ? OnInactive::keep : OnInactive::standard;
}

/// The rule first when the workflow is switched off, and last when it is switched on: in between,
/// what is left by a stop is stricter than what was asked for, and the same request mends it.
Outcome<WorkflowRecord> switch_workflow(Api& api, const Call& call, const Switched& wanted) {
  FERMATA_TRY(record, own_workflow(api, call));
  FERMATA_TRY(known, api.account_book().store().rules(call.who.account, record.id));
  WorkflowRules rules = known.value_or(WorkflowRules{});
  rules.account = call.who.account;
  rules.workflow = record.id;
  bool same_rule = rules.inactive == wanted.waits;
  rules.inactive = wanted.waits;
  rules.updated_at = api.now();
  ++rules.revision;
  AuditLine line = api.audit(call, wanted.active ? "workflow.activated" : "workflow.deactivated",
                             record.id.text(), wanted.reason);
  line.details = Value::object({{"on_waits", name_of(wanted.waits)}});
  if (!wanted.active && !same_rule) FERMATA_TRY_VOID(api.account_book().put(rules, line));
  if (record.active != wanted.active) {
    AuditLine marked = api.audit(call, wanted.active ? "workflow.activate" : "workflow.deactivate",
                                 record.id.text(), wanted.reason);
    FERMATA_TRY(stored,
                api.catalog().set_active(call.who.account, record.id, wanted.active, marked));
    record = std::move(stored);
  }
  if (wanted.active && !same_rule) FERMATA_TRY_VOID(api.account_book().put(rules, line));
  return record;
}

WaitSweep sweep_for(const Call& call, const WorkflowId& workflow, const Switched& wanted) {
  WaitSweep sweep{.account = call.who.account, .workflow = workflow};
  sweep.action = wanted.active ? "release" : wanted.waits == OnInactive::hold ? "hold" : "cancel";
  sweep.hold = "workflow_inactive";
  sweep.typed_only = wanted.waits == OnInactive::standard;
  sweep.actor = call.who.actor;
  sweep.reason = wanted.reason;
  return sweep;
}

void answer(Api& api, const Call& call, const WorkflowRecord& record, const WaitSweep& sweep,
            const Outcome<Swept>& swept) {
  if (!swept) return api.fail(call, swept.error());
  if (!swept->bulk_id.empty())
    return call.send_json(202, Value::object({{"bulk_id", swept->bulk_id}}));
  auto count = [&](std::string_view action) {
    return Value(sweep.action == action ? swept->waits : 0);
  };
  Value out = workflow_value(record);
  out.set("workflow_id", record.id.text());
  out.set("status", record.active ? "active" : "inactive");
  out.set("waits", Value::object({{"cancelled", count("cancel")},
                                  {"held", count("hold")},
                                  {"released", count("release")}}));
  out.set("executions",
          Value::object({{"cancelled", sweep.action == "cancel" ? swept->executions : 0}}));
  call.send(workflow_response(200, record, out));
}

void set_active(Api& api, const Call& call, bool active) {
  auto wanted = read_switch(call, active);
  if (!wanted) return api.fail(call, wanted.error());
  if (wanted->waits == OnInactive::standard) wanted->waits = choice_of_definition(api, call);
  auto record = switch_workflow(api, call, *wanted);
  if (!record) return api.fail(call, record.error());
  auto followed = [&api, record = *record, wanted = *wanted](const Call& asked) {
    WaitSweep sweep = sweep_for(asked, record.id, wanted);
    auto done = [&api, asked, record, sweep](const Outcome<Swept>& swept) {
      answer(api, asked, record, sweep, swept);
    };
    if (wanted.waits == OnInactive::keep) return done(Swept{});
    // This may be the partition's thread, which must not wait for the disk.
    api.pool().submit_owed([&api, sweep, done] { sweep_waits(api, sweep, done); });
  };
  follow_trigger(api, call, record->id, active ? Followed::activation : Followed::deactivation,
                 followed);
}

}  // namespace

void activate_workflow(Api& api, Call call) { set_active(api, call, true); }
void deactivate_workflow(Api& api, Call call) { set_active(api, call, false); }

}  // namespace fermata::server::routes
