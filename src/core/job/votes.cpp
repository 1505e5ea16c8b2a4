#include "core/job/votes.h"

#include <algorithm>

#include "core/approval/vote.h"

namespace fermata::job {

namespace {

/// Who has asked for what the request says now: its submitter, who started its run, and everybody
/// who has amended it.
std::vector<std::string_view> askers(const Job& job) {
  std::string_view submitter = job.submitter;
  // A submitter is a key and whoever it speaks for.
  std::vector<std::string_view> out{submitter.substr(0, submitter.find(':')),
                                    job.request.step.started_by};
  out.insert(out.end(), job.amended_by.begin(), job.amended_by.end());
  return out;
}

}  // namespace

bool has_expired(const Step& step) {
  const Job& job = step.job;
  return job.state == State::approval_required && job.approval &&
         job.approval->expires_at <= step.at;
}

bool has_asked(const Job& job, const Voter& voter) {
  auto asked = askers(job);
  return std::find(asked.begin(), asked.end(), voter.id) != asked.end();
}

Outcome<void> may_vote(const Step& step, const std::string& hash, const Voter& voter,
                       const Approval& terms, bool approve) {
  const Job& job = step.job;
  if (job.state != State::approval_required || !job.approval)
    return fail(ErrorCode::approval_not_pending,
                "the job is " + std::string(name_of(job.state)) + "; it awaits no approval");
  std::vector<std::string> approvers = terms.roles;
  if (approvers.empty()) approvers.push_back("operator");
  std::vector<std::string_view> voted;
  for (const Vote& vote : terms.votes) voted.push_back(vote.by);
  return approval::may_vote({job.approval->request_hash, approvers, askers(job), std::move(voted)},
                            {approve, hash, "", voter.role, voter.may_be_submitter}, voter.id);
}

}  // namespace fermata::job
