#include <gtest/gtest.h>

#include <algorithm>

#include "base/json.h"
#include "base/random.h"
#include "core/job/history.h"
#include "test/scenario/scenario_text.h"
#include "test/scenario/steady_worker.h"

/// Acceptance rows of jobs that must hold when the process dies, or the store fails, at any single
/// port call: each is played with every fault at every call in turn, then healed and looked at.
namespace fermata::scenario {
namespace {

using job::AttemptOutcome;
using job::State;

constexpr uint64_t calls_max = 1'000;

void everywhere(const std::function<void(World&)>& play) {
  size_t struck = 0;
  for (Fault fault : all_faults())
    for (uint64_t nth = 1;; ++nth) {
      SCOPED_TRACE(name_of(fault) + " at call " + std::to_string(nth));
      ASSERT_LT(nth, calls_max);
      Manner manner;
      manner.heals = true;
      World world(manner, FaultPlan(fault, nth), 1, {});
      try {
        play(world);
      } catch (const Mistake& mistake) {
        FAIL() << mistake.message;
      }
      if (testing::Test::HasFailure()) return;
      if (!world.plan().struck()) break;
      ++struck;
    }
  EXPECT_GE(struck, 10u) << "a scenario that nothing strikes shows nothing";
}

Outcome<JobTold> submit(World& world, const std::string& id, const std::string& topic) {
  job::SubmitJob submit;
  submit.account = AccountId("acme");
  submit.request.topic = topic;
  submit.request.input = job::Payload::of(Value(1));
  normalize(submit.request);
  submit.submitter = "key";
  return world.tell_job({JobId(id), submit, "key"});
}

State state_of(World& world, const std::string& id) { return world.job_state(JobId(id)).state; }

template <class E>
size_t count(World& world, const std::string& id) {
  auto stored = world.store().find_job(JobId(id));
  size_t found = 0;
  for (const HistoryChunk& chunk : stored->history) {
    auto events = job::decode_history(chunk);
    EXPECT_TRUE(events);
    if (!events) return 0;
    for (const job::Event& event : *events) found += std::holds_alternative<E>(event.body);
  }
  return found;
}

size_t letters_of(World& world, const std::string& id) {
  DeadLetterFilter filter;
  filter.open = std::nullopt;
  filter.job = JobId(id);
  auto page = world.store().dead_letters(filter, 10, "");
  EXPECT_TRUE(page);
  return page ? page->items.size() : 0;
}

policy::PolicyPtr policy_of(const std::string& rules, const std::string& fallback = "allow") {
  policy::Sources sources;
  sources.base = *parse_json(R"({"version":1,"default_decision":")" + fallback + R"(","rules":[)" +
                             rules + "]}");
  auto set = policy::PolicySet::compile(std::move(sources));
  EXPECT_TRUE(set) << (set ? "" : set.error().message);
  return set ? *set : nullptr;
}

std::string asking(int count) {
  return R"({"id":"big","match":{"topics":["pay"]},"decision":"require_approval",)"
         R"("approval":{"roles":["operator"],"count":)" +
         std::to_string(count) + "}}";
}

/// One person's yes, said again until it was heard.
void approve(World& world, const std::string& id, const std::string& who) {
  job::ApproveJob yes;
  yes.hash = world.job_state(JobId(id)).request_hash;
  yes.voter = {who, "operator", false};
  auto told = world.tell_job({JobId(id), yes, who});
  if (told) return;
  // What was broken off may have been heard.
  EXPECT_TRUE(told.error().code == ErrorCode::approval_not_pending ||
              told.error().code == ErrorCode::approval_already_voted)
      << told.error().message;
}

graph::DefinitionRef define(World& world, const std::string& name, const std::string& text) {
  auto checked = graph::check_definition(*parse_json(text));
  for (const Finding& finding : checked.errors) ADD_FAILURE() << finding.message;
  world.add_definition(name, checked.definition);
  return checked.definition;
}

void start(World& world, const std::string& id, const std::string& workflow,
           const graph::DefinitionRef& definition) {
  StartRun start;
  start.account = AccountId("acme");
  start.workflow = WorkflowId(workflow);
  start.definition = definition;
  start.request_hash = "h";
  auto told = world.send({Command{RunId(id), start, "tester"}});
  ASSERT_TRUE(told[0]) << told[0].error().message;
}

/// Steps `one`, `two`, `three`, each undone by `<step>.undo`, then `last`.
constexpr const char* trip = R"({"nodes":[{"id":"t","type":"manual","trigger":true},
    {"id":"one","type":"job","parameters":{"topic":"one","compensation":{"topic":"one.undo"}}},
    {"id":"two","type":"job","parameters":{"topic":"two","compensation":{"topic":"two.undo"}}},
    {"id":"three","type":"job","parameters":{"topic":"three",
      "compensation":{"topic":"three.undo"}}},
    {"id":"last","type":"job","parameters":{"topic":"last"}}],
    "edges":[{"id":"1","src":"t","dst":"one"},{"id":"2","src":"one","dst":"two"},
             {"id":"3","src":"two","dst":"three"},{"id":"4","src":"three","dst":"last"}]})";

// JT-2: no sweep runs in this world, so nothing but recovery finds the job again.
TEST(JobCrash, what_was_submitted_is_dispatched_after_a_crash_without_a_sweep) {
  everywhere([](World& world) {
    ASSERT_TRUE(submit(world, "j", "mail"));
    SteadyWorker worker(world, [](const Value&) { return SteadyWorker::success(); });
    ASSERT_TRUE(worker.work_until([&] { return is_terminal(state_of(world, "j")); }));
    EXPECT_EQ(state_of(world, "j"), State::succeeded);
    EXPECT_EQ(count<job::JobSucceeded>(world, "j"), 1u);
    EXPECT_EQ(worker.effects().size(), 1u);
  });
}

// JT-2
TEST(JobCrash, what_was_approved_goes_on_after_a_crash_and_nobody_is_asked_again) {
  everywhere([](World& world) {
    world.set_policy(policy_of(asking(2)));
    ASSERT_TRUE(submit(world, "j", "pay"));
    approve(world, "j", "ann");
    approve(world, "j", "bob");
    SteadyWorker worker(world, [](const Value&) { return SteadyWorker::success(); });
    ASSERT_TRUE(worker.work_until([&] { return is_terminal(state_of(world, "j")); }));
    EXPECT_EQ(state_of(world, "j"), State::succeeded);
    EXPECT_EQ(count<job::JobApprovalRequired>(world, "j"), 1u);
    EXPECT_EQ(count<job::JobVoted>(world, "j"), 2u);
    EXPECT_EQ(count<job::JobApproved>(world, "j"), 1u);
  });
}

// JT-4, JT-40: also when the commit of the result is unknown, or fails once.
TEST(JobCrash, failed_job_and_its_dead_letter_appear_together_and_its_run_hears_of_it_once) {
  everywhere([](World& world) {
    auto definition = define(world, "w", R"({"nodes":[{"id":"t","type":"manual","trigger":true},
        {"id":"j","type":"job","parameters":{"topic":"mail"}}],
        "edges":[{"id":"1","src":"t","dst":"j"}]})");
    start(world, "run", "w", definition);
    ASSERT_EQ(world.state(RunId("run")).status, RunStatus::running);
    auto open = world.store().open_jobs(0, 10);
    ASSERT_TRUE(open);
    ASSERT_EQ(open->jobs.size(), 1u);
    std::string job = open->jobs[0].id.text();
    SteadyWorker worker(world,
                        [](const Value&) { return SteadyWorker::failure(AttemptOutcome::failed); });
    bool apart = false;
    worker.work_until([&] {
      bool over = is_terminal(state_of(world, job));
      apart = apart || over != (letters_of(world, job) == 1);
      apart = apart || over != world.state(RunId("run")).finished();
      return over && world.state(RunId("run")).finished();
    });
    EXPECT_FALSE(apart) << "state, dead letter and the run's word are one write";
    EXPECT_EQ(state_of(world, job), State::failed);
    EXPECT_EQ(count<job::JobFailed>(world, job), 1u);
    EXPECT_EQ(letters_of(world, job), 1u);
    EXPECT_EQ(world.state(RunId("run")).status, RunStatus::failed);
  });
}

// JT-7
TEST(JobCrash, of_cancel_and_success_at_once_exactly_one_wins) {
  for (bool slow : {false, true}) {
    Manner manner;
    manner.slow = slow;
    World world(manner, {}, 1, {});
    Random random(7);
    size_t cancelled = 0;
    for (int seed = 0; seed < 500; ++seed) {
      std::string id = "j" + std::to_string(seed);
      ASSERT_TRUE(submit(world, id, "mail"));
      RegistrationId registration("r" + std::to_string(seed));
      fleet::WorkerCard card;
      card.worker = WorkerId("w" + std::to_string(seed));
      card.topics = {"*"};
      card.max_parallel = 1;
      fleet::normalize(card);
      auto fence = std::make_shared<uint64_t>(0);
      world.ask_workers([&](Workers& workers) {
        workers.enroll(registration, card, {});
        workers.claim(registration, 1, 1, 0, [fence](Outcome<Workers::Claimed> claimed) {
          if (claimed && !claimed->jobs.empty())
            *fence = static_cast<uint64_t>(claimed->jobs[0].get("fence").as_integer());
        });
      });
      ASSERT_NE(*fence, 0u) << id;
      std::optional<Outcome<JobTold>> told;
      std::optional<job::Answer> answer;
      auto cancel = [&] {
        ASSERT_TRUE(world.host().submit_job({JobId(id), job::CancelJob{"enough"}, "key"},
                                            [&](Outcome<JobTold> one) { told = one; }));
      };
      auto report = [&] {
        ReportedResult result;
        result.job = JobId(id);
        result.attempt = 1;
        result.fence = *fence;
        result.report = SteadyWorker::success();
        ASSERT_TRUE(world.host().with_workers([&, result](Workers& workers) {
          workers.report(registration, {result}, [&](Outcome<std::vector<job::Answer>> answers) {
            if (answers) answer = answers->at(0);
          });
        }));
      };
      bool first = random.below(2) == 0;
      first ? cancel() : report();
      // Sometimes the other comes while the commit of the first is under way.
      if (random.below(2) == 0) world.host().turn();
      first ? report() : cancel();
      world.settle();
      ASSERT_TRUE(told && *told && answer) << id;
      bool lost = world.job_state(JobId(id)).state == State::cancelled;
      cancelled += lost;
      ASSERT_TRUE(lost || world.job_state(JobId(id)).state == State::succeeded);
      EXPECT_EQ(*answer, lost ? job::Answer::terminal : job::Answer::accepted);
      EXPECT_EQ((*told)->answer, lost ? job::Answer::accepted : job::Answer::terminal);
      EXPECT_EQ(count<job::JobCancelled>(world, id) + count<job::JobSucceeded>(world, id), 1u);
      world.ask_workers([&](Workers& workers) { (void)workers.dismiss(registration); });
    }
    EXPECT_GT(cancelled, 100u);
    EXPECT_LT(cancelled, 400u);
  }
}

// JT-21
TEST(JobCrash, pending_approval_follows_a_change_of_policy_whatever_dies_meanwhile) {
  everywhere([](World& world) {
    world.set_policy(policy_of(asking(2)));
    ASSERT_TRUE(submit(world, "same", "pay"));
    approve(world, "same", "ann");
    world.set_policy(policy_of(asking(2), "deny"));
    world.advance(Duration{5'000});
    EXPECT_EQ(state_of(world, "same"), State::approval_required);
    EXPECT_EQ(world.job_state(JobId("same")).approval->votes.size(), 1u) << "its votes stand";
    approve(world, "same", "bob");
    EXPECT_EQ(state_of(world, "same"), State::scheduled);
  });
  everywhere([](World& world) {
    world.set_policy(policy_of(asking(2)));
    ASSERT_TRUE(submit(world, "j", "pay"));
    approve(world, "j", "ann");
    world.set_policy(policy_of(R"({"id":"no","match":{"topics":["pay"]},"decision":"deny"})"));
    world.advance(Duration{5'000});
    EXPECT_EQ(state_of(world, "j"), State::denied);
    EXPECT_EQ(world.job_state(JobId("j")).reason_code, "policy_changed");
    EXPECT_EQ(letters_of(world, "j"), 1u);
  });
  everywhere([](World& world) {
    world.set_policy(policy_of(asking(2)));
    ASSERT_TRUE(submit(world, "j", "pay"));
    world.set_policy(policy_of(""));
    world.advance(Duration{5'000});
    SteadyWorker worker(world, [](const Value&) { return SteadyWorker::success(); });
    ASSERT_TRUE(worker.work_until([&] { return is_terminal(state_of(world, "j")); }));
    EXPECT_EQ(state_of(world, "j"), State::succeeded);
  });
}

// JT-36
TEST(JobCrash, rollback_undoes_in_order_with_one_effect_each_whatever_dies_meanwhile) {
  everywhere([](World& world) {
    start(world, "run", "trip", define(world, "trip", trip));
    SteadyWorker worker(world, [](const Value& job) {
      return job.get("topic") == Value("job.last")
                 ? SteadyWorker::failure(AttemptOutcome::failed_fatal)
                 : SteadyWorker::success();
    });
    ASSERT_TRUE(worker.work_until([&] { return world.state(RunId("run")).finished(); }));
    EXPECT_EQ(worker.effects(),
              (std::vector<std::string>{"job.one", "job.two", "job.three", "job.last",
                                        "job.three.undo", "job.two.undo", "job.one.undo"}));
    const auto& run = world.state(RunId("run"));
    EXPECT_EQ(run.status, RunStatus::failed);
    EXPECT_EQ(run.exit_reason, "rolled_back");
    for (const SagaEntry& entry : run.saga.entries) {
      EXPECT_EQ(entry.status, UndoStatus::done);
      EXPECT_EQ(entry.attempts, 1u);
    }
    // Who dies after the last commit tells nobody of it.
    EXPECT_LE(std::count(world.ended().begin(), world.ended().end(), RunId("run")), 1);
  });
}

// JT-35
TEST(JobCrash, fatal_failure_undoes_its_own_run_and_leaves_another_of_the_definition_alone) {
  Manner manner;
  World world(manner, {}, 1, {});
  auto definition = define(world, "trip", trip);
  start(world, "bad", "trip", definition);
  start(world, "good", "trip", definition);
  SteadyWorker worker(world, [](const Value& job) {
    bool fatal = job.get("topic") == Value("job.last") && job.get("run_id") == Value("bad");
    return fatal ? SteadyWorker::failure(AttemptOutcome::failed_fatal) : SteadyWorker::success();
  });
  ASSERT_TRUE(worker.work_until([&] {
    return world.state(RunId("bad")).finished() && world.state(RunId("good")).finished();
  }));
  EXPECT_EQ(world.state(RunId("bad")).exit_reason, "rolled_back");
  EXPECT_EQ(world.state(RunId("good")).status, RunStatus::completed);
  std::vector<std::string> undone;
  for (const std::string& topic : worker.effects())
    if (topic.ends_with(".undo")) undone.push_back(topic);
  EXPECT_EQ(undone, (std::vector<std::string>{"job.three.undo", "job.two.undo", "job.one.undo"}));
  for (const SagaEntry& entry : world.state(RunId("good")).saga.entries)
    EXPECT_EQ(entry.status, UndoStatus::recorded);
}

}  // namespace
}  // namespace fermata::scenario
