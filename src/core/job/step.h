#pragma once
#include "base/random.h"
#include "core/job/decide.h"
#include "core/job/transitions.h"

namespace fermata::job {

/// A decision in the making: every event it emits is folded into the job at once, so that what
/// follows sees what came before.
class Step {
 public:
  Step(Job& job, const Command& command, const Given& given)
      : job(job),
        command(command),
        given(given),
        // A history never goes back in time, even when the clock does.
        at(given.now > job.last_at ? given.now : job.last_at),
        random(given.entropy) {}

  template <class E>
  void emit(E body) {
    Event& event = decision.events.emplace_back(Event{job.last_sequence + 1, at, std::move(body)});
    evolve(job, event);
  }
  void record(Record record) { decision.records.push_back(std::move(record)); }
  void effect(Effect effect) { decision.effects.push_back(std::move(effect)); }
  void audit(std::string action, std::string reason, Value details = {});

  Job& job;
  const Command& command;
  const Given& given;
  const Instant at;
  Random random;
  Decision decision;
};

// One file each. They check first and refuse without a trace, then emit.
Outcome<void> on_submit(Step& step, const SubmitJob& submit);
Outcome<void> on_judge(Step& step, const JudgeJob& judge);
Outcome<void> on_place(Step& step, const PlaceJob& place);
Outcome<void> on_life(Step& step, const NoteLife& life);
Outcome<void> on_report(Step& step, const ReportResult& result);
Outcome<void> on_decline(Step& step, const DeclineJob& decline);
Outcome<void> on_lose(Step& step, const LoseLease& lose);
Outcome<void> on_undelivered(Step& step, const MarkUndelivered& mark);
Outcome<void> on_cancel(Step& step, const CancelJob& cancel);
Outcome<void> on_leave_late(Step& step, const LeaveLateSuccess& leave);
Outcome<void> on_wake(Step& step);
Outcome<void> on_amend(Step& step, const AmendJob& amend);
Outcome<void> on_approve(Step& step, const ApproveJob& approve);
Outcome<void> on_reject(Step& step, const RejectJob& reject);
Outcome<void> on_review(Step& step, const ReviewJob& review);
Outcome<void> on_judge_output(Step& step, const JudgeOutput& judge);
Outcome<void> on_resume_scan(Step& step);
Outcome<void> on_release(Step& step, const ReleaseOutput& release);
Outcome<void> on_discard(Step& step, const DiscardOutput& discard);
Outcome<void> on_reading(Step& step);
Outcome<void> on_content(Step& step, const NoteContent& note);

/// A refusal that says the first finding and lists all.
Failure<Error> invalid(std::vector<Finding> findings);

// policy.cpp
/// Judges the job by the rules at hand and moves it; asks outside when they cannot tell.
void ask_policy(Step& step);
/// Moves the job as the verdict says; refuses a verdict that means nothing in its state.
Outcome<void> take_verdict(Step& step, Verdict verdict);
/// What the kernel has said about the job, or that it could not be asked, joined with the rules.
Outcome<void> take_word(Step& step, const JudgeJob& word);
/// What the rules in force say now. Nothing: they cannot tell.
std::optional<Judged> judged(const Step& step);
/// The same joined with the kernel's word, where there is a kernel. Nothing: it could not be asked.
std::optional<Judged> judged(const Step& step, const std::optional<JudgeJob>& kernel);
/// True when the job's verdict is of the policy in force (J-27).
bool is_current(const Step& step);
/// Has the input read, for the policy in force.
void order_content(Step& step);
/// Writes it into the decision log. There is none of a policy that does not exist.
void log_decision(Step& step, const Judged& judged);

// approval.cpp
/// The terms that a verdict asks for, with nobody's vote yet.
Approval asked_approval(const Step& step, const Verdict& verdict, std::string request_hash);
/// True when the votes of `before` count under the terms of `now` as well (J-43).
bool same_terms(const Verdict& verdict, const Approval& now, const Job& before);
/// The hash of the request as it is stored, whatever the record says of it (J-41).
std::string stored_hash(const Job& job);
/// Into the queue, by its votes.
void release_approved(Step& step, Verdict verdict);

// attempt.cpp
/// How an attempt ended, before it is decided what follows.
struct AttemptEnd {
  AttemptOutcome outcome = AttemptOutcome::lost;
  CountsAs counts = CountsAs::nothing;
  Value error;
  int64_t execution_ms = 0;
  Usage usage;
  std::string digest;
  int64_t delay_ms = 0;     ///< before the next one, when nothing is counted
  std::string reason_code;  ///< of the job, should this have been the last one
};
/// Ends the open attempt and decides whether another one is due (J-13).
void end_attempt(Step& step, AttemptEnd end);
/// Ends the open attempt, if there is one, because the job itself ends; tells the worker.
void revoke_attempt(Step& step, AttemptOutcome outcome, std::string reason);
/// Writes that the open attempt has ended, and no more.
void close_attempt(Step& step, const AttemptEnd& end);
/// Back into the queue after the backoff.
void requeue(Step& step);

// output.cpp
/// The attempt has succeeded: its result is the job's, or is held back.
void take_result(Step& step, const Report& report);
/// What the policy in force says of a result of this size.
OutputPlan output_plan(const Step& step, const ResultSize& size);
ResultSize size_of(const Report& report);
/// Begins a scan of what is held, under the policy in force.
void begin_scan(Step& step);
/// A scan came to nothing: again later, or what the fail mode says.
void fail_scan(Step& step, const std::string& why);
/// Takes the bytes of the held result away.
void drop_held(Step& step);
/// The run hears of a result that nobody may have, if it still waits for people to look.
void end_review(Step& step, std::string reason);

// ending.cpp
/// Nobody may have the output; the job ends, or had ended well before.
void quarantine(Step& step, std::string reason_code, std::string reason);
/// Out of quarantine, by people.
void release(Step& step, Payload output, const std::string& by, const std::string& note);
/// Tells the run how the job has ended.
void tell_end(Step& step, Cause cause, const Payload* output);
void succeed(Step& step, Payload output, std::vector<Artifact> artifacts);
/// The same before the output was scanned: its bytes are those that are held.
void succeed_meanwhile(Step& step, const Payload& output, std::vector<Artifact> artifacts);
/// A gate is passed: its votes are its output.
void pass_gate(Step& step, Payload output);
void fail_job(Step& step, Cause cause, std::string reason_code, Value error);
void time_out(Step& step, Cause cause, std::string reason_code, Value error);
void cancel(Step& step, std::string reason, std::string by, bool awaited = false);
/// Opens a dead letter for something other than the way the job ended.
void leave_dead_letter(Step& step, std::string reason_code, std::string reason);
void deny(Step& step, Cause cause, Verdict verdict, std::string reason_code, std::string reason);
/// The payload as the record keeps it: a large one becomes a blob of the same commit.
Payload stored(Step& step, Payload payload);

// queueing.cpp
/// When the queue has kept it too long, from now.
std::optional<Instant> queue_limit(const Step& step);
/// When a place has been looked for in vain for too long, from now (J-53). Nothing: never.
std::optional<Instant> give_up_limit(Step& step);
/// The time is up: ends the job, or looks on when it could have had a place in between.
void give_up(Step& step);

}  // namespace fermata::job
