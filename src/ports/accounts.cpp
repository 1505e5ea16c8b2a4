#include "ports/accounts.h"

namespace fermata {

Outcome<void> check_revision(uint64_t stored, uint64_t written, const std::string& what) {
  if (written == stored + 1) return {};
  return fail(ErrorCode::version_conflict, what + " is at revision " + std::to_string(stored) +
                                               ", not " + std::to_string(written - 1));
}

namespace {

std::string rule_text(const Value& object, std::string_view name) {
  const Value& found = object.get(name);
  return found.is_string() ? std::string(found.as_string()) : std::string();
}

void index_goals(AccountTable& table, const WorkflowRules& rules) {
  const Value& list = rules.goals.get("goals");
  if (!list.is_array()) return;
  std::vector<std::string> needed;
  if (rules.goals.get("mode") == Value("all"))
    for (const Value& goal : list.items()) needed.push_back(rule_text(goal, "id"));
  for (const Value& goal : list.items())
    table.goals[{rules.account, rule_text(goal, "event_type")}].push_back(
        {rules.workflow, rule_text(goal, "id"), goal.get("criteria"), needed});
}

void index_triggers(AccountTable& table, const WorkflowRules& rules) {
  if (!rules.triggers.is_array()) return;
  for (const Value& trigger : rules.triggers.items())
    table.triggers[{rules.account, rule_text(trigger, "event_type")}].push_back(
        {rules.workflow, trigger.get("criteria"), trigger.get("enrolment") == Value("single")});
}

}  // namespace

void index_rules(AccountTable& table) {
  table.goals.clear();
  table.triggers.clear();
  for (const auto& [key, rules] : table.rules) {
    index_goals(table, rules);
    index_triggers(table, rules);
  }
}

}  // namespace fermata
