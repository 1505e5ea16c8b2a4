#include "core/job/decide.h"

#include "core/job/step.h"

namespace fermata::job {

Failure<Error> invalid(std::vector<Finding> findings) {
  std::string first = findings.at(0).path + ": " + findings[0].message;
  return fail(ErrorCode::invalid_field, std::move(first), std::move(findings));
}

namespace {

template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <class... F>
Overloaded(F...) -> Overloaded<F...>;

bool is_workers_word(const CommandBody& body) {
  return std::holds_alternative<ReportResult>(body) || std::holds_alternative<DeclineJob>(body);
}

}  // namespace

void Step::audit(std::string action, std::string reason, Value details) {
  record(AuditLine{job.account, at, command.actor, std::move(action), command.job.text(),
                   std::move(reason), std::move(details)});
}

Outcome<Decision> decide(Job& job, const Command& command, const Given& given) {
  bool submits = std::holds_alternative<SubmitJob>(command.body);
  bool theirs = command.account.empty() || command.account == job.account;
  if (!submits && (!job.exists() || !theirs)) {
    Decision nobody;
    nobody.answer = Answer::unknown_job;
    if (is_workers_word(command.body)) return nobody;
    return fail(ErrorCode::job_not_found, "there is no job " + command.job.text());
  }
  Step step(job, command, given);
  auto outcome =
      std::visit(Overloaded{
                     [&](const SubmitJob& body) { return on_submit(step, body); },
                     [&](const JudgeJob& body) { return on_judge(step, body); },
                     [&](const PlaceJob& body) { return on_place(step, body); },
                     [&](const NoteLife& body) { return on_life(step, body); },
                     [&](const ReportResult& body) { return on_report(step, body); },
                     [&](const DeclineJob& body) { return on_decline(step, body); },
                     [&](const LoseLease& body) { return on_lose(step, body); },
                     [&](const MarkUndelivered& body) { return on_undelivered(step, body); },
                     [&](const CancelJob& body) { return on_cancel(step, body); },
                     [&](const WakeJob&) { return on_wake(step); },
                     [&](const AmendJob& body) { return on_amend(step, body); },
                     [&](const ApproveJob& body) { return on_approve(step, body); },
                     [&](const RejectJob& body) { return on_reject(step, body); },
                     [&](const ReviewJob& body) { return on_review(step, body); },
                     [&](const LeaveLateSuccess& body) { return on_leave_late(step, body); },
                     [&](const JudgeOutput& body) { return on_judge_output(step, body); },
                     [&](const ResumeScan&) { return on_resume_scan(step); },
                     [&](const ReleaseOutput& body) { return on_release(step, body); },
                     [&](const DiscardOutput& body) { return on_discard(step, body); },
                     [&](const NoteReading&) { return on_reading(step); },
                     [&](const NoteContent& body) { return on_content(step, body); },
                 },
                 command.body);
  if (!outcome) return Failure{std::move(outcome).error()};
  return std::move(step.decision);
}

bool still_wanted(const Job& job, const Effect& effect) {
  return std::visit(
      Overloaded{
          [&](const OfferJob&) { return job.state == State::scheduled; },
          [&](const WithdrawJob&) { return job.state != State::scheduled; },
          [&](const RevokeLease&) { return true; },
          [&](const FreeLease&) { return true; },
          [&](const AskPolicy& ask) {
            return job.state == State::pending && job.revision == ask.revision;
          },
          [&](const ScanInput& scan) { return !job.finished() && job.revision == scan.revision; },
          [&](const ScanOutput& scan) {
            return job.held && job.held->fence == scan.fence && job.held->tries == scan.tries &&
                   job.held->snapshot == scan.snapshot;
          },
      },
      effect);
}

}  // namespace fermata::job
