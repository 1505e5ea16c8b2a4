#include "front/rules_request.h"
#include "server/problem.h"
#include "server/routes/account_routes.h"
#include "server/routes/common.h"

namespace fermata::server::routes {
namespace {

enum class RuleSet : uint8_t { goals, triggers };

Outcome<WorkflowRules> known_rules(Api& api, const Call& call) {
  FERMATA_TRY(record, own_workflow(api, call));
  FERMATA_TRY(known, api.account_book().store().rules(call.who.account, record.id));
  WorkflowRules rules = known.value_or(WorkflowRules{});
  rules.account = call.who.account;
  rules.workflow = record.id;
  return rules;
}

http::Response rules_response(const WorkflowRules& rules, RuleSet which) {
  Value shown = which == RuleSet::goals ? rules.goals : rules.triggers;
  if (shown.is_null())
    shown = which == RuleSet::goals ? Value::object({{"mode", "any"}, {"goals", Value::array()}})
                                    : Value::array();
  http::Response response = json_response(200, shown);
  response.headers.emplace_back("ETag", etag_of(rules.revision));
  return response;
}

Outcome<WorkflowRules> changed_rules(Api& api, const Call& call, RuleSet which) {
  FERMATA_TRY(wanted, wanted_revision(call.request));
  FERMATA_TRY(rules, known_rules(api, call));
  if (wanted)
    FERMATA_TRY_VOID(check_revision(rules.revision, *wanted + 1, "what goes with the workflow"));
  auto chosen = api.account_book().accounts()->settings_of(call.who.account);
  std::vector<std::string> types =
      chosen ? chosen->signals.event_types : std::vector<std::string>{};
  if (which == RuleSet::goals) {
    FERMATA_TRY(goals, front::read_goals(call.body, types));
    rules.goals = std::move(goals);
  } else {
    FERMATA_TRY(triggers, front::read_triggers(call.body, types));
    rules.triggers = std::move(triggers);
  }
  ++rules.revision;
  rules.updated_at = api.now();
  bool goals = which == RuleSet::goals;
  AuditLine line =
      api.audit(call, goals ? "workflow.goals" : "workflow.triggers", rules.workflow.text());
  line.details = goals ? rules.goals : rules.triggers;
  FERMATA_TRY_VOID(api.account_book().put(rules, line));
  return rules;
}

void show_rules(Api& api, const Call& call, RuleSet which) {
  auto rules = known_rules(api, call);
  if (!rules) return api.fail(call, rules.error());
  call.send(rules_response(*rules, which));
}

void put_rules(Api& api, const Call& call, RuleSet which) {
  auto rules = changed_rules(api, call, which);
  if (!rules) return api.fail(call, rules.error());
  call.send(rules_response(*rules, which));
}

}  // namespace

void get_goals(Api& api, Call call) { show_rules(api, call, RuleSet::goals); }
void put_goals(Api& api, Call call) { put_rules(api, call, RuleSet::goals); }
void get_triggers(Api& api, Call call) { show_rules(api, call, RuleSet::triggers); }
void put_triggers(Api& api, Call call) { put_rules(api, call, RuleSet::triggers); }

}  // namespace fermata::server::routes
