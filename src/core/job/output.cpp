#include "core/job/output.h"

#include <algorithm>

#include "base/check.h"
#include "base/json.h"
#include "core/job/retry.h"
#include "core/job/step.h"

/// Results that are held back until somebody has read them (jobs.md §5).
namespace fermata::job {

namespace {

HeldOutput held_of(const Step& step, const Report& report, const OutputPlan& plan) {
  HeldOutput held;
  held.fence = step.job.attempts.back().fence;
  held.sha256 = report.output.sha256;
  held.bytes = report.output.bytes;
  held.artifacts = report.artifacts;
  held.uploaded = report.uploaded;
  held.optimistic = plan.optimistic;
  held.fail_open = plan.fail_open;
  if (plan.step != OutputPlan::Step::scan) return held;
  held.snapshot = step.given.policy->snapshot;
  held.begun_at = step.at;
  held.scan_until = step.at + Duration{step.given.limits.scan_timeout_ms};
  return held;
}

void order_scan(Step& step) {
  const HeldOutput& held = *step.job.held;
  step.effect(ScanOutput{held.fence, held.tries, held.snapshot});
}

/// The rule that decides by size, type or topic alone.
OutputVerdict verdict_of(const Step& step, const OutputPlan& plan) {
  OutputVerdict verdict;
  verdict.decision = plan.decision;
  verdict.rule_id = plan.rule_id;
  verdict.reason = plan.reason;
  verdict.severity = plan.severity;
  verdict.snapshot = step.given.policy->snapshot;
  return verdict;
}

}  // namespace

std::string_view name_of(OutputDecision decision) {
  switch (decision) {
    case OutputDecision::allow: return "allow";
    case OutputDecision::quarantine: return "quarantine";
    case OutputDecision::deny: return "deny";
    case OutputDecision::redact: return "redact";
  }
  return "";
}

std::string_view name_of(Severity severity) {
  switch (severity) {
    case Severity::low: return "low";
    case Severity::medium: return "medium";
    case Severity::high: return "high";
    case Severity::critical: return "critical";
  }
  return "";
}

ResultSize size_of(const Report& report) {
  ResultSize size;
  size.output_bytes = report.output.bytes;
  for (const Artifact& artifact : report.artifacts) size.artifact_bytes += artifact.bytes;
  size.artifacts = report.artifacts.size();
  return size;
}

OutputPlan output_plan(const Step& step, const ResultSize& size) {
  const Policy* policy = step.given.policy;
  return policy && policy->plan_output ? policy->plan_output(step.job, size) : OutputPlan{};
}

void take_result(Step& step, const Report& report) {
  OutputPlan plan = output_plan(step, size_of(report));
  if (plan.step == OutputPlan::Step::pass) return succeed(step, report.output, report.artifacts);
  HeldOutput held = held_of(step, report, plan);
  step.record(KeepHeld{report.output.in_blob ? "" : to_canonical_json(report.output.value)});
  for (const Artifact& artifact : report.artifacts)
    step.record(KeepBlob{artifact.sha256, artifact.bytes, {}});
  if (plan.step == OutputPlan::Step::refuse) {
    held.optimistic = false;
    step.emit(JobOutputHeld{std::move(held)});
    step.emit(OutputJudged{verdict_of(step, plan)});
    return quarantine(step, "output_quarantined", plan.reason);
  }
  // Used before it was scanned: its bytes stand beside the job all the same.
  if (plan.optimistic) succeed_meanwhile(step, report.output, report.artifacts);
  check(plan.optimistic || find_move(step.job.state, Cause::hold_output) != nullptr);
  step.emit(JobOutputHeld{std::move(held)});
  order_scan(step);
}

void begin_scan(Step& step) {
  ResultSize size;
  const HeldOutput& held = *step.job.held;
  size.output_bytes = held.bytes;
  for (const Artifact& artifact : held.artifacts) size.artifact_bytes += artifact.bytes;
  size.artifacts = held.artifacts.size();
  OutputPlan plan = output_plan(step, size);
  OutputScanBegun event;
  event.snapshot = step.given.policy ? step.given.policy->snapshot : "none";
  event.fail_open = plan.fail_open;
  event.scan_until = step.at + Duration{step.given.limits.scan_timeout_ms};
  step.emit(std::move(event));
  order_scan(step);
}

void fail_scan(Step& step, const std::string& why) {
  const HeldOutput& held = *step.job.held;
  const Limits& limits = step.given.limits;
  uint32_t tries = held.tries + 1;
  bool last = tries >= limits.scan_tries;
  OutputScanFailed event{tries, why, std::nullopt};
  // What passes unscanned still has to be read, however often that fails.
  if (!last || held.fail_open)
    event.scan_at = step.at + Duration{backoff_ms(tries - 1, step.random.below(backoff_jitter_ms))};
  bool ends = !event.scan_at;
  step.emit(std::move(event));
  if (!ends) return;
  OutputVerdict verdict;
  verdict.decision = OutputDecision::quarantine;
  verdict.reason = why;
  verdict.snapshot = held.snapshot;
  step.emit(OutputJudged{std::move(verdict)});
  quarantine(step, "scan_failed", "the output could not be scanned: " + why);
}

void drop_held(Step& step) {
  if (!step.job.held) return;
  const HeldOutput& held = *step.job.held;
  step.record(DropHeld{});
  for (const Artifact& artifact : held.artifacts) step.record(DropBlob{artifact.sha256});
  if (!held.uploaded.empty()) step.record(DropBlob{held.uploaded});
}

void end_review(Step& step, std::string reason) {
  step.emit(ReviewEnded{std::move(reason)});
  tell_end(step, Cause::quarantine, nullptr);
}

}  // namespace fermata::job
