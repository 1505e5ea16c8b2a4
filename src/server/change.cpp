#include "server/change.h"

#include "core/job/summary.h"
#include "core/model/wait.h"
#include "core/schedule/schedule.h"

namespace fermata::server {

Change change_of(const WaitRecord& record) {
  const Wait& wait = record.wait;
  Change out{record.account,  "wait",    wait.id, static_cast<uint64_t>(wait.updated_at.ms),
             wait.updated_at, record.run};
  out.summary = Value::object({{"status", name_of(wait.status)},
                               {"wait_type", wait.type},
                               {"step_id", wait.step},
                               {"workflow_id", record.workflow.text()},
                               {"due_at", wait.due ? Value(to_rfc3339(*wait.due)) : Value()}});
  return out;
}

Change change_of(const job::Summary& job) {
  Change out{job.account, "job", job.id.text(), job.last_sequence, job.updated_at, job.run};
  out.summary = Value::object({{"state", name_of(job.state)},
                               {"topic", job.topic},
                               {"reason_code", job.reason_code},
                               {"attempt", job.attempts},
                               {"worker_id", job.worker.text()}});
  return out;
}

std::optional<Change> letter_change_of(const job::Summary& job) {
  bool well = job.state == job::State::succeeded || job.state == job::State::cancelled;
  if (!job::is_terminal(job.state) || well) return std::nullopt;
  Change out = change_of(job);
  out.kind = "dlq";
  return out;
}

Change change_of(const schedule::Schedule& schedule) {
  schedule::ScheduleSummary summary = summarize(schedule);
  Change out{schedule.account, "schedule", schedule.id.text(), schedule.last_sequence,
             schedule.last_at};
  out.summary = Value::object(
      {{"status", name_of(summary.status)},
       {"workflow_id", summary.workflow.text()},
       {"next_at", summary.next_due ? Value(to_rfc3339(*summary.next_due)) : Value()}});
  return out;
}

Value change_value(const Change& change) {
  Value out = Value::object({{"kind", change.kind},
                             {"id", change.id},
                             {"version", change.version},
                             {"at", to_rfc3339(change.at)}});
  if (!change.run.empty()) out.set("execution_id", change.run.text());
  out.set("summary", change.summary);
  return out;
}

}  // namespace fermata::server
