#include <algorithm>

#include "core/job/json_fields.h"
#include "core/job/view.h"

namespace fermata::job::view {

namespace {

/// As approvals of runs are called (api.md).
std::string_view status_of_approval(const Job& job) {
  if (job.state == State::approval_required) return "pending";
  if (job.approval->granted) return "approved";
  if (job.reason_code == "approval_rejected") return "rejected";
  return job.reason_code == "approval_expired" ? "expired" : "withdrawn";
}

Value text_or_null(const std::string& text) { return text.empty() ? Value() : Value(text); }

}  // namespace

Value approval(const Job& job, Instant now) {
  if (!job.approval) return {};
  const Approval& terms = *job.approval;
  const Request& request = job.request;
  std::string_view status = status_of_approval(job);
  Value approvers = Value::array();
  for (const std::string& role : terms.roles) approvers.push(role);
  if (terms.roles.empty()) approvers.push("operator");
  Value votes = Value::array();
  for (const Vote& vote : terms.votes) votes.push(to_value(vote));
  Value left;
  if (status == "pending") left = Value(std::max<int64_t>(0, (terms.expires_at - now).ms));
  Value out = Value::object(
      {{"id", job.id.text()},
       {"kind", "job"},
       {"status", status},
       {"title", request.topic},
       {"message", job.verdict ? text_or_null(job.verdict->reason) : Value()},
       {"hash", terms.request_hash},
       {"approvers", std::move(approvers)},
       {"count", terms.count},
       {"votes", std::move(votes)},
       {"job_id", job.id.text()},
       {"topic", request.topic},
       {"submitter", job.submitter},
       {"workflow_id", request.step.workflow.text()},
       {"execution_id", request.step.run.text()},
       {"step_id", request.step.step_id},
       {"started_by", text_or_null(request.step.started_by)},
       {"unblocks", Value::object({{"job_id", job.id.text()}, {"topic", request.topic}})},
       {"asked_at", to_rfc3339(terms.asked_at)},
       {"expires_at", to_rfc3339(terms.expires_at)},
       {"time_left_ms", std::move(left)},
       {"updated_at", to_rfc3339(job.last_at)}});
  JsonFields fields(out);
  fields("payload", request.input);
  if (job.verdict) {
    fields("rule_id", job.verdict->rule_id);
    fields("constraints", job.verdict->constraints);
  }
  if (request.compensation) out.set("compensation", to_value(*request.compensation));
  return out;
}

}  // namespace fermata::job::view
