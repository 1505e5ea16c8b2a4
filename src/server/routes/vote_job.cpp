#include "core/job/view.h"
#include "front/fields.h"
#include "server/routes/approval_routes.h"
#include "server/routes/common.h"
#include "server/routes/job_routes.h"

namespace fermata::server::routes {
namespace {

struct VoteRead {
  std::string hash;
  std::string reason;
  std::string note;
};

Outcome<VoteRead> read_vote_of_job(const Value& body) {
  front::Fields fields(body);
  VoteRead vote;
  vote.hash = fields.text("hash").value_or("");
  vote.reason = fields.text("reason").value_or("");
  vote.note = fields.text("note").value_or("");
  FERMATA_TRY_VOID(fields.finish());
  if (!vote.hash.empty()) return vote;
  return fail(ErrorCode::invalid_field, "/hash: The hash of the request that was looked at.",
              {{"invalid_field", "/hash", "The hash of the request that was looked at.", {}}});
}

/// Who runs the engine for himself alone has nobody else to ask.
job::Voter voter_of(const Call& call) {
  return {call.who.actor, std::string(name_of(call.who.role)), call.who.actor == "local"};
}

/// What was due came first: the approval had run out, or policy says otherwise by now.
bool came_too_late(const job::Summary& summary) {
  return summary.reason_code == "approval_expired" || summary.reason_code == "policy_changed";
}

void send_vote(Api& api, Call call, job::CommandBody body) {
  job::Command command{JobId(call.variable(0)), std::move(body), call.who.actor, call.who.account};
  send_job(api, std::move(call), std::move(command),
           [](Api& served_by, const Call& asked, const JobTold& told) {
             if (!came_too_late(told.summary))
               return asked.send_json(200, job::view::receipt(told.summary));
             served_by.fail(asked, {ErrorCode::approval_not_pending,
                                    "The job is " + std::string(name_of(told.summary.state)) +
                                        ": " + told.summary.reason_code + ".",
                                    {}});
           });
}

/// The row is read as it is after the commit, on a worker thread.
void tell_approval(Api& api, const Call& call) {
  auto job = own_job(api, call);
  if (!job) return api.fail(call, job.error());
  call.send_json(200, job::view::approval(*job, api.now()));
}

}  // namespace

void answer_job_approval(Api& api, Call call, bool approve) {
  auto vote = read_vote_of_job(call.body);
  if (!vote) return api.fail(call, vote.error());
  job::CommandBody body = job::RejectJob{vote->hash, voter_of(call), vote->reason};
  if (approve) body = job::ApproveJob{vote->hash, voter_of(call), vote->reason, vote->note};
  job::Command command{JobId(call.variable(0)), std::move(body), call.who.actor, call.who.account};
  send_job(api, std::move(call), std::move(command),
           [](Api& told, const Call& asked, const JobTold& answer) {
             if (came_too_late(answer.summary))
               return told.fail(asked, {ErrorCode::approval_not_pending,
                                        "The job is " + answer.summary.reason_code + ".",
                                        {}});
             told.pool().submit_owed([&told, asked] { tell_approval(told, asked); });
           });
}

void approve_job(Api& api, Call call) {
  auto vote = read_vote_of_job(call.body);
  if (!vote) return api.fail(call, vote.error());
  job::ApproveJob body{vote->hash, voter_of(call), vote->reason, vote->note};
  send_vote(api, std::move(call), std::move(body));
}

void reject_job(Api& api, Call call) {
  auto vote = read_vote_of_job(call.body);
  if (!vote) return api.fail(call, vote.error());
  job::RejectJob body{vote->hash, voter_of(call), vote->reason};
  send_vote(api, std::move(call), std::move(body));
}

}  // namespace fermata::server::routes
