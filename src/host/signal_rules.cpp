#include <algorithm>

#include "base/hash.h"
#include "base/uuid.h"
#include "core/wait/criteria.h"
#include "host/signal_desk.h"

/// What workflows have said about signals: goals that end runs, and triggers that start them
/// (W-30, W-59). Both are found by account and type; those in force are the ones of when the
/// signal came.
namespace fermata {

namespace {

template <class Rule>
const std::vector<Rule>& rules_for(const std::map<AccountTable::RuleKey, std::vector<Rule>>& rules,
                                   const Signal& signal) {
  static const std::vector<Rule> none;
  auto found = rules.find({signal.account, signal.type});
  return found == rules.end() ? none : found->second;
}

bool is_started_once(const std::vector<Command>& starts, const WorkflowId& workflow) {
  return std::any_of(starts.begin(), starts.end(), [&](const Command& start) {
    return std::get<StartRun>(start.body).workflow == workflow;
  });
}

/// The same for the same signal and workflow, so that a repeat finds the run it made.
RunId run_started_by(const Signal& signal, const WorkflowId& workflow) {
  return RunId(
      uuid_v5("trigger\n" + signal.account.text() + "\n" + signal.id + "\n" + workflow.text()));
}

}  // namespace

bool SignalDesk::may_lead_anywhere(const Plan& plan) const {
  const Signal& signal = *plan.signal;
  if (!signal.run.empty() || !index_.targets(signal).empty()) return true;
  if (!plan.rules) return false;
  return !rules_for(plan.rules->triggers, signal).empty() ||
         (!signal.contact_id.empty() && !rules_for(plan.rules->goals, signal).empty());
}

/// One command for each run and workflow; the run knows whether it is of the workflow.
Outcome<std::vector<Command>> SignalDesk::goals_of(const Plan& plan) {
  const Signal& signal = *plan.signal;
  std::vector<Command> out;
  if (!plan.rules || (signal.contact_id.empty() && signal.run.empty())) return out;
  std::map<WorkflowId, AchieveGoals> reached;
  for (const GoalRule& rule : rules_for(plan.rules->goals, signal)) {
    if (!meets_criteria(rule.criteria, signal.data)) continue;
    AchieveGoals& one = reached[rule.workflow];
    one.account = signal.account;
    one.workflow = rule.workflow;
    one.signal_id = signal.id;
    one.needed = rule.needed;
    one.goals.push_back(rule.goal);
  }
  if (reached.empty()) return out;
  std::vector<RunId> runs{signal.run};
  if (signal.run.empty()) {
    FERMATA_TRY(about, around_.runs_about({signal.account, signal.contact_id}));
    runs = std::move(about);
  }
  for (const RunId& run : runs)
    for (const auto& [workflow, goals] : reached) out.push_back({run, goals});
  return out;
}

/// A workflow is started once by a signal, by however many of its triggers.
Outcome<std::vector<Command>> SignalDesk::starts_of(Plan& plan) {
  std::vector<Command> starts;
  // What is sent to one run reaches that one alone (W-53).
  if (!plan.rules || !plan.signal->run.empty()) return starts;
  for (const TriggerRule& rule : rules_for(plan.rules->triggers, *plan.signal)) {
    if (!meets_criteria(rule.criteria, plan.signal->data)) continue;
    if (is_started_once(starts, rule.workflow)) continue;
    FERMATA_TRY(start, start_by(plan, rule));
    if (start) starts.push_back(*std::move(start));
  }
  return starts;
}

Outcome<std::optional<Command>> SignalDesk::start_by(const Plan& plan, const TriggerRule& rule) {
  const Signal& signal = *plan.signal;
  if (plan.rules->inactive(signal.account, rule.workflow) != OnInactive::active)
    return std::optional<Command>{};
  auto found = around_.workflow(signal.account, rule.workflow);
  if (!found && found.error().code == ErrorCode::store_unavailable) return Failure{found.error()};
  if (!found || !found->active) return std::optional<Command>{};
  RunId run = run_started_by(signal, rule.workflow);
  if (rule.single && !signal.contact_id.empty()) {
    FERMATA_TRY(there, around_.takes_part({signal.account, signal.contact_id}, rule.workflow, run));
    if (there) return std::optional<Command>{};
  }
  StartRun start;
  start.account = signal.account;
  start.workflow = rule.workflow;
  start.workflow_version = found->version;
  start.definition = std::move(found->definition);
  start.trigger = shown_signal(signal);
  start.input = start.trigger;
  start.trigger_kind = "event";
  start.contact_id = signal.contact_id;
  start.request_hash = sha256_hex("trigger\n" + run.text());
  return std::optional(Command{std::move(run), std::move(start), plan.actor});
}

}  // namespace fermata
