#include "core/run/script_events.h"

#include <array>

#include "base/bytes.h"
#include "core/flow/durable/activate.h"
#include "core/flow/durable/execution_bytes.h"
#include "core/run/approval_events.h"
#include "core/run/script_waits.h"

namespace fermata {

namespace {

template <class Limits, class Visit>
void each_limit(Limits& limits, Visit visit) {
  visit("fuel", limits.fuel);
  visit("slice", limits.slice);
  visit("memory", limits.memory_bytes);
  visit("call_depth", limits.call_depth);
  visit("fibers", limits.fibers);
  visit("awaitables", limits.awaitables);
  visit("string_bytes", limits.string_bytes);
  visit("list_items", limits.list_items);
  visit("snapshot_warn", limits.snapshot_warn_bytes);
  visit("snapshot_max", limits.snapshot_max_bytes);
  visit("log_lines", limits.log_lines);
  visit("log_line_bytes", limits.log_line_bytes);
}

/// The run has one timer for all that its script has armed.
void set_timer(Run& run) {
  std::erase_if(run.timers, [](const RunTimer& t) { return t.kind == TimerKind::script; });
  std::optional<Instant> due = run.script_begins;
  if (!due && !run.script->alarms.empty()) due = run.script->alarms.begin()->first;
  // Until then its machine is left alone.
  if (run.script_retry_at) due = run.script_retry_at;
  if (due) run.timers.insert({*due, TimerKind::script, 0});
}

void take(Run& run, flow::FlowCommand command, Instant at, flow::FlowLimits limits = {}) {
  // Whether there is room for a signal was decided before it was recorded.
  limits.signals_kept = UINT64_MAX;
  (void)flow::take(run.own_script(), std::move(command), {at, 0, limits}, run.script_asks);
  set_timer(run);
}

}  // namespace

Value script_context(const Run& run, Instant at) {
  auto text = [](const std::string& value) { return value.empty() ? Value() : Value(value); };
  Value schedule;
  if (run.trigger_kind == "schedule")
    schedule = Value::object({{"id", run.trigger.get("schedule_id")},
                              {"scheduled_at", run.trigger.get("scheduled_at")}});
  Value context = Value::object({{"execution_id", run.id.text()},
                                 {"executionId", run.id.text()},
                                 {"workflow_id", run.workflow.text()},
                                 {"version", run.workflow_version},
                                 {"started_at", to_rfc3339(at)},
                                 {"labels", run.labels.is_null() ? Value::object() : run.labels},
                                 {"parent", text(run.parent.text())},
                                 {"contact_id", text(run.contact_id)},
                                 {"schedule", std::move(schedule)}});
  return context;
}

void begin_script(Run& run, const std::optional<Instant>& start_at, Instant at) {
  run.script = std::make_shared<flow::Execution>(
      flow::begin_flow(run.id.text(), run.input, script_context(run, at)));
  if (start_at && *start_at > at) run.script_begins = start_at;
  run.script_ran = at;
  set_timer(run);
}

void continue_script(Run& run, Instant at) {
  flow::Execution& script = run.own_script();
  script.run_id = run.id.text();
  if (script.started) {
    // What the script holds of it stays where it is.
    script.context.set("execution_id", run.id.text());
    script.context.set("executionId", run.id.text());
    script.context.set("version", run.workflow_version);
  } else {
    script.context = script_context(run, at);
  }
  // Those that are still wanted are asked for anew.
  run.approvals.clear();
  run.script_asks = std::exchange(run.script_orders, {});
  run.script_ran = at;
  set_timer(run);
}

void delay_script(Run& run, Instant until) {
  run.script_retry_at = until;
  set_timer(run);
}

void script_receives(Run& run, const SignalReceived& event, Instant at) {
  // The first of those that wait for it in line may take it.
  std::vector<uint32_t> waits;
  auto mailbox = run.script->mailboxes.find(event.name);
  if (mailbox != run.script->mailboxes.end())
    for (const auto& [place, number] : mailbox->second.waits) waits.push_back(number);
  take(run, flow::ReceiveSignal{event.name, event.payload}, at);
  for (uint32_t number : waits) follow_awaitable(run, number, ScriptCause::by_itself, at);
}

void apply(Run& run, const FlowResumed& event, Instant at) {
  run.script_begins.reset();
  run.script_ran = at;
  run.script_faults = 0;
  run.script_retry_at.reset();
  ++run.activations;
  uint32_t last_number = run.script->last_number;
  // What came while the activation was cut is taken when it goes on.
  const std::vector<flow::FlowCommand> came = run.script->deferred;
  std::vector<uint32_t> fired;
  for (const flow::FlowCommand& command : came)
    if (const auto* timer = std::get_if<flow::FireTimer>(&command)) fired.push_back(timer->number);
  if (event.outcome) {
    run.script = event.outcome;
  } else {
    auto zones = flow::ZoneAnswers::again(event.zones);
    flow::FlowGiven given{at, event.entropy, limits_of(event.limits), &zones};
    // The decision ran the same machine from the same state; what it could read, this can. It has
    // asked for what is left here; a run made from this one may ask again.
    (void)flow::activate(run.own_script(), run.definition->program, given, run.script_asks);
  }
  set_timer(run);
  for (uint32_t number : fired) follow_awaitable(run, number, ScriptCause::timer, at);
  follow_script(run, last_number, at, !came.empty());
}

void apply(Run& run, const FlowSettled& event, Instant at) {
  take(run, flow::SettleAwaitable{event.number, event.status, event.result}, at);
  follow_awaitable(run, event.number, ScriptCause::hand, at);
}

void apply(Run& run, const FlowTimerFired& event, Instant at) {
  if (run.script_begins) {
    run.script_begins.reset();
    return set_timer(run);
  }
  run.script_retry_at.reset();
  take(run, flow::FireTimer{event.number}, at);
  follow_awaitable(run, event.number, ScriptCause::timer, at);
  end_approval(run, event.number, {ApprovalStatus::expired});
  if (!run.script->open) {
    // A timer fires once, whatever became of what it was armed for.
    auto& alarms = run.own_script().alarms;
    std::erase_if(alarms, [&](const auto& alarm) {
      return alarm.second == event.number && alarm.first <= at;
    });
    set_timer(run);
  }
}

void apply(Run& run, const FlowEnding& event, Instant at) {
  std::erase_if(run.timers, [](const RunTimer& timer) { return timer.kind == TimerKind::run; });
  run.script_begins.reset();
  run.script_retry_at.reset();
  run.script_ended_by = event.by;
  if (event.end == flow::FlowEnd::failed) {
    flow::FlowError error;
    error.code = event.error.get("code").as_string();
    error.message = event.error.get("message").as_string();
    error.details = event.error.get("details");
    error.cause = event.error.get("cause");
    return take(run, flow::FailFlow{std::move(error)}, at);
  }
  flow::FlowLimits limits;
  limits.cancel_grace_ms = event.grace_ms;
  take(run, flow::EndFlow{event.end, event.reason, event.force}, at, limits);
}

void apply(Run& run, const FlowFaulted& event, Instant) {
  run.script_faults = event.attempt;
  run.script_retry_at = event.retry_at;
  set_timer(run);
}

void apply(Run& run, const FlowMigrated& event, Instant) {
  run.workflow_version = event.to_version;
  run.definitions.push_back(event.hash);
  ByteReader in(event.state);
  auto moved = std::make_shared<flow::Execution>();
  flow::decode_execution(in, *moved);
  if (in.done()) {
    run.script = std::move(moved);
  } else {
    // Whoever runs it next finds that it cannot be read (F-49).
    run.own_script().snapshot.clear();
  }
  set_timer(run);
}

void apply(Run& run, const FlowNoted& event, Instant at) {
  if (event.note == FlowNote::timer_armed || event.note == FlowNote::timer_cancelled ||
      event.note == FlowNote::work_cancelled)
    follow_awaitable(run, event.number, ScriptCause::by_itself, at);
  if (event.note == FlowNote::progressed) run.script_progress = event.about;
  if (event.note == FlowNote::work_cancelled)
    end_approval(run, event.number, withdrawn(event.about.get("reason")));
  if (event.note != FlowNote::labelled) return;
  if (!run.labels.is_object()) run.labels = Value::object();
  run.labels.set(event.about.get("key").as_string(), event.about.get("value"));
}

std::string_view script_event_name(const FlowNoted& event) {
  static constexpr std::array<std::string_view, 13> names = {
      "TaskStarted",    "TimerArmed",    "TimerCancelled", "ChildStarted", "SignalSent",
      "ApprovalOpened", "WorkCancelled", "SignalTaken",    "FlowLogged",   "FlowWarned",
      "FlowProgressed", "FlowLabelled",  "FlowParked"};
  return names.at(static_cast<size_t>(event.note));
}

std::string_view script_event_name(const FlowSettled& event) {
  switch (event.kind) {
    case flow::AwaitableKind::task: return "TaskSettled";
    case flow::AwaitableKind::child: return "ChildSettled";
    case flow::AwaitableKind::approval: return "ApprovalSettled";
    default: return "FlowSettled";
  }
}

Value changed_limits(const flow::FlowLimits& limits) {
  const flow::FlowLimits defaults;
  Value out = Value::object();
  each_limit(limits, [&](std::string_view name, auto& limit) {
    out.set(name, static_cast<int64_t>(limit));
  });
  bool changed = false;
  each_limit(defaults, [&](std::string_view name, auto& limit) {
    if (out.get(name) == Value(static_cast<int64_t>(limit))) {
      out.erase(name);
    } else {
      changed = true;
    }
  });
  return changed ? out : Value();
}

flow::FlowLimits limits_of(const Value& changed) {
  flow::FlowLimits limits;
  each_limit(limits, [&](std::string_view name, auto& limit) {
    const Value& given = changed.get(name);
    if (given.is_integer())
      limit = static_cast<std::remove_reference_t<decltype(limit)>>(given.as_integer());
  });
  return limits;
}

}  // namespace fermata
