#include <set>

#include "base/random.h"
#include "core/job/history.h"
#include "core/job/job_fixture.h"
#include "core/job/view.h"

namespace fermata::job {
namespace {

/// Sends a job what workers, people, clocks and a careless network may send, and after every
/// command looks at what must always hold.
class Storm {
 public:
  /// `results`: most of what is sent is about results that are held.
  explicit Storm(uint64_t seed, bool results = false) : random_(seed), results_(results) {}

  /// Which events happened, by their position in EventBody.
  std::set<size_t> seen;

  void blow(int commands) {
    if (results_) change_policy();
    at_.submit(request());
    for (int i = 0; i < commands && !testing::Test::HasFailure(); ++i) {
      Job before = at_.job;
      at_.given.entropy = random_.next();
      if (random_.chance(0.1)) at_.given.engine_started_at = at_.given.now;
      move_clock();
      if (random_.chance(0.1)) change_policy();
      if (auto decision = at_.send(command()))
        for (const Event& event : decision->events) seen.insert(event.body.index());
      inspect(before);
    }
  }

 private:
  Request request() {
    Request request = JobFixture::request();
    if (random_.chance(0.5)) request.step.run = RunId("run-1");
    if (random_.chance(0.3)) request.budget = Budget{.deadline_ms = 1 + below(200'000)};
    if (random_.chance(0.3)) request.queue_timeout_ms = below(100'000);
    if (random_.chance(0.5)) request.run_timeout_ms = below(100'000);
    if (random_.chance(0.5))
      request.retry = RetryPolicy{.max_attempts = 1 + static_cast<uint32_t>(below(4)),
                                  .backoff_ms = below(5'000)};
    if (random_.chance(0.2))
      request.compensation = Compensation{.topic = "job.undo", .when = CompensateWhen::dispatched};
    if (random_.chance(0.5)) request.scheduling_attempts_max = static_cast<uint32_t>(below(6));
    return request;
  }

  int64_t below(uint64_t bound) { return static_cast<int64_t>(random_.below(bound)); }

  void move_clock() {
    if (random_.chance(0.5)) at_.pass(below(2'000));
    if (random_.chance(0.1)) at_.pass(below(300'000));
    if (random_.chance(0.05)) at_.pass(-below(100'000));
    at_.given.routing = Routing{.reason_code = "no_workers",
                                .fault = random_.chance(0.5),
                                .fault_since = at_.given.now - Duration{below(100'000)}};
  }

  /// Mostly the attempt that is open; else an old one, one to come or one of another worker.
  Spoken spoken() {
    if (at_.job.attempts.empty()) return {1, random_.below(5), WorkerId("w1"), "default"};
    Spoken who = at_.spoken();
    if (random_.chance(0.2)) {
      const Attempt& old = at_.job.attempts[random_.below(at_.job.attempts.size())];
      who = {old.attempt, old.fence, old.worker, old.pool};
    }
    if (random_.chance(0.05)) who.fence += random_.below(100);
    if (random_.chance(0.05)) who.worker = WorkerId("w" + std::to_string(random_.below(3)));
    if (random_.chance(0.05)) who.attempt = 0;
    if (random_.chance(0.02)) who.pool = "elsewhere";
    return who;
  }

  Report report() {
    constexpr AttemptOutcome said[] = {
        AttemptOutcome::succeeded,        AttemptOutcome::failed,       AttemptOutcome::failed,
        AttemptOutcome::failed_retryable, AttemptOutcome::failed_fatal, AttemptOutcome::cancelled};
    AttemptOutcome status = said[results_ ? 0 : random_.below(std::size(said))];
    Report report = status == AttemptOutcome::succeeded ? JobFixture::success(Value(below(2)))
                                                        : JobFixture::failure(status);
    report.usage.cost_micros = below(1'000);
    return report;
  }

  /// Mostly one that asks people, so that they have something to say.
  void change_policy() {
    VerdictKind kind = VerdictKind::require_approval;
    if (results_ || random_.chance(0.4)) kind = VerdictKind::allow;
    if (random_.chance(0.05)) kind = static_cast<VerdictKind>(random_.below(6));
    uint64_t terms = random_.below(2);
    policy_.snapshot = "p" + std::to_string(random_.below(9));
    bool reads = random_.chance(0.1);
    std::string snapshot = policy_.snapshot;
    OutputPlan plan;
    if (random_.chance(0.7)) plan.step = OutputPlan::Step::scan;
    if (random_.chance(0.1)) plan.step = OutputPlan::Step::refuse;
    plan.decision = OutputDecision::deny;
    plan.optimistic = random_.chance(0.5);
    plan.fail_open = random_.chance(0.3);
    policy_.plan_output = [plan](const Job&, const ResultSize&) { return plan; };
    policy_.judge = [kind, terms, reads, snapshot](const Job& job, Instant) {
      if (reads && (!job.content || job.content->revision != job.revision ||
                    job.content->snapshot != snapshot)) {
        Judged unread{Verdict{}};
        unread.content_wanted = true;
        return std::optional(unread);
      }
      Verdict said;
      said.kind = kind;
      said.rule_id = "rule " + std::to_string(terms);
      said.approval = Value::object({{"count", 1 + terms}});
      return std::optional<Judged>(said);
    };
    at_.given.policy = results_ || random_.chance(0.7) ? &policy_ : nullptr;
  }

  Voter voter() {
    static constexpr const char* people[] = {"ann", "bob", "key"};
    return {people[random_.below(3)], random_.chance(0.9) ? "operator" : "viewer", false};
  }
  std::string hash() {
    return at_.job.approval && random_.chance(0.9) ? at_.job.approval->request_hash : "other";
  }

  Verdict verdict() {
    Verdict verdict;
    verdict.kind = static_cast<VerdictKind>(random_.below(6));
    return verdict;
  }

  /// Mostly about what is held, as a scan would say it.
  JudgeOutput scanned() {
    JudgeOutput judge;
    if (const auto& held = at_.job.held) {
      judge.fence = held->fence;
      judge.sha256 = held->sha256;
      judge.snapshot = held->snapshot;
    }
    if (random_.chance(0.05)) ++judge.fence;
    if (random_.chance(0.05)) judge.snapshot = "other";
    if (random_.chance(0.05)) judge.sha256 = "other";
    if (random_.chance(0.4)) judge.problem = "broken";
    judge.verdict.decision = static_cast<OutputDecision>(random_.below(4));
    judge.output = Payload::of(Value("read"));
    return judge;
  }
  CommandBody about_content() {
    switch (random_.below(6)) {
      case 0: return ResumeScan{};
      case 1: return NoteReading{};
      case 2:
        return NoteContent{{at_.job.revision, policy_.snapshot, {}},
                           random_.chance(0.2) ? "broken" : ""};
      case 3:
        if (random_.chance(0.5)) return DiscardOutput{voter(), "no"};
        return ReleaseOutput{voter(), "", Payload::of(Value(below(2)))};
      default: return scanned();
    }
  }

  CommandBody command() {
    bool awaits = at_.job.held || at_.job.phase == Phase::content_check;
    if (random_.chance(awaits ? 0.4 : 0.02)) return about_content();
    switch (random_.below(19)) {
      case 0: return SubmitJob{at_.job.account, at_.job.request, {}, "key"};
      case 1: return SubmitJob{AccountId("acme"), JobFixture::request("other"), {}, "key"};
      case 2:
        if (random_.chance(0.9)) break;
        return JudgeJob{verdict(), 1 + static_cast<uint32_t>(random_.below(2))};
      case 3:
      case 4:
      case 5: return JobFixture::place_at("w" + std::to_string(random_.below(3)));
      case 6: return NoteLife{spoken().fence};
      case 7:
      case 8: return ReportResult{spoken(), report()};
      case 9: return DeclineJob{spoken(), "busy", below(2) * below(10'000)};
      case 10: return LoseLease{spoken().fence, random_.chance(0.8)};
      case 11: return MarkUndelivered{spoken().fence};
      case 12:
        if (random_.chance(0.95)) break;
        return CancelJob{"stop", random_.chance(0.5)};
      case 13: return AmendJob{.topic = random_.chance(0.1) ? "approval" : "t"};
      case 14:
      case 15: return ApproveJob{hash(), voter()};
      case 16:
        if (random_.chance(0.8)) return ReviewJob{};
        return RejectJob{hash(), voter(), "no"};
      default: break;
    }
    if (auto due = next_due(at_.job, at_.given.engine_started_at);
        due && *due > at_.given.now && random_.chance(0.5))
      at_.given.now = *due;
    return WakeJob{};
  }

  void inspect(const Job& before) {
    const Job& job = at_.job;
    bool withdrawn = before.state == State::succeeded && job.withdrawn && !before.withdrawn;
    bool released = before.state == State::output_quarantined && job.released && !before.released;
    if (before.finished() && !withdrawn && !released) {
      EXPECT_EQ(job.state, before.state) << "terminal states absorb";
      EXPECT_TRUE(job.output == before.output || before.held);
    }
    if (job.withholds()) EXPECT_TRUE(job.output.sha256.empty()) << "nobody may have it";
    EXPECT_GE(job.last_at, before.last_at);
    EXPECT_GE(job.last_fence, before.last_fence);
    EXPECT_LE(job.attempts.size(), attempts_kept_max);
    EXPECT_LE(job.late_successes.size(), late_successes_max);
    EXPECT_EQ(job.open_attempt() != nullptr,
              (job.state == State::dispatched || job.state == State::running) && !job.held);
    EXPECT_EQ(job.ready_at.has_value(), job.state == State::scheduled);
    EXPECT_EQ(job.ended_at.has_value(), job.finished());
    for (size_t i = 1; i < job.attempts.size(); ++i) {
      EXPECT_GT(job.attempts[i].fence, job.attempts[i - 1].fence);
      EXPECT_FALSE(job.attempts[i - 1].open());
    }
    if (job.finished() && !job.held && !job.review_until)
      EXPECT_FALSE(next_due(job, at_.given.engine_started_at));
    if (job.state == State::retrying) EXPECT_TRUE(job.not_before);
    bool ends_now = job.finished() && !before.finished();
    size_t told = at_.job.of_run() && ends_now && !job.review_until ? 1 : 0;
    if (at_.last.events.empty()) return;
    if (ends_now) {
      EXPECT_EQ(at_.records<JobEnded>().size(), told);
      bool letter = job.state != State::succeeded && job.state != State::cancelled;
      EXPECT_EQ(at_.records<DeadLetter>().size(), letter ? 1u : 0u);
    }
    (void)view::job(job, at_.given.now);
    auto shown = view::history(at_.history, 1, 10);
    EXPECT_TRUE(shown);
  }

  Random random_;
  const bool results_;
  Policy policy_;
  JobFixture at_;
};

// J-10, J-12, J-15: whatever is sent, in whatever order and however often.
TEST(JobStorm, the_fold_is_the_state_and_terminal_states_absorb) {
  std::set<size_t> seen = {0};
  for (uint64_t seed = 1; seed <= 400; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Storm storm(seed, seed % 2 == 0);
    storm.blow(60);
    ASSERT_FALSE(HasFailure());
    seen.merge(storm.seen);
  }
  std::string missing;
  for (size_t i = 0; i < std::variant_size_v<EventBody>; ++i)
    if (!seen.contains(i)) missing += std::to_string(i) + " ";
  EXPECT_EQ(missing, "") << "every kind of event is met";
}

TEST(JobStorm, long_lives_keep_their_bounds) {
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Storm(seed * 1'000).blow(600);
    ASSERT_FALSE(HasFailure());
  }
}

}  // namespace
}  // namespace fermata::job
