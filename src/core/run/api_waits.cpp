#include "core/run/api_waits.h"

#include "core/graph/advance.h"
#include "core/run/wait_events.h"
#include "core/run/wait_gate.h"

namespace fermata {

namespace {

std::string named_text(const Value& config, std::string_view name) {
  const Value& found = config.get(name);
  return found.is_string() ? std::string(found.as_string()) : std::string();
}

/// What is taken when no signal came in time (W-47).
struct TimeoutWay {
  std::string branch;
  bool exits = false;
};

TimeoutWay timeout_way(const Value& config) {
  std::string action = named_text(config, "timeout_action");
  TimeoutWay way;
  way.exits = action == "exit" || action == "end";
  if (action != "branch") return way;
  way.branch = named_text(config, "timeout_step");
  if (way.branch.empty()) way.branch = named_text(config, "timeout_edge_id");
  return way;
}

Value outcome_of(const Value& event, const std::string& branch) {
  Value outcome;
  if (!event.is_null()) outcome = Value::object({{"event", event}});
  if (branch.empty()) return outcome;
  if (!outcome.is_object()) outcome = Value::object();
  outcome.set("branch", branch);
  return outcome;
}

}  // namespace

bool held_open(const Run& run) {
  if (run.definition->external) return true;
  // Those of the API come first.
  return !run.waits.empty() && run.waits.begin()->first.source == WaitSource::api;
}

void fire_api_wait(Step& step, uint64_t number) {
  if (stopped_at_gate(step, {WaitSource::api, number})) return;
  const Wait& wait = step.run.waits.at({WaitSource::api, number});
  WaitEnded ended;
  ended.wait = wait.id;
  ended.by = "engine";
  if (!wait.is_for_event()) {
    ended.resumed_by = "scheduler";
    return step.emit(std::move(ended));
  }
  TimeoutWay way = timeout_way(wait.config);
  ended.status = WaitStatus::timeout;
  ended.resumed_by = "timeout";
  ended.outcome = outcome_of(Value(), way.branch);
  step.emit(std::move(ended));
  if (way.exits) exit_by_wait(step, "wait_timeout");
}

void resume_api_wait(Step& step, const WaitKey& key, const ResumeWait& resume) {
  WaitEnded ended;
  ended.wait = step.run.waits.at(key).id;
  ended.resumed_by = "manual";
  ended.outcome = outcome_of(resume.output, resume.branch);
  step.emit(std::move(ended));
}

void exit_by_wait(Step& step, const std::string& reason) {
  if (step.run.definition->is_script()) return exit_script(step, reason);
  graph::exit_run(step, reason);
}

DateCause cause_of(bool missing) {
  return missing ? DateCause{"missing_date", "contact_field_invalid"}
                 : DateCause{"past_date", "past_date"};
}

std::string branch_of(const waits::DateReaction& reaction) {
  if (reaction.action != waits::DateAction::branch) return "";
  return reaction.step.empty() ? reaction.edge_id : reaction.step;
}

void follow_api_date(Step& step, const WaitKey& key, const graph::WaitPlan& plan) {
  waits::DateReaction reaction =
      plan.missing ? *plan.missing : plan.past.value_or(waits::DateReaction{});
  DateCause cause = cause_of(plan.missing.has_value());
  WaitEnded ended;
  ended.wait = step.run.waits.at(key).id;
  ended.by = "engine";
  ended.resumed_by = cause.resumed_by;
  ended.outcome = outcome_of(Value(), branch_of(reaction));
  if (reaction.action == waits::DateAction::fail) {
    ended.status = WaitStatus::error;
    ended.resumed_by.clear();
    ended.reason = plan.missing ? "contact_field_invalid" : "date_in_past";
  }
  step.emit(std::move(ended));
  if (reaction.action == waits::DateAction::exit) return exit_by_wait(step, cause.exit_reason);
  go_on(step);
}

void go_on(Step& step) {
  if (step.over()) return;
  if (step.run.definition->is_script()) return advance_script(step);
  graph::advance(step);
}

void look_at_clock(Step& step) {
  if (step.over() || step.run.paused() || step.spent()) return;
  (void)(step.run.definition->is_script() ? on_wake_script(step) : on_wake(step));
}

void release_limited(Step& step) {
  std::vector<std::string> due;
  for (const auto& [key, wait] : step.run.waits)
    if (wait.hold == held_by_limit && wait.due && *wait.due <= step.given.now)
      due.push_back(wait.id);
  for (std::string& id : due) step.emit(WaitReleased{std::move(id), "engine"});
}

}  // namespace fermata
