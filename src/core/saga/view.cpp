#include "core/run/script_definition.h"
#include "core/saga/saga.h"

namespace fermata::saga {

namespace {

void set_filled(Value& out, std::string_view name, const std::string& text) {
  if (!text.empty()) out.set(name, text);
}

Value time_of(const std::optional<Instant>& at) { return at ? Value(to_rfc3339(*at)) : Value(); }

Value shown(const SagaEntry& entry, bool closed) {
  Value out = Value::object({{"seq", entry.seq}, {"job_id", entry.job.text()}});
  set_filled(out, "step_id", entry.step);
  bool untouched = entry.status == UndoStatus::recorded;
  out.set("status", closed && untouched ? "closed" : name_of(entry.status));
  out.set("request", entry.request);
  out.set("idempotency_key", entry.idempotency_key);
  set_filled(out, "comp_job_id", entry.undo_job.text());
  out.set("attempts", entry.attempts);
  if (entry.late) out.set("late", true);
  set_filled(out, "problem", entry.problem);
  set_filled(out, "reason_code", entry.reason_code);
  set_filled(out, "reason", entry.reason);
  set_filled(out, "by", entry.by);
  out.set("at", to_rfc3339(entry.at));
  return out;
}

}  // namespace

const graph::DefinitionRef& saga_definition() {
  static const graph::DefinitionRef definition = make_external_definition(
      Value::object({{"language", "external"}, {"builtin", saga_workflow}}));
  return definition;
}

Value view(const Run& run) {
  const Saga& saga = run.saga;
  SagaStatus status = status_of(saga, run.status);
  Value entries = Value::array();
  for (auto entry = saga.entries.rbegin(); entry != saga.entries.rend(); ++entry)
    entries.push(shown(*entry, status == SagaStatus::closed));
  Value awaited = Value::array();
  for (const AwaitedStop& stop : saga.awaited)
    awaited.push(Value::object({{"job_id", stop.job.text()}, {"until", time_of(stop.until)}}));
  Value members = Value::array();
  for (const JobId& job : saga.members) members.push(job.text());
  Value out = Value::object({{"execution_id", run.id.text()},
                             {"workflow_id", run.workflow.text()},
                             {"status", name_of(status)},
                             {"entries", entries},
                             {"started_at", time_of(saga.started_at)},
                             {"ended_at", time_of(saga.ended_at)}});
  if (saga.rolling_back || saga.rolled_back) {
    out.set("trigger", saga.trigger);
    set_filled(out, "by", saga.by);
  }
  if (awaited.size() > 0) out.set("stopping", std::move(awaited));
  if (members.size() > 0) out.set("open_jobs", std::move(members));
  return out;
}

}  // namespace fermata::saga
