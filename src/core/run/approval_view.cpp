#include "core/run/approval_view.h"

#include <algorithm>

namespace fermata::view {
namespace {

Value text(const std::string& text) { return text.empty() ? Value() : Value(text); }
Value instant(const std::optional<Instant>& at) { return at ? Value(to_rfc3339(*at)) : Value(); }

}  // namespace

Value approval(const ApprovalRecord& record, Instant now) {
  const Approval& a = record.approval;
  Value approvers = Value::array();
  for (const std::string& one : a.approvers) approvers.push(one);
  Value left;
  if (a.expires_at && a.status == ApprovalStatus::pending)
    left = Value(std::max<int64_t>(0, (*a.expires_at - now).ms));
  return Value::object({{"id", a.id},
                        {"kind", "run"},
                        {"status", name_of(a.status)},
                        {"title", a.title},
                        {"message", text(a.message)},
                        {"payload", a.payload},
                        {"hash", a.hash},
                        {"approvers", std::move(approvers)},
                        {"workflow_id", record.workflow.text()},
                        {"execution_id", record.run.text()},
                        {"contact_id", text(record.contact_id)},
                        {"step_id", a.step},
                        {"source", name_of(a.source)},
                        {"started_by", text(record.started_by)},
                        {"unblocks", a.unblocks},
                        {"asked_at", to_rfc3339(a.asked_at)},
                        {"expires_at", instant(a.expires_at)},
                        {"time_left_ms", std::move(left)},
                        {"on_timeout", text(a.on_timeout)},
                        {"ended_at", instant(a.ended_at)},
                        {"by", text(a.by)},
                        {"comment", text(a.comment)},
                        {"ended_reason", text(a.ended_reason)},
                        {"updated_at", to_rfc3339(a.updated_at)}});
}

}  // namespace fermata::view
