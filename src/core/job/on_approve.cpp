#include "core/job/votes.h"

namespace fermata::job {

namespace {

/// What a gate leaves: who let it pass.
Payload gate_output(const Approval& approval) {
  Value by = Value::array();
  for (const Vote& vote : approval.votes) by.push(vote.by);
  const Vote& last = approval.votes.back();
  return Payload::of(
      Value::object({{"by", std::move(by)}, {"at", to_rfc3339(last.at)}, {"note", last.note}}));
}

void count_vote(Step& step, const ApproveJob& approve) {
  step.emit(JobVoted{Vote{approve.voter.id, step.at, approve.reason, approve.note}});
  const Approval& approval = *step.job.approval;
  step.audit("approval.approve", approve.reason,
             Value::object({{"request_hash", approval.request_hash},
                            {"votes", approval.votes.size()},
                            {"count", approval.count}}));
  if (approval.votes.size() < approval.count) return;
  if (step.job.request.topic == gate_topic) return pass_gate(step, gate_output(approval));
  release_approved(step, *step.job.verdict);
}

}  // namespace

Outcome<void> on_approve(Step& step, const ApproveJob& approve) {
  // What is due happens first; whoever asks sees it in the answer.
  if (has_expired(step)) return on_wake(step);
  if (!step.job.approval || step.job.state != State::approval_required)
    return may_vote(step, approve.hash, approve.voter, {}, true);
  Approval terms = *step.job.approval;
  // Votes count further down: policy may void them.
  Approval asked = terms;
  asked.votes.clear();
  FERMATA_TRY_VOID(may_vote(step, approve.hash, approve.voter, asked, true));
  auto said = judged(step, approve.kernel);
  if (!said || said->content_wanted)
    return fail(ErrorCode::policy_unavailable, "policy cannot be asked now; nothing has changed");
  const Verdict& verdict = said->verdict;
  if (verdict.kind == VerdictKind::require_approval) {
    // Judged once more at this moment (J-43): other terms void the votes so far.
    Approval now = asked_approval(step, verdict, terms.request_hash);
    bool same = same_terms(verdict, now, step.job);
    if (!same) terms = std::move(now);
    FERMATA_TRY_VOID(may_vote(step, approve.hash, approve.voter, terms, true));
    if (!same || !is_current(step)) {
      log_decision(step, *said);
      FERMATA_TRY_VOID(take_verdict(step, said->verdict));
    }
    count_vote(step, approve);
    return {};
  }
  if (verdict.kind == VerdictKind::throttle || verdict.kind == VerdictKind::unavailable) {
    // Whoever has looked at it has decided for more than a pause.
    FERMATA_TRY_VOID(may_vote(step, approve.hash, approve.voter, terms, true));
    count_vote(step, approve);
    return {};
  }
  log_decision(step, *said);
  return take_verdict(step, std::move(said->verdict));
}

}  // namespace fermata::job
