#include "core/graph/event_wait.h"
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

bool listens_alike(const Listener& a, const Listener& b) {
  return a.event_type == b.event_type && a.criteria == b.criteria &&
         a.correlation_id == b.correlation_id && a.scope == b.scope;
}

/// What it goes on listening to is as it was; what is new is listened to from now on.
std::vector<Listener> changed_listeners(const Wait& wait, std::vector<Listener> wanted) {
  for (size_t i = 0; i < wanted.size() && i < wait.listeners.size(); ++i)
    if (listens_alike(wanted[i], wait.listeners[i])) wanted[i] = wait.listeners[i];
  return wanted;
}

/// Another timeout, or other events (W-16).
Outcome<void> change_event_wait(Step& step, const Command& command, const Wait& wait,
                                const ChangeWait& change) {
  bool typed = wait.config.find("event_type") || wait.config.find("events");
  if (!typed)
    return fail(ErrorCode::type_fixed,
                "the wait is for a signal to the execution: it has no "
                "configuration to change");
  Value config = change.config.is_null() ? wait.config : change.config;
  auto read = waits::read_for_event(config, waits::for_event_rules(step.given.account.get()));
  if (!read) return refused(std::move(read).error());
  auto scope = waits::scope_of(*read, !step.run.contact_id.empty());
  if (!scope) return refused({std::move(scope).error()});
  std::vector<Listener> listeners = changed_listeners(
      wait, graph::listeners_of(*read, *scope, step.at, graph::phone_of(step.given.contact.get())));
  auto has_heard = [](const Listener& one) { return one.status == ListenerStatus::matched; };
  auto heard = std::count_if(listeners.begin(), listeners.end(), has_heard);
  if (heard != std::count_if(wait.listeners.begin(), wait.listeners.end(), has_heard) ||
      (heard > 0 && (!read->all || static_cast<size_t>(heard) == listeners.size())))
    return refused({{"invalid_config",
                     "/events",
                     "One of the events has come already; it can be neither the last nor left out.",
                     {}}});
  Instant from = change.from_now ? step.at : wait.reached_at;
  Wait changed = wait;
  changed.listeners = std::move(listeners);
  Value intent = wait.intent.is_object() ? wait.intent : Value::object();
  intent.set("listeners", listeners_value(changed));
  Instant due = std::max(from + read->timeout, step.at);
  if (wait.due == due && wait.config == config && wait.listeners == changed.listeners) return {};
  step.emit(
      WaitChanged{change.wait, due, std::move(config), std::move(intent), "user", command.actor});
  look_at_clock(step);
  return {};
}

}  // namespace

Outcome<void> on_change_wait(Step& step, const Command& command, const ChangeWait& change) {
  Run& run = step.run;
  FERMATA_TRY(key, standing_wait(run, change.wait));
  const Wait& wait = run.waits.at(key);
  if (!is_pending(wait.status)) return wait_has_ended();
  if (run.paused()) return fail(ErrorCode::run_paused, "the execution is paused");
  if (key.source == WaitSource::flow)
    return fail(ErrorCode::type_fixed, "the wait is a script's own: resume or cancel it");
  if (wait.is_for_event()) return change_event_wait(step, command, wait, change);
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
