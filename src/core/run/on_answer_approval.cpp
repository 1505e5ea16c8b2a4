#include "core/graph/advance.h"
#include "core/graph/approval.h"
#include "core/run/approval_events.h"
#include "core/run/step.h"

namespace fermata {

Outcome<void> on_answer_approval(Step& step, const Command& command, const AnswerApproval& answer) {
  const Run& run = step.run;
  if (run.finished()) return fail(ErrorCode::run_finished, "the execution has ended");
  const Approval* open = find_approval(run, answer.approval);
  if (!open) return fail(ErrorCode::approval_not_pending, "nobody waits for this answer any more");
  // What has run out is not answered, though its timer may be late.
  if (open->expires_at && step.at > *open->expires_at)
    return fail(ErrorCode::approval_not_pending,
                "the time for an answer was over at " + to_rfc3339(*open->expires_at));
  const approval::Vote& vote = answer.vote;
  FERMATA_TRY_VOID(
      approval::may_vote({open->hash, open->approvers, {run.started_by}}, vote, command.actor));
  Approval asked = *open;
  ApprovalStatus status = vote.approve ? ApprovalStatus::approved : ApprovalStatus::rejected;
  step.emit(ApprovalDecided{asked.number, asked.id, status, command.actor, vote.comment});
  if (asked.source == WaitSource::flow) {
    Value comment = vote.comment.empty() ? Value() : Value(vote.comment);
    settle_awaited(step, static_cast<uint32_t>(asked.number), flow::AwaitableStatus::completed,
                   Value::object({{"approved", vote.approve},
                                  {"by", command.actor},
                                  {"at", to_rfc3339(step.at)},
                                  {"comment", std::move(comment)}}));
    return {};
  }
  graph::take_decision(step, asked, {vote.approve, command.actor, vote.comment});
  graph::advance(step);
  return {};
}

}  // namespace fermata
