#include <algorithm>

#include "core/job/step.h"

namespace fermata::job {

namespace {

bool contains(const std::vector<Artifact>& list, const Artifact& artifact) {
  return std::any_of(list.begin(), list.end(),
                     [&](const Artifact& one) { return one.sha256 == artifact.sha256; });
}

/// What was redacted goes: its bytes beside the job, and those that its worker had put.
void drop_originals(Step& step, const HeldOutput& held, const JudgeOutput& judge) {
  if (judge.verdict.original_kept) return;
  step.record(DropHeld{});
  if (judge.verdict.decision != OutputDecision::redact) return;
  for (const Artifact& artifact : held.artifacts)
    if (!contains(judge.artifacts, artifact)) step.record(DropBlob{artifact.sha256});
  if (!held.uploaded.empty() && held.uploaded != judge.output.sha256)
    step.record(DropBlob{held.uploaded});
}

/// The result, as it was or redacted, is for everybody.
void pass(Step& step, const JudgeOutput& judge) {
  HeldOutput held = *step.job.held;
  if (step.job.state == State::succeeded) {
    for (const Artifact& artifact : judge.artifacts)
      step.record(KeepBlob{artifact.sha256, artifact.bytes, {}});
    step.emit(OutputCleared{stored(step, judge.output), judge.artifacts});
  } else {
    succeed(step, judge.output, judge.artifacts);
  }
  drop_originals(step, held, judge);
  if (judge.verdict.unscanned) step.audit("job.output_unscanned", judge.verdict.reason);
}

}  // namespace

Outcome<void> on_judge_output(Step& step, const JudgeOutput& judge) {
  const Job& job = step.job;
  if (!job.held || job.held->snapshot.empty())
    return fail(ErrorCode::wrong_state, "nothing of the job is being scanned");
  const HeldOutput& held = *job.held;
  if (judge.fence != held.fence || judge.snapshot != held.snapshot)
    return fail(ErrorCode::wrong_state, "the scan is of another attempt or another policy");
  const std::string active = step.given.policy ? step.given.policy->snapshot : "none";
  if (active != held.snapshot) {
    // Read once more under the rules that hold now.
    begin_scan(step);
    return {};
  }
  if (!judge.problem.empty() || judge.sha256 != held.sha256) {
    if (!held.scan_until) return fail(ErrorCode::nothing_due, "this scan was given up already");
    fail_scan(step, judge.problem.empty() ? "other bytes were read than are held" : judge.problem);
    return {};
  }
  OutputVerdict verdict = judge.verdict;
  bool refused =
      verdict.decision == OutputDecision::quarantine || verdict.decision == OutputDecision::deny;
  if (verdict.decision == OutputDecision::redact) verdict.original_sha256 = held.sha256;
  verdict.snapshot = held.snapshot;
  std::string reason = verdict.reason;
  step.emit(OutputJudged{std::move(verdict)});
  if (!refused) {
    pass(step, judge);
    return {};
  }
  bool late = job.state == State::succeeded;
  quarantine(step, late ? "output_quarantined_async" : "output_quarantined", std::move(reason));
  return {};
}

Outcome<void> on_resume_scan(Step& step) {
  const Job& job = step.job;
  if (job.state == State::pending && job.phase == Phase::content_check) {
    ask_policy(step);
    return {};
  }
  if (!job.held || !job.held->scan_until)
    return fail(ErrorCode::nothing_due, "nothing of the job is being scanned");
  step.effect(ScanOutput{job.held->fence, job.held->tries, job.held->snapshot});
  return {};
}

}  // namespace fermata::job
