#include "test/partition/kernel_fixture.h"

/// Jobs and the workers that could take them, turn by turn.
namespace fermata {
namespace {

class RoutingTest : public KernelTest {
 protected:
  RoutingTest() { settings.policy.mode = PolicyMode::rules; }
  void enroll_with(const std::string& name, Value labels) {
    with([name, labels](Workers& workers) {
      fleet::WorkerCard card;
      card.worker = WorkerId(name);
      card.topics = {"*"};
      card.max_parallel = 4;
      card.labels = labels;
      fleet::normalize(card);
      workers.enroll(RegistrationId("reg-" + name), card, {});
    });
  }
  void submit_with(const std::string& id, Value labels) {
    job::SubmitJob body;
    body.account = AccountId("acme");
    body.request.topic = "job.pay";
    body.request.input = job::Payload::of(Value(1));
    body.request.labels = std::move(labels);
    body.submitter = "key";
    order(id, std::move(body));
  }
  /// Says that it is at this job.
  void beat(const std::string& name, uint64_t last_seq, const Value& at,
            std::optional<fleet::Load> load = {}) {
    fleet::LeaseKey lease{JobId(std::string(at.get("job_id").as_string())),
                          static_cast<uint64_t>(at.get("fence").as_integer())};
    with([name, last_seq, load, lease](Workers& workers) {
      fleet::Fleet::Beat beat;
      beat.last_seq = last_seq;
      beat.load = load;
      beat.leases.push_back({lease, {}});
      EXPECT_TRUE(workers.heartbeat(RegistrationId("reg-" + name), beat));
    });
  }
  size_t leases() {
    size_t held = 0;
    with([&held](Workers& workers) { held = workers.fleet().leases(); });
    settle();
    return held;
  }
  /// Three tasks beside each other.
  void use_three_tasks() {
    auto checked = graph::check_definition(*parse_json(
        R"({"nodes":[{"id":"t","name":"T","type":"manual","trigger":true},
                     {"id":"a","name":"A","type":"job","parameters":{"topic":"pay","input":1}},
                     {"id":"b","name":"B","type":"job","parameters":{"topic":"pay","input":2}},
                     {"id":"c","name":"C","type":"job","parameters":{"topic":"pay","input":3}}],
            "edges":[{"id":"1","src":"t","dst":"a"},{"id":"2","src":"t","dst":"b"},
                     {"id":"3","src":"t","dst":"c"}]})"));
    ASSERT_TRUE(checked.definition) << checked.errors[0].message;
    definitions.only = checked.definition;
  }
};

// JT-28: nothing is decided about it, written or read, until somebody comes.
TEST_F(RoutingTest, job_that_nobody_can_take_is_left_alone_until_somebody_comes) {
  submit("j0");
  settle();
  uint64_t commits = host().counters().commits;
  uint64_t before = version("j0");
  size_t read = store.jobs_loaded;
  for (int i = 0; i < 900; ++i) pass(1'000);
  EXPECT_EQ(host().counters().commits, commits);
  EXPECT_EQ(version("j0"), before);
  EXPECT_EQ(store.jobs_loaded, read);
  enroll("w");
  claim("w", 1);
  settle();
  ASSERT_EQ(delivered.size(), 1u);
  EXPECT_EQ(job("j0").attempts.back().dispatched_at, clock.now());
}

// JT-28
TEST_F(RoutingTest, job_that_nobody_ever_takes_fails_and_that_of_a_run_waits) {
  start("r");
  submit("j0");
  settle();
  pass(1'350'999);
  EXPECT_EQ(job("j0").state, State::scheduled);
  pass(3'001);
  EXPECT_EQ(job("j0").state, State::failed);
  EXPECT_EQ(job("j0").reason_code, "no_workers");
  auto letters = store.memory.dead_letters({}, 10, "")->items;
  ASSERT_EQ(letters.size(), 1u);
  EXPECT_EQ(letters[0].letter.reason_code, "no_workers");
  pass(24 * 3'600'000);
  EXPECT_FALSE(is_terminal(stored("r").summary.status));
  enroll("w");
  claim("w", 1);
  settle();
  EXPECT_EQ(delivered.size(), 1u);
}

// JT-29
TEST_F(RoutingTest, account_with_a_limit_of_one_does_its_jobs_one_by_one) {
  use_three_tasks();
  set_policy(rules(R"({"version":1,"default_decision":"allow","rules":[
    {"id":"ask","match":{"topics":["job.ask"]},"decision":"require_approval"}]})"));
  auto table = std::make_shared<fleet::PoolTable>();
  table->account_default.max_concurrent = 1;
  with([table](Workers& workers) { workers.set_pools(table); });
  for (int i = 0; i < 20; ++i) submit("j" + std::to_string(i));
  for (int i = 0; i < 5; ++i) submit("ask" + std::to_string(i), "ask");
  start("r");
  enroll("w");
  settle();
  int done = 0;
  for (uint64_t seq = 1; seq < 100; ++seq) {
    delivered.clear();
    claim("w", seq);
    settle();
    if (delivered.empty()) break;
    ASSERT_EQ(delivered.size(), 1u) << "four slots, and one lease at a time";
    ASSERT_EQ(leases(), 1u);
    // Those who await people hold nothing, and come in when they may.
    if (done == 10)
      for (int i = 0; i < 5; ++i) approve("ask" + std::to_string(i));
    report("w", delivered[0]);
    settle();
    ++done;
  }
  EXPECT_EQ(done, 20 + 5 + 3);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(job("j" + std::to_string(i)).state, State::succeeded);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(job("ask" + std::to_string(i)).state, State::succeeded);
  EXPECT_EQ(stored("r").summary.status, RunStatus::completed);
  EXPECT_EQ(leases(), 0u);
}

// JT-33
TEST_F(RoutingTest, snapshot_of_workers_routes_at_once_and_the_dead_are_gone_after_a_lease) {
  enroll_with("live", Value::object({{"placement.zone", "a"}}));
  enroll_with("dead", Value::object({{"placement.zone", "b"}}));
  submit("held");
  claim("dead", 1);
  settle();
  ASSERT_EQ(delivered.size(), 1u);
  ASSERT_EQ(store.memory.registrations()->size(), 2u);
  restart();
  ASSERT_TRUE(host().recover());
  // Nobody has spoken yet, and labels route already.
  submit_with("a", Value::object({{"placement.zone", "a"}}));
  submit_with("b", Value::object({{"placement.zone", "b"}}));
  delivered.clear();
  claim("live", 1);
  settle();
  ASSERT_EQ(delivered.size(), 1u);
  EXPECT_EQ(delivered[0].get("job_id"), Value("a"));
  // What the worker says of itself stands against what was written.
  fleet::Load load;
  load.cpu = 420;
  const Value own = delivered[0];
  beat("live", 1, own, load);
  pass(20'000);
  beat("live", 1, own);
  with([](Workers& workers) {
    const auto& registrations = workers.fleet().registrations();
    ASSERT_TRUE(registrations.contains(RegistrationId("reg-live")));
    EXPECT_EQ(registrations.at(RegistrationId("reg-live")).load.cpu, 420u);
    EXPECT_TRUE(registrations.contains(RegistrationId("reg-dead")));
  });
  pass(10'000);
  EXPECT_EQ(store.memory.registrations()->size(), 1u);
  delivered.clear();
  claim("live", 2);
  settle();
  ASSERT_EQ(delivered.size(), 1u);
  EXPECT_EQ(delivered[0].get("job_id"), Value("held"));
  EXPECT_EQ(delivered[0].get("attempt"), Value(2));
}

// J-90: what `job_lock_wait` and `active_goroutines` are made of
TEST_F(RoutingTest, commands_that_wait_for_their_job_are_measured) {
  submit("j0");
  settle();
  store.holds = true;
  submit("j1");
  settle();
  order("j1", job::CancelJob{"stop"});
  settle();
  clock.set(clock.now() + Duration{40});
  settle();
  store.holds = false;
  settle();
  ASSERT_EQ(job("j1").state, State::cancelled);
  JobLoad load;
  with([&load](Workers& workers) { load = workers.load(); });
  settle();
  EXPECT_EQ(load.waits.sum_ms, 40);
  auto fifty = std::find(CommandWaits::bounds_ms.begin(), CommandWaits::bounds_ms.end(), 50);
  EXPECT_EQ(load.waits.counts[static_cast<size_t>(fifty - CommandWaits::bounds_ms.begin())], 1u);
  EXPECT_GE(load.waits.counts[0], 2u);
  EXPECT_EQ(load.under_way, 0u);
}

}  // namespace
}  // namespace fermata
