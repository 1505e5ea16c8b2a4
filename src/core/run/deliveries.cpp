#include <algorithm>

#include "base/uuid.h"
#include "core/run/api_waits.h"

/// What the other program is told of an end, and where (W-72).
namespace fermata {

namespace {

Value text(const std::string& text) { return text.empty() ? Value() : Value(text); }
Value instant(const std::optional<Instant>& at) { return at ? Value(to_rfc3339(*at)) : Value(); }

/// The wait's, else the run's, else the definition's, else the account's; null when there is none.
Value address_of(const Step& step, const Value& own) {
  const Run& run = step.run;
  if (own.is_object()) return own;
  const Value& registered = run.trigger.get("callback");
  if (run.definition->external && registered.is_object()) return registered;
  if (run.definition->callback.is_object()) return run.definition->callback;
  const AccountSettings* account = step.given.account.get();
  if (!account || account->callbacks.url.empty()) return Value();
  return Value::object({{"url", account->callbacks.url}});
}

/// How long it is tried: what the account has chosen, else what the server says.
Duration patience_of(const Step& step) {
  const AccountSettings* account = step.given.account.get();
  if (!account) return Duration{step.given.limits.callback_give_up_ms};
  return Duration{account->callbacks.give_up_hours * 3'600'000};
}

/// The parts that every delivery has.
Delivery begin(const Step& step, uint64_t sequence, const Value& callback) {
  const Run& run = step.run;
  Delivery out;
  out.id = uuid_v5(run.id.text() + "/callback#" + std::to_string(sequence));
  out.account = run.account;
  out.workflow = run.workflow;
  out.run = run.id;
  out.sequence = sequence;
  out.callback = callback;
  out.created_at = step.at;
  out.next_at = step.at;
  out.give_up_at = step.at + patience_of(step);
  return out;
}

Value told(const Delivery& delivery) {
  return Value::object({{"type", delivery.type},
                        {"delivery_id", delivery.id},
                        {"sequence", delivery.sequence},
                        {"account_id", delivery.account.text()},
                        {"workflow_id", delivery.workflow.text()},
                        {"execution_id", delivery.run.text()}});
}

Delivery of_wait(const Step& step, const Wait& wait, const Value& callback) {
  Delivery out = begin(step, wait.ending, callback);
  std::string status(name_of(wait.status));
  out.type = "wait." + status;
  out.wait = wait.id;
  out.step = wait.step;
  out.key = wait.id + ":" + status;
  bool resumed = wait.status == WaitStatus::resumed || wait.status == WaitStatus::timeout;
  Value body = told(out);
  body.set("step_id", wait.step);
  body.set("occurrence", wait.occurrence);
  body.set("wait_id", wait.id);
  body.set("wait_type", text(wait.type));
  body.set("status", status);
  body.set("resumed_by", text(wait.resumed_by));
  body.set("scheduled_at", wait.is_for_event() ? Value() : instant(wait.due));
  body.set("resumed_at", resumed ? instant(wait.ended_at) : Value());
  body.set("branch", wait.outcome.get("branch"));
  body.set("event", wait.outcome.get("event"));
  body.set("exit_reason", text(step.run.exit_reason));
  body.set("metadata", wait.metadata.is_null() ? Value::object() : wait.metadata);
  if (wait.status == WaitStatus::error)
    body.set("error", Value::object({{"code", wait.ended_reason}, {"message", wait.last_error}}));
  out.body = std::move(body);
  return out;
}

Delivery of_run(const Step& step, const Value& callback) {
  const Run& run = step.run;
  Delivery out = begin(step, run.endings, callback);
  out.type = "execution.ended";
  out.key = run.id.text() + ":ended";
  Value body = told(out);
  for (const char* name : {"step_id", "occurrence", "wait_id", "wait_type"})
    body.set(name, Value());
  body.set("status", name_of(run.status));
  for (const char* name : {"resumed_by", "scheduled_at", "resumed_at", "branch", "event"})
    body.set(name, Value());
  body.set("exit_reason", text(run.exit_reason));
  const Value& metadata = run.trigger.get("metadata");
  body.set("metadata", metadata.is_null() ? Value::object() : metadata);
  out.body = std::move(body);
  return out;
}

}  // namespace

std::vector<Delivery> deliveries_of(const Step& step) {
  const Run& run = step.run;
  std::vector<Delivery> out;
  if (run.endings == step.endings_before) return out;
  for (const WaitRecord& record : step.decision.waits) {
    if (record.wait.ending <= step.endings_before) continue;
    Value callback = address_of(step, record.wait.callback);
    if (callback.is_object()) out.push_back(of_wait(step, record.wait, callback));
  }
  // In a run without a program its own end is the last that is counted.
  if (run.finished() && run.definition->external) {
    Value callback = address_of(step, Value());
    if (callback.is_object()) out.push_back(of_run(step, callback));
  }
  std::sort(out.begin(), out.end(),
            [](const Delivery& a, const Delivery& b) { return a.sequence < b.sequence; });
  return out;
}

}  // namespace fermata
