#include "core/graph/wait_plan.h"
#include "core/run/api_waits.h"
#include "core/run/wait_events.h"

namespace fermata {

namespace {

Failure<Error> refused(std::vector<Finding> findings) {
  auto code = error_code_of(findings.front().code).value_or(ErrorCode::invalid_config);
  std::string message = findings.front().message;
  for (Finding& finding : findings) finding.path = "/config" + finding.path;
  return fail(code, std::move(message), std::move(findings));
}

/// A plain interval keeps its length; what it was made from may have been an expression.
graph::WaitPlan moved_interval(const Wait& wait, Instant from) {
  graph::WaitPlan plan{*wait.due, {}, wait.intent, {}, wait.config};
  plan.at = from + (*wait.due - wait.reached_at);
  return plan;
}

}  // namespace

Outcome<void> on_change_wait(Step& step, const Command& command, const ChangeWait& change) {
  Run& run = step.run;
  FERMATA_TRY(key, standing_wait(run, change.wait));
  const Wait& wait = run.waits.at(key);
  if (!is_pending(wait.status)) return wait_has_ended();
  if (run.paused()) return fail(ErrorCode::run_paused, "the execution is paused");
  if (wait.is_for_event())
    return fail(ErrorCode::type_fixed, "the wait is for a signal: it has no instant to change");
  Instant from = change.from_now ? step.at : wait.reached_at;
  bool interval = !wait.config.find("duration") && wait.type == "fixed_time";
  graph::WaitPlan plan;
  if (change.config.is_null() && interval) {
    plan = moved_interval(wait, from);
  } else {
    Value config = change.config.is_null() ? wait.config : change.config;
    auto made = graph::plan_typed_wait(wait.type, std::move(config),
                                       graph::wait_moment(step, from, wait.id));
    if (made && made->missing) made = Failure{std::vector{graph::missing_date(*made)}};
    if (!made) return refused(std::move(made).error());
    plan = *std::move(made);
  }
  // Never earlier than now: what is not in the future is due at once.
  Instant due = std::max(plan.at, step.at);
  // Asked for again, it is already so.
  bool same = wait.due == due && wait.config == plan.config && wait.intent == plan.intent;
  if (same) return {};
  step.emit(WaitChanged{change.wait, due, std::move(plan.config), std::move(plan.intent), "user",
                        command.actor});
  look_at_clock(step);
  return {};
}

}  // namespace fermata
