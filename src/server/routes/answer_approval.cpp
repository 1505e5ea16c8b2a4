#include "core/run/approval_view.h"
#include "front/approval_query.h"
#include "server/routes/approval_routes.h"
#include "server/routes/common.h"

namespace fermata::server::routes {
namespace {

/// What has been answered stays so, whatever became of its run since.
std::optional<Error> refusal_of(const ApprovalRecord& record) {
  const Approval& approval = record.approval;
  if (approval.status == ApprovalStatus::pending) return std::nullopt;
  std::string how = "The approval is " + std::string(name_of(approval.status));
  if (!approval.by.empty()) how += ", by " + approval.by;
  if (!approval.ended_reason.empty()) how += ": " + approval.ended_reason;
  return Error{ErrorCode::approval_not_pending, how + ".", {}};
}

/// After its commit, on a worker thread: the row is read as it is then.
void tell(Api& api, const Call& call) {
  auto record = own_approval(api, call);
  if (!record) return api.fail(call, record.error());
  call.send_json(200, view::approval(*record, api.now()));
}

void answer(Api& api, Call call, bool approve) {
  auto vote = front::read_vote(call.body, approve);
  if (!vote) return api.fail(call, vote.error());
  auto record = own_approval(api, call);
  if (!record) return api.fail(call, record.error());
  if (auto refusal = refusal_of(*record)) return api.fail(call, *refusal);
  vote->role = name_of(call.who.role);
  // Who runs the engine for himself alone has nobody else to ask.
  vote->may_be_own = api.options().approvals_allow_self || call.who.actor == "local";
  Command command{record->run, AnswerApproval{record->approval.id, *std::move(vote)},
                  call.who.actor};
  submit(api, std::move(call), std::move(command),
         [](Api& told, const Call& asked, const RunSummary&) {
           // The partition's thread must not wait for the disk.
           told.pool().submit_owed([&told, asked] { tell(told, asked); });
         });
}

}  // namespace

void approve_approval(Api& api, Call call) {
  if (is_job_approval(api, call)) return answer_job_approval(api, std::move(call), true);
  answer(api, std::move(call), true);
}

void reject_approval(Api& api, Call call) {
  // Who says no to a job says why, as to a run.
  auto vote = front::read_vote(call.body, false);
  if (!vote) return api.fail(call, vote.error());
  if (is_job_approval(api, call)) return answer_job_approval(api, std::move(call), false);
  answer(api, std::move(call), false);
}

}  // namespace fermata::server::routes
