#include "core/job/hearing.h"

namespace fermata::job {

namespace {

/// The error as the job keeps it. A worker that names none still failed.
Value kept_error(const Step& step, const Report& report) {
  if (report.status == AttemptOutcome::succeeded) return {};
  const Value& code = report.error.get("code");
  const Value& message = report.error.get("message");
  Value kept = make_error(code.is_string() ? code.as_string() : name_of(report.status),
                          message.is_string() ? message.as_string() : std::string_view(),
                          report.error.get("details"));
  const Policy* policy = step.given.policy;
  return policy && policy->clean_error ? policy->clean_error(step.job, kept) : kept;
}

std::string reason_code_of(const Value& error) {
  std::string_view code = error.get("code").as_string();
  if (code == "invalid_result" || code == "result_too_large") return std::string(code);
  return "retries_exhausted";
}

/// A success whose output nobody may keep is a failure of the attempt (J-65).
Report within_limits(Report report, uint64_t output_bytes_max) {
  if (report.status != AttemptOutcome::succeeded || report.output.bytes <= output_bytes_max)
    return report;
  report.status = AttemptOutcome::failed;
  report.error =
      make_error("result_too_large", "the output has " + std::to_string(report.output.bytes) +
                                         " bytes, at most " + std::to_string(output_bytes_max) +
                                         " are allowed (jobs_output_bytes_max)");
  report.output = {};
  return report;
}

/// Policy may allow less of each artifact than the engine does (J-22).
Report within_constraints(Report report, const Job& job) {
  auto most = job.verdict ? constraint(*job.verdict, "max_artifact_bytes") : std::nullopt;
  if (report.status != AttemptOutcome::succeeded || !most) return report;
  for (const Artifact& artifact : report.artifacts) {
    if (artifact.bytes <= static_cast<uint64_t>(*most)) continue;
    report.status = AttemptOutcome::failed;
    report.error =
        make_error("result_too_large",
                   "artifact " + artifact.name + " has " + std::to_string(artifact.bytes) +
                       " bytes, policy allows " + std::to_string(*most) + " (max_artifact_bytes)");
    report.output = {};
    report.artifacts.clear();
    return report;
  }
  return report;
}

AttemptEnd end_of(const Step& step, const Report& report, std::string digest) {
  AttemptEnd end;
  end.outcome = report.status;
  end.error = kept_error(step, report);
  end.execution_ms = report.execution_ms;
  end.usage = report.usage;
  end.digest = std::move(digest);
  return end;
}

void accept(Step& step, const Report& report, AttemptEnd end) {
  switch (report.status) {
    case AttemptOutcome::succeeded: close_attempt(step, end); return take_result(step, report);
    case AttemptOutcome::failed_fatal:
      close_attempt(step, end);
      return fail_job(step, Cause::fail_fatally, "failed_fatal", end.error);
    case AttemptOutcome::cancelled: {
      // Nobody had asked for it, or the fence would be revoked: the worker itself cancels.
      std::string worker = step.job.open_attempt()->worker.text();
      close_attempt(step, end);
      return cancel(step, "cancelled by the worker", "worker " + worker);
    }
    default:
      end.counts = CountsAs::a_try;
      end.reason_code = reason_code_of(end.error);
      return end_attempt(step, std::move(end));
  }
}

}  // namespace

Outcome<void> on_report(Step& step, const ReportResult& result) {
  const Limits& limits = step.given.limits;
  if (auto findings = check_report(result.report, limits.report); !findings.empty())
    return invalid(std::move(findings));
  std::string digest = digest_of(result.report);
  Answer answer = hear(step.job, result.spoken, digest);
  if (answer != Answer::accepted) {
    answer_only(step, answer, result.spoken, &result.report);
    return {};
  }
  const Attempt& open = *step.job.open_attempt();
  step.effect(FreeLease{open.fence, open.registration, false});
  Report report =
      within_constraints(within_limits(result.report, limits.report.output_bytes_max), step.job);
  accept(step, report, end_of(step, report, std::move(digest)));
  return {};
}

}  // namespace fermata::job
