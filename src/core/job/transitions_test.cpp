#include "core/job/transitions.h"

#include "core/job/job_fixture.h"

namespace fermata::job {
namespace {

constexpr uint8_t states = static_cast<uint8_t>(last_of(State{})) + 1;
constexpr uint8_t causes = static_cast<uint8_t>(last_of(Cause{})) + 1;

Verdict verdict(VerdictKind kind) {
  Verdict verdict;
  verdict.kind = kind;
  verdict.source = "rules";
  return verdict;
}

/// A policy under which a result is read, or refused.
const Policy* about_results(OutputPlan::Step step) {
  static Policy reads, refuses;
  OutputPlan plan;
  plan.step = step;
  plan.decision = OutputDecision::deny;
  Policy& policy = step == OutputPlan::Step::scan ? reads : refuses;
  policy.plan_output = [plan](const Job&, const ResultSize&) { return plan; };
  return &policy;
}

/// A job that was brought into a state by commands alone.
std::optional<JobFixture> in_state(State state) {
  JobFixture at;
  Request request = JobFixture::request();
  request.budget = Budget{.deadline_ms = 3'600'000};
  request.queue_timeout_ms = 600'000;
  request.run_timeout_ms = 600'000;
  request.retry = RetryPolicy{.max_attempts = 5};
  static const Policy asks{"none", [](const Job&, Instant) { return std::optional<Verdict>(); }};
  if (state == State::none) return at;
  at.given.policy = &asks;
  at.submit(request);
  at.given.policy = nullptr;
  switch (state) {
    // It waits for somebody's word; whoever looks at it meanwhile asks for that word again.
    case State::pending: at.given.policy = &asks; break;
    case State::approval_required: at.must(JudgeJob{verdict(VerdictKind::require_approval)}); break;
    case State::denied: at.must(JudgeJob{verdict(VerdictKind::deny)}); break;
    case State::cancelled: at.must(CancelJob{"no"}); break;
    default: at.must(JudgeJob{verdict(VerdictKind::allow)});
  }
  bool quarantined = state == State::output_quarantined;
  if ((state >= State::dispatched && state <= State::timeout) || quarantined) at.place();
  if (quarantined) {
    at.given.policy = about_results(OutputPlan::Step::refuse);
    at.say(JobFixture::success());
    at.given.policy = nullptr;
  }
  if (state == State::running) at.start();
  if (state == State::retrying) at.say(JobFixture::failure());
  if (state == State::succeeded) at.say(JobFixture::success());
  if (state == State::failed) at.say(JobFixture::failure(AttemptOutcome::failed_fatal));
  if (state == State::timeout) {
    at.pass(3'600'000);
    at.must(WakeJob{});
  }
  EXPECT_EQ(at.job.state, state);
  return at;
}

/// Sends what the cause stands for. False for causes whose commands come with routing.
bool bring_about(JobFixture& at, Cause cause, Outcome<Decision>& outcome) {
  Spoken nobody{1, 1, WorkerId("w1"), "default"};
  Spoken who = at.job.attempts.empty() ? nobody : at.spoken();
  uint64_t fence = at.job.last_fence;
  switch (cause) {
    case Cause::submit:
      // Anything but the request that made it: a repeat of that one is answered.
      outcome = at.send(SubmitJob{AccountId("acme"), JobFixture::request("other"), {}, "key"});
      return true;
    case Cause::allow: outcome = at.send(JudgeJob{verdict(VerdictKind::allow)}); return true;
    case Cause::require_approval:
      outcome = at.send(JudgeJob{verdict(VerdictKind::require_approval)});
      return true;
    case Cause::deny: outcome = at.send(JudgeJob{verdict(VerdictKind::deny)}); return true;
    case Cause::postpone: outcome = at.send(JudgeJob{verdict(VerdictKind::throttle)}); return true;
    case Cause::approval_expiry:
      if (at.job.approval) at.given.now = at.job.approval->expires_at;
      at.job.deadline_at.reset();
      outcome = decide(at.job, Command{at.job.id, WakeJob{}}, at.given);
      return true;
    case Cause::amend: outcome = at.send(AmendJob{.topic = "other"}); return true;
    case Cause::place: outcome = at.send(JobFixture::place_at()); return true;
    case Cause::queue_timeout:
      if (at.job.queue_until) at.given.now = *at.job.queue_until;
      outcome = at.send(WakeJob{});
      return true;
    case Cause::sign_of_life: outcome = at.send(NoteLife{fence}); return true;
    case Cause::succeed: outcome = at.send(ReportResult{who, JobFixture::success()}); return true;
    case Cause::attempt_again:
      outcome = at.send(ReportResult{who, JobFixture::failure()});
      return true;
    case Cause::attempts_failed:
      at.given.limits.losses_max = 0;
      outcome = at.send(LoseLease{fence});
      return true;
    case Cause::attempts_timed_out:
      at.job.request.retry.reset();
      if (const Attempt* open = at.job.open_attempt()) at.given.now = *open->run_until;
      at.given.limits.losses_max = 0;
      outcome = decide(at.job, Command{at.job.id, WakeJob{}}, at.given);
      return true;
    case Cause::fail_fatally:
      outcome = at.send(ReportResult{who, JobFixture::failure(AttemptOutcome::failed_fatal)});
      return true;
    case Cause::backoff_over:
      if (at.job.not_before) at.given.now = *at.job.not_before;
      outcome = at.send(WakeJob{});
      return true;
    case Cause::cancel: outcome = at.send(CancelJob{"stop"}); return true;
    case Cause::deadline:
      at.pass(3'600'000);
      outcome = at.send(WakeJob{});
      return true;
    case Cause::approve:
    case Cause::pass_gate: {
      // Under the policy that asked for it; a gate is a job of its own topic.
      Policy asks{"none", [](const Job&, Instant) {
                    return std::optional<Judged>(verdict(VerdictKind::require_approval));
                  }};
      at.given.policy = &asks;
      if (cause == Cause::pass_gate) at.job.request.topic = gate_topic;
      std::string hash = at.job.approval ? at.job.approval->request_hash : "";
      outcome = decide(at.job, Command{at.job.id, ApproveJob{hash, {"ann", "operator"}}}, at.given);
      at.given.policy = nullptr;
      return true;
    }
    case Cause::reject:
      outcome = at.send(RejectJob{at.job.request_hash, {"ann", "operator"}, "no"});
      return true;
    case Cause::hold_output:
    case Cause::quarantine:
      at.given.policy = about_results(cause == Cause::hold_output ? OutputPlan::Step::scan
                                                                  : OutputPlan::Step::refuse);
      outcome = at.send(ReportResult{who, JobFixture::success()});
      at.given.policy = nullptr;
      return true;
    case Cause::withdraw_output: {
      // As if it had been used before it was scanned.
      JudgeOutput judge{.fence = fence, .sha256 = "x", .snapshot = "none"};
      judge.verdict.decision = OutputDecision::deny;
      HeldOutput held{.fence = fence, .sha256 = "x", .snapshot = "none", .optimistic = true};
      if (at.job.state == State::succeeded) at.job.held = held;
      outcome = decide(at.job, Command{at.job.id, judge}, at.given);
      return true;
    }
    case Cause::release_output: {
      Payload output = JobFixture::success().output;
      outcome = at.send(ReleaseOutput{{"ann", "operator", false}, "", output});
      return true;
    }
    case Cause::give_up: return false;
  }
  return false;
}

bool opens_dead_letter(const Decision& decision) {
  for (const Record& record : decision.records)
    if (std::holds_alternative<DeadLetter>(record)) return true;
  return false;
}

/// Where the event that the cause led to left the job: what follows in the same commit (a verdict,
/// the end of a backoff of 0) is a move of its own.
State state_after_first_move(const JobFixture& before, const Decision& decision) {
  Job job = before.job;
  for (const Event& event : decision.events) {
    State was = job.state;
    evolve(job, event);
    bool stays = std::holds_alternative<JobAmended>(event.body) ||
                 std::holds_alternative<JobPostponed>(event.body) ||
                 std::holds_alternative<JobAllowed>(event.body) ||
                 std::holds_alternative<JobApprovalRequired>(event.body);
    if (job.state != was || stays) return job.state;
  }
  return job.state;
}

void walk(State state, Cause cause) {
  auto at = in_state(state);
  if (!at) return;
  JobFixture before = *at;
  Outcome<Decision> outcome = fail(ErrorCode::internal, "nothing was sent");
  if (!bring_about(*at, cause, outcome)) return;
  const Move* move = find_move(state, cause);
  if (!move) {
    // Refused, or answered without a change: never a move.
    if (!outcome) return;
    for (const Event& event : outcome->events)
      EXPECT_TRUE(std::holds_alternative<LateSuccessNoted>(event.body)) << type_name(event.body);
    EXPECT_EQ(at->job.state, state);
    return;
  }
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(state_after_first_move(before, *outcome), move->to);
  EXPECT_EQ(opens_dead_letter(*outcome), move->dead_letter);
}

// J-10
TEST(JobTransitions, every_pair_of_state_and_cause_does_what_the_table_says) {
  for (uint8_t state = 0; state < states; ++state) {
    for (uint8_t cause = 0; cause < causes; ++cause) {
      auto from = static_cast<State>(state);
      auto why = static_cast<Cause>(cause);
      SCOPED_TRACE(std::string(name_of(from)) + " and " + std::string(name_of(why)));
      walk(from, why);
    }
  }
}

// J-10
TEST(JobTransitions, the_only_ways_out_of_a_terminal_state_are_the_two_of_output_policy) {
  for (const Move& move : moves()) {
    if (!is_terminal(move.from)) continue;
    EXPECT_TRUE(move.cause == Cause::withdraw_output || move.cause == Cause::release_output);
  }
}

TEST(JobTransitions, what_ends_badly_opens_a_dead_letter_unless_somebody_asked_for_it) {
  for (const Move& move : moves()) {
    bool bad = is_terminal(move.to) && move.to != State::succeeded && move.to != State::cancelled;
    EXPECT_EQ(move.dead_letter, bad) << name_of(move.from) << " " << name_of(move.cause);
  }
}

TEST(JobTransitions, no_pair_stands_twice) {
  for (const Move& move : moves()) EXPECT_EQ(find_move(move.from, move.cause), &move);
}

TEST(JobTransitions, a_refusal_says_why) {
  auto refusal = permit(State::succeeded, Cause::place);
  ASSERT_FALSE(refusal);
  EXPECT_EQ(refusal.error().code, ErrorCode::wrong_state);
  EXPECT_EQ(refusal.error().message, "`place` means nothing for a job that is SUCCEEDED");
}

}  // namespace
}  // namespace fermata::job
