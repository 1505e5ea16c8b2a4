#include "core/job/votes.h"

/// What people make of a result that was refused (J-51).
namespace fermata::job {

namespace {

Outcome<void> may_review(const Step& step, const Voter& voter) {
  const Job& job = step.job;
  FERMATA_TRY_VOID(permit(job.state, Cause::release_output));
  if (!job.held)
    return fail(ErrorCode::wrong_state, "the output was discarded; there is nothing to look at");
  if (has_asked(job, voter) && !voter.may_be_submitter)
    return fail(ErrorCode::approval_by_submitter, voter.id + " has asked for this job");
  return {};
}

}  // namespace

Outcome<void> on_release(Step& step, const ReleaseOutput& order) {
  FERMATA_TRY_VOID(may_review(step, order.voter));
  if (order.output.sha256 != step.job.held->sha256)
    return fail(ErrorCode::data_damaged, "what is held is not what the worker reported");
  step.record(DropHeld{});
  release(step, order.output, order.voter.id, order.note);
  return {};
}

Outcome<void> on_discard(Step& step, const DiscardOutput& order) {
  FERMATA_TRY_VOID(may_review(step, order.voter));
  drop_held(step);
  step.emit(OutputDiscarded{order.voter.id, order.reason});
  step.record(SettleLetter{false, order.voter.id, step.at});
  step.audit("job.output_discard", order.reason);
  if (step.job.review_until) end_review(step, "the output was discarded");
  return {};
}

Outcome<void> on_reading(Step& step) {
  const Job& job = step.job;
  if (!job.held && !job.keeps_original())
    return fail(ErrorCode::value_not_found, "no output of the job is held back");
  step.audit("job.output_read", "", Value::object({{"state", name_of(job.state)}}));
  return {};
}

}  // namespace fermata::job
