#include "sim/auditors/approval_rows.h"

#include "core/run/approval_events.h"
#include "sim/auditors/auditor.h"

namespace fermata::sim {

void ApprovalRows::written(Run& state, const std::vector<ApprovalRecord>& approvals) {
  if (take_approval_changes(state) != approvals)
    violate(state, "the rows of approvals are not those that the events changed");
  for (const ApprovalRecord& record : approvals) {
    const Approval& to = record.approval;
    auto [row, fresh] = rows_.try_emplace(to.id, to);
    if ((to.status == ApprovalStatus::pending) == to.ended_at.has_value())
      violate(state, "approval " + to.id + " does not know whether it has ended");
    if (!fresh && row->second.status != ApprovalStatus::pending)
      violate(state, "approval " + to.id + " changes after its end");
    if (!fresh && row->second.hash != to.hash)
      violate(state, "approval " + to.id + " asks something else");
    row->second = to;
  }
  for (const auto& [number, approval] : state.approvals) {
    auto row = rows_.find(approval.id);
    if (row == rows_.end() || row->second.status != ApprovalStatus::pending)
      violate(state, "approval " + approval.id + " has another row");
    bool token =
        state.tokens.contains(number) && state.tokens.at(number).parked == Parked::approval;
    bool awaited = state.script && state.script->awaitables.contains(static_cast<uint32_t>(number));
    if (!token && !awaited) violate(state, "nobody waits for approval " + approval.id);
  }
  for (const auto& [id, token] : state.tokens)
    if (token.parked == Parked::approval && !state.approvals.contains(id))
      violate(state, "a token waits for an answer that nobody is asked for");
}

}  // namespace fermata::sim
