#include "base/json.h"
#include "core/fleet/fleet_fixture.h"

namespace fermata::fleet {
namespace {

struct Limited : FleetFixture {
  explicit Limited(std::string_view limits, std::string_view pools = "{}") {
    Value document = Value::object(
        {{"version", 1}, {"limits", *parse_json(limits)}, {"pools", *parse_json(pools)}});
    PoolReading reading = read_pools(document);
    EXPECT_TRUE(reading.ok()) << (reading.ok() ? "" : reading.findings[0].message);
    fleet.use(now, std::make_shared<const PoolTable>(std::move(reading.table)));
  }
  void offer_of(std::string id, std::string account, job::Priority priority,
                std::string topic = "job.a") {
    ReadyJob ready = job(std::move(id), std::move(topic));
    ready.account = AccountId(std::move(account));
    ready.priority = priority;
    fleet.offer(now, ready);
  }
  std::string reason(const std::string& id) const {
    return fleet.routing_of(now, JobId(id)).reason_code;
  }
  /// Ends the lease that was given last.
  void end(const std::string& job) { fleet.free(now, {JobId(job), fences}, false); }
};

// J-56, JT-29: a limit of 1 runs the jobs of an account one by one.
TEST(Limits, an_account_at_its_limit_waits_and_others_do_not) {
  Limited at(R"({"accounts":{"acme":{"max_concurrent":1}}})");
  at.enroll(FleetFixture::card("w", {"*"}, 100));
  at.claim("w", 1, 100, 60'000);
  for (int i = 0; i < 20; ++i) at.offer("j" + std::to_string(i), "job.t" + std::to_string(i % 3));
  at.offer_of("k", "other", job::Priority::batch);
  EXPECT_EQ(at.commit(), (Pairs{"j0>w", "k>w"}));
  EXPECT_EQ(at.reason("j1"), "tenant_limit");
  at.fleet.free(at.now, {JobId("j0"), 1}, false);
  at.answers();
  at.claim("w", 2, 100, 60'000);
  int done = 1;
  for (Pairs given = at.commit(); !given.empty(); given = at.commit()) {
    ASSERT_EQ(given.size(), 1u) << "one lease at a time";
    EXPECT_EQ(at.fleet.queue().gates().leases_of_account("acme"), 1u);
    ++done;
    at.end(given[0].substr(0, given[0].find('>')));
  }
  EXPECT_EQ(done, 20);
}

TEST(Limits, pools_topics_and_keys_have_their_own) {
  Limited at(R"({"topics":{"a":{"max_concurrent":2}},"keys":{"erp":{"max_concurrent":1}}})",
             R"({"default":{"max_concurrent":3}})");
  at.enroll(FleetFixture::card("w", {"*"}, 100));
  at.claim("w", 1, 100, 60'000);
  for (int i = 0; i < 3; ++i) at.offer("a" + std::to_string(i));
  for (int i = 0; i < 2; ++i) {
    ReadyJob keyed = at.job("k" + std::to_string(i), "job.b");
    keyed.limits = {{"erp", 5}};
    at.fleet.offer(at.now, keyed);
  }
  EXPECT_EQ(at.commit(), (Pairs{"a0>w", "a1>w", "k0>w"}));
  EXPECT_EQ(at.reason("a2"), "key_limit");
  EXPECT_EQ(at.reason("k1"), "key_limit");
  at.offer("c0", "job.c");
  EXPECT_TRUE(at.commit().empty());
  EXPECT_EQ(at.reason("c0"), "pool_overloaded");
  at.fleet.free(at.now, {JobId("a0"), 1}, false);
  EXPECT_EQ(at.commit().size(), 1u) << "one more in the pool, whoever's turn it is";
}

// J-56
TEST(Limits, rates_let_bursts_pass_and_then_one_by_one_when_their_token_is_due) {
  Limited at(R"({"accounts":{"default":{"rate":{"per_second":2,"burst":3}}}})");
  at.enroll(FleetFixture::card("w", {"*"}, 100));
  at.claim("w", 1, 100, 60'000);
  for (int i = 0; i < 6; ++i) at.offer("j" + std::to_string(i));
  EXPECT_EQ(at.commit(), (Pairs{"j0>w", "j1>w", "j2>w"}));
  EXPECT_EQ(at.reason("j3"), "rate_limited");
  at.answers();
  at.claim("w", 2, 100, 60'000);
  EXPECT_EQ(at.fleet.next_due(), at.now + Duration{500});
  at.pass(499);
  at.fleet.expire(at.now);
  EXPECT_TRUE(at.commit().empty());
  at.pass(1);
  at.fleet.expire(at.now);
  EXPECT_EQ(at.commit(), Pairs{"j3>w"});
  // A pause fills no more than the burst.
  at.pass(1'000'000);
  at.enroll(FleetFixture::card("w", {"*"}, 100), "again");
  at.claim("again", 1, 100, 60'000);
  at.fleet.expire(at.now);
  EXPECT_EQ(at.commit(), (Pairs{"j4>w", "j5>w"}));
  for (int i = 6; i < 9; ++i) at.offer("j" + std::to_string(i));
  EXPECT_EQ(at.commit(), Pairs{"j6>w"});
}

TEST(Limits, rates_of_pools_and_topics_hold_too_and_a_dispatch_that_failed_gives_its_token_back) {
  Limited at(R"({"topics":{"a":{"rate":{"per_second":1}}}})",
             R"({"default":{"rate":{"per_second":1,"burst":2}}})");
  at.enroll(FleetFixture::card("w", {"*"}, 100));
  at.claim("w", 1, 100, 60'000);
  at.offer("a0");
  at.offer("a1");
  at.offer("b0", "job.b");
  at.offer("b1", "job.b");
  auto assigned = at.fleet.take_assignments();
  ASSERT_EQ(assigned.size(), 2u);
  EXPECT_EQ(at.reason("a1"), "rate_limited");
  EXPECT_EQ(at.reason("b1"), "rate_limited");
  at.fleet.not_placed(at.now, assigned[0]);
  EXPECT_EQ(at.commit(), Pairs{"a1>w"});
  at.pass(1'000);
  at.fleet.expire(at.now);
  EXPECT_EQ(at.commit(), Pairs{"b1>w"});
}

// J-55, JT-31
TEST(Fairness, interactive_is_served_eight_to_one_and_accounts_take_turns) {
  Limited at("{}");
  at.enroll(FleetFixture::card("w", {"*"}, 60'000));
  for (int i = 0; i < 100'000; ++i)
    at.offer_of("a" + std::to_string(i), "A", job::Priority::batch,
                "job.t" + std::to_string(i % 7));
  at.claim("w", 1, 200, 60'000);
  EXPECT_EQ(at.commit().size(), 200u);
  at.answers();
  for (int i = 0; i < 10; ++i) {
    at.offer_of("c" + std::to_string(i), "C", job::Priority::batch);
    at.offer_of("b" + std::to_string(i), "B", job::Priority::interactive);
  }
  at.claim("w", 2, 40, 60'000);
  Pairs given = at.commit();
  ASSERT_EQ(given.size(), 40u);
  auto account_at = [&](size_t i) { return given[i][0]; };
  int of_b = 0;
  for (size_t i = 0; i < 12; ++i) of_b += account_at(i) == 'b';
  EXPECT_EQ(of_b, 10);
  std::string batch;
  for (size_t i = 0; i < given.size(); ++i)
    if (account_at(i) != 'b') batch.push_back(account_at(i));
  std::string first = batch.substr(0, 19);
  for (size_t i = 1; i < first.size(); ++i)
    EXPECT_NE(first[i], first[i - 1]) << "A and C alternate: " << batch;
}

TEST(Fairness, shares_follow_weights_and_critical_comes_first) {
  Limited at(R"({"accounts":{"big":{"weight":4}}})");
  at.enroll(FleetFixture::card("w", {"*"}, 60'000));
  for (int i = 0; i < 100; ++i) {
    at.offer_of("b" + std::to_string(i), "big", job::Priority::interactive);
    at.offer_of("s" + std::to_string(i), "small", job::Priority::interactive);
  }
  at.offer_of("!", "small", job::Priority::critical);
  at.claim("w", 1, 51, 60'000);
  Pairs given = at.commit();
  ASSERT_EQ(given.size(), 51u);
  EXPECT_EQ(given[0], "!>w");
  int of_big = 0;
  for (const std::string& pair : given) of_big += pair[0] == 'b';
  EXPECT_EQ(of_big, 40);
}

TEST(Fairness, who_was_held_back_by_a_limit_saves_nothing_up) {
  Limited at(R"({"accounts":{"A":{"max_concurrent":1}}})");
  at.enroll(FleetFixture::card("w", {"*"}, 60'000));
  for (int i = 0; i < 60; ++i) {
    at.offer_of("a" + std::to_string(i), "A", job::Priority::batch);
    at.offer_of("c" + std::to_string(i), "C", job::Priority::batch);
  }
  at.claim("w", 1, 40, 60'000);
  Pairs given = at.commit();
  int of_a = 0;
  for (const std::string& pair : given) of_a += pair[0] == 'a';
  EXPECT_EQ(of_a, 1);
  EXPECT_EQ(given.size(), 40u);
}

// J-57
TEST(Budgets, a_budget_that_is_used_up_parks_jobs_until_the_day_turns_or_it_is_raised) {
  Limited at(R"({"accounts":{"acme":{"budget":{"per_day_cost_micros":100}}}})");
  at.enroll(FleetFixture::card("w", {"*"}, 100));
  at.claim("w", 1, 100, 60'000);
  at.offer("j1");
  EXPECT_EQ(at.commit(), Pairs{"j1>w"});
  at.fleet.spend(AccountId("acme"), {.cost_micros = 100}, at.now);
  at.answers();
  at.claim("w", 2, 100, 60'000);
  at.offer("j2");
  EXPECT_TRUE(at.commit().empty());
  EXPECT_EQ(at.reason("j2"), "budget_exhausted");
  ReadyJob undo = at.job("undo");
  undo.labels = Value::object({{"is_compensation", "true"}});
  at.fleet.offer(at.now, undo);
  EXPECT_EQ(at.commit(), Pairs{"undo>w"}) << "what undoes is exempt";
  at.answers();
  at.claim("w", 3, 100, 60'000);
  Instant midnight{(day_of(at.now) + 1) * day_ms};
  at.now = midnight;
  at.enroll(FleetFixture::card("w", {"*"}, 100), "again");
  at.claim("again", 1, 100, 60'000);
  at.fleet.expire(at.now);
  EXPECT_EQ(at.commit(), Pairs{"j2>w"});
}

TEST(Budgets, tokens_count_together_and_a_higher_budget_lets_jobs_go_at_once) {
  Limited at(R"({"accounts":{"default":{"budget":{"per_day_tokens":10}}}})");
  at.enroll(FleetFixture::card("w", {"*"}, 100));
  at.fleet.spend(AccountId("acme"), {.input_tokens = 4, .output_tokens = 6}, at.now);
  at.claim("w", 1, 100, 60'000);
  at.offer("j1");
  EXPECT_TRUE(at.commit().empty());
  Limited raised(R"({"accounts":{"default":{"budget":{"per_day_tokens":11}}}})");
  at.fleet.use(at.now, std::make_shared<const PoolTable>(raised.fleet.queue().table()));
  EXPECT_EQ(at.commit(), Pairs{"j1>w"});
}

TEST(Gates, buckets_lose_and_win_nothing_by_being_looked_at) {
  Rate rate{3, 5};
  Bucket bucket;
  Instant now{1'000};
  for (int i = 0; i < 5; ++i) {
    EXPECT_FALSE(bucket.next(rate, now));
    bucket.take(rate, now);
  }
  EXPECT_EQ(bucket.next(rate, now), Instant{1'334});
  int taken = 0;
  for (int64_t ms = 1'000; ms <= 11'000; ++ms) {
    now = Instant{ms};
    if (bucket.next(rate, now)) continue;
    bucket.take(rate, now);
    ++taken;
  }
  EXPECT_EQ(taken, 30);
  // A clock that goes back gives and takes nothing.
  EXPECT_EQ(bucket.next(rate, Instant{11'001}), Instant{11'334});
  EXPECT_EQ(bucket.next(rate, Instant{5'000}), Instant{5'334});
  EXPECT_FALSE(bucket.next(rate, Instant{5'334}));
}

TEST(Limits, who_waits_for_a_token_does_not_wait_for_a_clock_that_went_back) {
  Limited at(R"({"accounts":{"default":{"rate":{"per_second":1}}}})");
  at.enroll(FleetFixture::card("w", {"*"}, 100));
  at.claim("w", 1, 100, 60'000);
  at.offer("j1");
  at.offer("j2");
  EXPECT_EQ(at.commit(), Pairs{"j1>w"});
  at.answers();
  at.claim("w", 2, 100, 60'000);
  at.fleet.expire(at.now);
  at.pass(-3'000'000);
  at.fleet.expire(at.now);
  EXPECT_TRUE(at.commit().empty());
  EXPECT_EQ(at.fleet.next_due(), at.now + Duration{1'000});
  at.pass(1'000);
  at.fleet.expire(at.now);
  EXPECT_EQ(at.commit(), Pairs{"j2>w"});
}

// J-56: a lease is over for others when its job has heard of it.
TEST(Limits, a_worker_that_is_gone_frees_its_place_when_its_job_knows) {
  Limited at(R"({"accounts":{"acme":{"max_concurrent":1}}})");
  at.enroll(FleetFixture::card("w1"));
  LeaseKey lease = at.lease("w1", 1, "j1");
  at.pass(20'000);
  at.enroll(FleetFixture::card("w2"));
  at.claim("w2", 1, 10, 60'000);
  at.offer("j2");
  at.pass(10'000);
  ASSERT_EQ(at.fleet.expire(at.now).size(), 1u);
  EXPECT_TRUE(at.commit().empty());
  at.fleet.free(at.now, lease, false);
  EXPECT_EQ(at.commit(), Pairs{"j2>w2"});
}

}  // namespace
}  // namespace fermata::fleet
