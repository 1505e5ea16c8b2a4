#include "core/job/votes.h"

#include <algorithm>
#include <array>

namespace fermata::job {

namespace {

/// Roles in the order of what they may.
constexpr std::array<std::string_view, 5> ranks = {"viewer", "operator", "editor", "admin", "root"};

size_t rank_of(std::string_view role) {
  auto found = std::find(ranks.begin(), ranks.end(), role);
  return found == ranks.end() ? 0 : static_cast<size_t>(found - ranks.begin());
}

/// The lowest role that may vote: `operator`, or what the rule asks for.
std::string_view lowest(const Approval& terms) {
  std::string_view least = terms.roles.empty() ? "operator" : std::string_view(terms.roles[0]);
  for (const std::string& role : terms.roles)
    if (rank_of(role) < rank_of(least)) least = role;
  return rank_of(least) < 1 ? "operator" : least;
}

}  // namespace

bool has_expired(const Step& step) {
  const Job& job = step.job;
  return job.state == State::approval_required && job.approval &&
         job.approval->expires_at <= step.at;
}

bool has_asked(const Job& job, const Voter& voter) {
  // A submitter is a key and whoever it speaks for.
  return job.submitter == voter.id || job.submitter.starts_with(voter.id + ":") ||
         voter.id == job.request.step.started_by;
}

Outcome<void> may_vote(const Step& step, const std::string& hash, const Voter& voter,
                       const Approval& terms) {
  const Job& job = step.job;
  if (job.state != State::approval_required || !job.approval)
    return fail(ErrorCode::approval_not_pending,
                "the job is " + std::string(name_of(job.state)) + "; it awaits no approval");
  if (hash != job.approval->request_hash)
    return fail(ErrorCode::approval_stale_request,
                "the request has the hash " + job.approval->request_hash);
  if (has_asked(job, voter) && !voter.may_be_submitter)
    return fail(ErrorCode::approval_by_submitter, voter.id + " has asked for this job");
  if (rank_of(voter.role) < rank_of(lowest(terms)))
    return fail(ErrorCode::forbidden,
                "the role " + std::string(lowest(terms)) + " or a higher one is needed");
  return {};
}

}  // namespace fermata::job
