#include "test/partition/jobs_fixture.h"

namespace fermata {
namespace {

// JT-1, J-64: a claim and a submit that meet are one commit; the result is the other.
TEST_F(JobsTest, job_for_a_waiting_worker_takes_two_commits) {
  enroll("w");
  claim("w", 1);
  settle();
  submit("j1");
  settle();
  ASSERT_TRUE(told_job);
  EXPECT_EQ(told_job->summary.state, job::State::dispatched);
  EXPECT_EQ(version("j1"), 1u);
  ASSERT_EQ(delivered.size(), 1u);
  EXPECT_EQ(delivered[0].get("job_id"), Value("j1"));
  EXPECT_EQ(delivered[0].get("fence"), Value(1));
  report("w", delivered[0]);
  settle();
  EXPECT_EQ(report_answer, "accepted");
  EXPECT_EQ(version("j1"), 2u);
  EXPECT_EQ(job("j1").state, job::State::succeeded);
  EXPECT_EQ(job("j1").output.value, Value("done"));
  EXPECT_EQ(job("j1").attempt_count, 1u);
  std::vector<job::State> states;
  job::Job seen;
  StoredJob stored = *store.memory.find_job(JobId("j1"));
  for (const HistoryChunk& chunk : stored.history) {
    auto events = job::decode_history(chunk);
    ASSERT_TRUE(events);
    for (const job::Event& event : *events) {
      evolve(seen, event);
      if (states.empty() || states.back() != seen.state) states.push_back(seen.state);
    }
  }
  EXPECT_EQ(states, (std::vector<job::State>{job::State::pending, job::State::scheduled,
                                             job::State::dispatched, job::State::succeeded}));
}

// J-95: what comes in one request goes to a claim that waits in one answer.
TEST_F(JobsTest, jobs_of_one_request_are_placed_together_and_take_two_commits_each) {
  constexpr size_t count = 100;
  with([](Workers& workers) {
    fleet::WorkerCard card;
    card.worker = WorkerId("w");
    card.topics = {"*"};
    card.max_parallel = 256;
    fleet::normalize(card);
    workers.enroll(RegistrationId("reg-w"), card, {});
  });
  with([this](Workers& workers) {
    workers.claim(RegistrationId("reg-w"), 1, 256, 10'000,
                  [this](Outcome<Workers::Claimed> claimed) {
                    ++claims_answered;
                    if (claimed) delivered = claimed->jobs;
                  });
  });
  settle();
  std::vector<job::Command> commands;
  for (size_t i = 0; i < count; ++i) {
    job::SubmitJob body;
    body.account = AccountId("acme");
    body.request.topic = "job.pay";
    body.request.input = job::Payload::of(Value(1));
    body.submitter = "key";
    commands.push_back({JobId("j" + std::to_string(i)), std::move(body), "tester"});
  }
  std::vector<job::State> told(count);
  ASSERT_TRUE(host().submit_jobs(std::move(commands), [&](size_t place, Outcome<JobTold> outcome) {
    if (outcome) told[place] = outcome->summary.state;
  }));
  settle();
  EXPECT_EQ(told, std::vector<job::State>(count, job::State::dispatched));
  EXPECT_EQ(claims_answered, 1);
  ASSERT_EQ(delivered.size(), count);
  with([this](Workers& workers) {
    std::vector<ReportedResult> results;
    for (const Value& job : delivered) {
      ReportedResult result;
      result.job = JobId(std::string(job.get("job_id").as_string()));
      result.fence = static_cast<uint64_t>(job.get("fence").as_integer());
      result.attempt = 1;
      result.report.status = job::AttemptOutcome::succeeded;
      results.push_back(std::move(result));
    }
    workers.report(RegistrationId("reg-w"), std::move(results),
                   [](const Outcome<std::vector<job::Answer>>&) {});
  });
  settle();
  for (size_t i = 0; i < count; ++i) {
    EXPECT_EQ(version("j" + std::to_string(i)), 2u);
    EXPECT_EQ(job("j" + std::to_string(i)).state, job::State::succeeded);
  }
}

TEST_F(JobsTest, job_waits_for_a_worker_that_comes_later) {
  submit("j1");
  submit("j2");
  settle();
  EXPECT_EQ(job("j1").state, job::State::scheduled);
  enroll("w");
  claim("w", 1);
  settle();
  EXPECT_EQ(delivered.size(), 2u);
}

// JT-6
TEST_F(JobsTest, repeated_result_is_a_duplicate_and_another_one_a_conflict) {
  enroll("w");
  claim("w", 1);
  submit("j1");
  settle();
  ASSERT_EQ(delivered.size(), 1u);
  report("w", delivered[0]);
  settle();
  EXPECT_EQ(report_answer, "accepted");
  uint64_t version_then = version("j1");
  for (int i = 0; i < 50; ++i) {
    report("w", delivered[0]);
    settle();
    EXPECT_EQ(report_answer, "duplicate");
  }
  EXPECT_EQ(version("j1"), version_then) << "silent";
  report("w", delivered[0], job::AttemptOutcome::succeeded, Value("else"));
  settle();
  EXPECT_EQ(report_answer, "conflict");
  EXPECT_EQ(job("j1").output.value, Value("done"));
}

// JT-5, JT-8: who was silent for a lease is dead; what it says later does not count.
TEST_F(JobsTest, lease_of_a_silent_worker_goes_to_another_and_its_late_word_is_stale) {
  enroll("a");
  claim("a", 1);
  submit("j1");
  settle();
  Value first = delivered.at(0);
  clock.set(clock.now() + Duration{31'000});
  settle();
  enroll("b");
  claim("b", 1);
  settle();
  ASSERT_EQ(delivered.size(), 1u);
  Value second = delivered[0];
  EXPECT_EQ(second.get("attempt"), Value(2));
  EXPECT_GT(second.get("fence").as_integer(), first.get("fence").as_integer());
  EXPECT_EQ(second.get("idempotency_key"), first.get("idempotency_key"));
  enroll("a");
  report("a", first);
  settle();
  EXPECT_EQ(report_answer, "stale");
  EXPECT_FALSE(job("j1").finished());
  report("b", second);
  settle();
  EXPECT_EQ(report_answer, "accepted");
  EXPECT_EQ(job("j1").state, job::State::succeeded);
}

// JT-3: the answer of a claim got lost; the same seq gives it again.
TEST_F(JobsTest, claim_with_the_same_seq_gets_the_same_jobs) {
  enroll("w");
  claim("w", 1);
  submit("j1");
  settle();
  Value first = delivered.at(0);
  delivered.clear();
  claim("w", 1);
  settle();
  ASSERT_EQ(delivered.size(), 1u);
  EXPECT_EQ(delivered[0], first);
  EXPECT_EQ(version("j1"), 1u);
}

TEST_F(JobsTest, claim_is_answered_empty_when_it_has_waited_enough) {
  enroll("w");
  claim("w", 1, 5'000);
  settle();
  EXPECT_EQ(claims_answered, 0);
  clock.set(clock.now() + Duration{5'000});
  settle();
  EXPECT_EQ(claims_answered, 1);
  EXPECT_TRUE(delivered.empty());
}

// JT-10: who holds what is rebuilt from the store.
TEST_F(JobsTest, leases_and_queue_survive_a_restart) {
  enroll("w");
  claim("w", 1);
  submit("held");
  settle();
  Value held = delivered.at(0);
  claim("w", 2, 0);
  settle();
  submit("queued");
  settle();
  restart();
  ASSERT_TRUE(host().recover());
  settle();
  enroll("w2");
  claim("w2", 1);
  settle();
  ASSERT_EQ(delivered.size(), 1u);
  EXPECT_EQ(delivered[0].get("job_id"), Value("queued"));
  with([](Workers& workers) {
    fleet::WorkerCard card;
    card.worker = WorkerId("w");
    card.topics = {"*"};
    card.max_parallel = 4;
    fleet::normalize(card);
    auto enrolled = workers.enroll(RegistrationId("reg-again"), card, {{JobId("held"), 1}});
    EXPECT_EQ(enrolled.resumed.size(), 1u);
  });
  report("again", held);
  settle();
  EXPECT_EQ(report_answer, "accepted");
  EXPECT_EQ(job("held").attempt_count, 1u);
}

// JT-11: deadlines are due times of the job.
TEST_F(JobsTest, deadline_ends_a_job_that_nobody_takes) {
  job::SubmitJob body;
  body.account = AccountId("acme");
  body.request.topic = "job.pay";
  body.request.input = job::Payload::of(Value(1));
  body.request.budget = job::Budget{.deadline_ms = 60'000};
  order("j1", body);
  settle();
  clock.set(clock.now() + Duration{59'999});
  settle();
  EXPECT_EQ(job("j1").state, job::State::scheduled);
  clock.set(clock.now() + Duration{1});
  settle();
  EXPECT_EQ(job("j1").state, job::State::timeout);
  EXPECT_EQ(job("j1").reason_code, "deadline_exceeded");
}

TEST_F(JobsTest, run_waits_for_its_job_and_hears_its_end_in_the_same_commit) {
  start("r1");
  settle();
  EXPECT_EQ(stored("r1").summary.status, RunStatus::running);
  std::string id = store.memory.open_jobs(0, 10)->jobs.at(0).id.text();
  EXPECT_EQ(job(id).request.step.run, RunId("r1"));
  EXPECT_EQ(job(id).source, job::Source::run);
  enroll("w");
  claim("w", 1);
  settle();
  ASSERT_EQ(delivered.size(), 1u);
  size_t batches = store.sizes.size();
  report("w", delivered[0], job::AttemptOutcome::succeeded, Value(42));
  settle();
  EXPECT_EQ(report_answer, "accepted");
  EXPECT_EQ(stored("r1").summary.status, RunStatus::completed) << stored("r1").summary.error_code;
  EXPECT_EQ(store.sizes.size(), batches + 1);
}

// J-15: there is no moment at which the job has ended and its run does not know.
TEST_F(JobsTest, end_of_a_job_that_cannot_be_stored_is_not_told_to_its_run) {
  start("r1");
  enroll("w");
  claim("w", 1);
  settle();
  ASSERT_EQ(delivered.size(), 1u);
  for (CommitOutcome outcome : {CommitOutcome::unavailable, CommitOutcome::conflict}) {
    store.fails_once_with = outcome;
    report_answer.clear();
    report("w", delivered[0]);
    host().turn();
    if (outcome == CommitOutcome::conflict) break;
    settle();
    EXPECT_EQ(report_answer, "store_unavailable");
    EXPECT_EQ(stored("r1").summary.status, RunStatus::running);
  }
  settle();
  EXPECT_EQ(report_answer, "accepted");
  EXPECT_EQ(stored("r1").summary.status, RunStatus::completed) << stored("r1").summary.error_code;
}

// What is under way stays at hand: neither the run nor a job it orders is read from the store.
TEST_F(JobsTest, run_that_awaits_a_job_reads_nothing) {
  enroll("w");
  claim("w", 1);
  settle();
  start("r1");
  settle();
  ASSERT_EQ(delivered.size(), 1u);
  report("w", delivered[0]);
  settle();
  EXPECT_EQ(stored("r1").summary.status, RunStatus::completed);
  EXPECT_EQ(store.runs_loaded, 0u);
  EXPECT_EQ(store.jobs_loaded, 0u);
}

// That an order's id is free is taken for granted; where it is not, the store is asked.
TEST_F(JobsTest, order_whose_id_somebody_has_taken_fails_its_step) {
  start("r1");
  enroll("w");
  claim("w", 1);
  settle();
  ASSERT_EQ(delivered.size(), 1u);
  std::string id(delivered[0].get("job_id").as_string());
  ASSERT_TRUE(id.starts_with("r1"));
  submit(id.replace(0, 2, "r2"), "other");
  settle();
  restart();
  start("r2");
  settle();
  EXPECT_EQ(stored("r2").summary.status, RunStatus::failed);
  EXPECT_EQ(job(id).request.topic, "job.other");
  EXPECT_EQ(version(id), 1u);
}

TEST_F(JobsTest, cancelled_run_cancels_its_job_and_tells_the_worker) {
  start("r1");
  enroll("w");
  claim("w", 1);
  settle();
  ASSERT_EQ(delivered.size(), 1u);
  std::string id(delivered[0].get("job_id").as_string());
  send("r1", CancelRun{"enough"});
  settle();
  EXPECT_EQ(stored("r1").summary.status, RunStatus::cancelled);
  EXPECT_EQ(job(id).state, job::State::cancelled);
  std::vector<fleet::LeaseKey> cancels;
  with([&](Workers& workers) {
    fleet::Fleet::Beat beat;
    beat.last_seq = 1;
    beat.leases.push_back({{JobId(id), 1}, {}});
    cancels = workers.heartbeat(RegistrationId("reg-w"), beat)->cancels;
  });
  settle();
  EXPECT_EQ(cancels.size(), 1u);
  report("w", delivered[0]);
  settle();
  EXPECT_EQ(report_answer, "terminal");
}

TEST_F(JobsTest, failed_job_fails_the_step_of_its_run) {
  start("r1");
  enroll("w");
  claim("w", 1);
  settle();
  ASSERT_EQ(delivered.size(), 1u);
  report("w", delivered[0], job::AttemptOutcome::failed);
  settle();
  EXPECT_EQ(stored("r1").summary.status, RunStatus::failed);
  EXPECT_EQ(stored("r1").summary.error_code, "job_failed");
}

// A submit that met a worker and was not stored leaves neither a lease nor a taken slot.
TEST_F(JobsTest, placement_that_was_not_stored_frees_its_slot) {
  enroll("w");
  claim("w", 1);
  settle();
  store.fails_once_with = CommitOutcome::unavailable;
  submit("j1");
  settle();
  EXPECT_FALSE(told_job);
  clock.set(clock.now() + Duration{2'000});
  settle();
  EXPECT_EQ(store.memory.find_job(JobId("j1"))->version, 0u);
  submit("j2");
  settle();
  ASSERT_TRUE(told_job);
  EXPECT_EQ(delivered.size(), 1u);
  with([](Workers& workers) {
    EXPECT_EQ(workers.fleet().leases(), 1u);
    EXPECT_EQ(workers.fleet().registrations().begin()->second.reserved, 0u);
    EXPECT_EQ(workers.fleet().queue().size(), 0u);
  });
  settle();
}

// The queue is told of a job before it is durable; a worker that comes meanwhile is not given it.
TEST_F(JobsTest, nobody_is_given_a_job_that_is_not_durable) {
  store.holds = true;
  submit("j1");
  settle();
  enroll("w");
  claim("w", 1);
  settle();
  EXPECT_TRUE(delivered.empty());
  store.holds = false;
  settle();
  ASSERT_EQ(delivered.size(), 1u);
  EXPECT_EQ(version("j1"), 2u);
}

TEST_F(JobsTest, same_request_under_the_same_id_is_answered_again) {
  submit("j1");
  settle();
  submit("j1");
  settle();
  ASSERT_TRUE(told_job);
  EXPECT_EQ(told_job->answer, job::Answer::duplicate);
  submit("j1", "other");
  settle();
  ASSERT_FALSE(told_job);
  EXPECT_EQ(told_job.error().code, ErrorCode::job_id_taken);
  EXPECT_EQ(version("j1"), 1u);
}

}  // namespace
}  // namespace fermata
