#include "core/graph/advance.h"
#include "core/run/script_asks.h"
#include "core/run/snapshot.h"
#include "core/run/step.h"
#include "core/run/wait_gate.h"
#include "core/saga/saga.h"

namespace fermata {

Outcome<void> on_start(Step& step, const Command& command, const StartRun& start) {
  Run& run = step.run;
  if (run.exists()) {
    // The same request again is answered with the run it made; nothing happens twice.
    if (run.request_hash == start.request_hash) return {};
    if (start.arrival && start.arrival->joins && run.account == start.account)
      return on_arrival(step, command, start);
    return fail(ErrorCode::idempotency_key_reused,
                "execution " + command.run.text() + " was started by another request");
  }
  FERMATA_TRY_VOID(refuse_opted_out(step.given, start.workflow));
  if (start.arrival) FERMATA_TRY_VOID(check_arrival(step, *start.arrival));
  run.id = command.run;
  run.definition = start.definition;
  RunStarted event;
  event.account = start.account;
  event.workflow = start.workflow;
  event.workflow_version = start.workflow_version;
  event.hash = start.definition->hash;
  event.input = start.input;
  event.trigger = start.trigger;
  event.trigger_kind = start.trigger_kind;
  event.labels = start.labels;
  event.contact_id = start.contact_id;
  event.parent = start.parent;
  event.parent_ref = start.parent_ref;
  if (start.depth > 0) event.depth = start.depth;
  event.request_hash = start.request_hash;
  event.origin_run = start.origin.run;
  event.origin_kind = start.origin.kind;
  event.start_at = start.start_at;
  event.by = command.actor;
  event.on_behalf_of = start.on_behalf_of;
  event.rolls_back = start.rolls_back;
  if (!start.trace.parent.empty()) {
    event.traceparent = start.trace.parent;
    event.tracestate = start.trace.state;
    event.trace_recorded = start.trace.recorded;
  }
  int64_t timeout_ms = start.timeout_ms.value_or(start.definition->timeout_ms);
  Instant begins = start.start_at && *start.start_at > step.at ? *start.start_at : step.at;
  if (timeout_ms > 0) event.timeout_at = begins + Duration{timeout_ms};
  if (start.seed) {
    Run seed = *start.seed;
    graph::renew_deadlines(seed, step.at);
    event.seed = encode_snapshot(seed);
  }
  step.emit(std::move(event));
  if (!start.key.empty()) step.emit(RunKeyed{start.key});
  if (start.origin.kind == "rollback") {
    saga::begin_for_ended(step, command.actor);
    return {};
  }
  if (start.seed && !start.definition->is_script()) graph::take_over(step);
  if (start.definition->is_script()) tell_asks(step, std::exchange(step.run.script_asks, {}));
  if (start.waits_its_turn) return {};
  if (start.arrival) {
    step.emit(EntryVacated{run.tokens.begin()->first});
    take_arrival(step, *start.arrival, command.actor);
    return {};
  }
  if (start.definition->is_script()) {
    advance_script(step);
  } else {
    graph::advance(step);
  }
  return {};
}

}  // namespace fermata
