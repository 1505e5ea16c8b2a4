#include "core/run/script_waits.h"

#include "core/run/script_asks.h"
#include "core/run/wait_events.h"

namespace fermata {

namespace {

bool is_waited_for(const flow::Awaitable& record) {
  bool kind =
      record.kind == flow::AwaitableKind::timer || record.kind == flow::AwaitableKind::signal;
  // A signal that was given to it ends it, though the script has not been told yet.
  return kind && record.pending() && record.wait.signal == 0;
}

Wait wait_of(const flow::Awaitable& record, Instant at) {
  Wait wait;
  wait.step = node_name(record.place);
  wait.source = WaitSource::flow;
  wait.due = record.due;
  wait.reached_at = at;
  if (record.kind == flow::AwaitableKind::timer) {
    wait.type = "fixed_time";
    wait.config = Value::object({{"until", record.due ? Value(to_rfc3339(*record.due)) : Value()}});
    return wait;
  }
  wait.type = "for_event";
  wait.status = WaitStatus::waiting;
  wait.config = Value::object({{"name", record.name}});
  if (!record.wait.match.is_null()) wait.config.set("match", record.wait.match);
  Listener listener;
  listener.event_type = record.name;
  listener.criteria = record.wait.match;
  listener.scope = "execution";
  wait.listeners.push_back(std::move(listener));
  return wait;
}

/// How the wait has ended, told by what its record has come to.
WaitEnd end_of(const Wait& wait, const flow::Awaitable* record, ScriptCause cause) {
  bool cancelled = record == nullptr || record->status == flow::AwaitableStatus::cancelled;
  if (cause == ScriptCause::hand && !cancelled) return {WaitStatus::resumed, "manual"};
  if (cancelled && cause != ScriptCause::timer) {
    bool by_hand = cause == ScriptCause::hand;
    return {WaitStatus::cancelled, "cancelled", by_hand ? "by_hand" : "given_up"};
  }
  if (!wait.is_for_event()) return {WaitStatus::resumed, "scheduler"};
  if (cause == ScriptCause::timer) return {WaitStatus::timeout, "timeout"};
  return {WaitStatus::resumed, "event"};
}

}  // namespace

void follow_awaitable(Run& run, uint32_t number, ScriptCause cause, Instant at) {
  if (!run.script) return;
  auto found = run.script->awaitables.find(number);
  const flow::Awaitable* record = found == run.script->awaitables.end() ? nullptr : &found->second;
  bool wanted = record != nullptr && is_waited_for(*record);
  auto known = run.waits.find({WaitSource::flow, number});
  if (wanted && known == run.waits.end())
    return open_script_wait(run, number, wait_of(*record, at));
  if (!wanted && known != run.waits.end())
    end_script_wait(run, number, end_of(known->second, record, cause));
}

void follow_script(Run& run, uint32_t last_number, Instant at, bool all) {
  if (!run.script) return;
  std::vector<uint32_t> numbers;
  for (auto record = run.script->awaitables.upper_bound(last_number);
       record != run.script->awaitables.end(); ++record)
    if (is_waited_for(record->second)) numbers.push_back(record->first);
  // A signal that is awaited without a timeout may be given up in silence.
  for (auto entry = run.waits.lower_bound({WaitSource::flow, 0}); entry != run.waits.end(); ++entry)
    if (all || !entry->second.due) numbers.push_back(static_cast<uint32_t>(entry->first.number));
  for (uint32_t number : numbers) follow_awaitable(run, number, ScriptCause::by_itself, at);
}

}  // namespace fermata
