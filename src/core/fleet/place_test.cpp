#include "core/fleet/fleet_fixture.h"

namespace fermata::fleet {
namespace {

TEST(Placement, priority_comes_first_then_who_has_waited_longest) {
  FleetFixture at;
  auto offer = [&](std::string id, job::Priority priority) {
    ReadyJob job = at.job(std::move(id));
    job.priority = priority;
    at.fleet.offer(at.now, job);
    at.pass(1);
  };
  offer("b1", job::Priority::batch);
  offer("i1", job::Priority::interactive);
  offer("b2", job::Priority::batch);
  offer("c1", job::Priority::critical);
  offer("i2", job::Priority::interactive);
  at.enroll(FleetFixture::card("w1"));
  at.claim("w1", 1, 10);
  EXPECT_EQ(at.commit(), (Pairs{"c1>w1", "i1>w1", "i2>w1", "b1>w1", "b2>w1"}));
}

TEST(Placement, a_job_that_goes_back_keeps_the_time_it_became_ready) {
  FleetFixture at;
  ReadyJob late = at.job("late");
  at.pass(1'000);
  at.offer("later");
  at.fleet.offer(at.now, late);
  at.enroll(FleetFixture::card("w1"));
  at.claim("w1", 1, 2);
  EXPECT_EQ(at.commit(), (Pairs{"late>w1", "later>w1"}));
}

TEST(Placement, offering_twice_keeps_one_place) {
  FleetFixture at;
  at.offer("j1");
  at.offer("j1");
  EXPECT_EQ(at.fleet.queue().size(), 1u);
  at.fleet.withdraw(JobId("j1"));
  at.fleet.withdraw(JobId("j1"));
  EXPECT_EQ(at.fleet.queue().size(), 0u);
  at.enroll(FleetFixture::card("w1"));
  at.claim("w1", 1);
  EXPECT_TRUE(at.commit().empty());
}

TEST(Placement, a_worker_gets_the_topics_it_serves) {
  FleetFixture at;
  at.offer("j1", "job.mail.send");
  at.offer("j2", "job.pay.eu.charge");
  at.offer("j3", "job.pay");
  at.enroll(FleetFixture::card("w1", {"job.pay.*"}));
  at.claim("w1", 1, 10);
  EXPECT_EQ(at.commit(), Pairs{"j2>w1"});
  at.enroll(FleetFixture::card("w2", {"mail.send", "pay"}));
  at.claim("w2", 1, 10);
  EXPECT_EQ(at.commit(), (Pairs{"j1>w2", "j3>w2"}));
}

TEST(Placement, a_worker_has_every_capability_that_is_asked_for) {
  FleetFixture at;
  ReadyJob job = at.job("j1");
  job.requires_ = {"gpu", "pci"};
  at.fleet.offer(at.now, job);
  WorkerCard some = FleetFixture::card("w1");
  some.capabilities = {"gpu"};
  at.enroll(some);
  at.claim("w1", 1);
  EXPECT_TRUE(at.commit().empty());
  WorkerCard all = FleetFixture::card("w2");
  all.capabilities = {"PCI", "smtp", "gpu"};
  normalize(all);
  at.enroll(all);
  at.claim("w2", 1);
  EXPECT_EQ(at.commit(), Pairs{"j1>w2"});
}

TEST(Placement, labels_of_placement_must_equal_the_workers) {
  FleetFixture at;
  ReadyJob job = at.job("j1");
  job.labels = Value::object({{"node.zone", "b"}, {"team", "red"}});
  at.fleet.offer(at.now, job);
  WorkerCard other = FleetFixture::card("w1");
  other.labels = Value::object({{"node.zone", "a"}});
  at.enroll(other);
  at.claim("w1", 1);
  EXPECT_TRUE(at.commit().empty());
  WorkerCard same = FleetFixture::card("w2");
  same.labels = Value::object({{"node.zone", "b"}});
  at.enroll(same);
  at.claim("w2", 1);
  EXPECT_EQ(at.commit(), Pairs{"j1>w2"});
}

TEST(Placement, a_pool_that_was_named_is_the_only_one) {
  FleetFixture at;
  ReadyJob job = at.job("j1");
  job.labels = Value::object({{"preferred_pool", "eu"}});
  at.fleet.offer(at.now, job);
  at.enroll(FleetFixture::card("w1"));
  at.claim("w1", 1);
  EXPECT_TRUE(at.commit().empty());
  WorkerCard eu = FleetFixture::card("w2");
  eu.pool = "eu";
  at.enroll(eu);
  at.claim("w2", 1);
  EXPECT_EQ(at.commit(), Pairs{"j1>w2"});
}

TEST(Placement, workers_of_an_account_do_its_jobs_alone) {
  FleetFixture at;
  WorkerCard theirs = FleetFixture::card("w1");
  theirs.accounts = {"other"};
  at.enroll(theirs);
  at.claim("w1", 1);
  at.offer("j1");
  EXPECT_TRUE(at.commit().empty());
  WorkerCard ours = FleetFixture::card("w2");
  ours.accounts = {"acme", "more"};
  at.enroll(ours);
  at.claim("w2", 1);
  EXPECT_EQ(at.commit(), Pairs{"j1>w2"});
}

// JT-30
TEST(Placement, a_burst_is_spread_evenly_before_any_heartbeat) {
  FleetFixture at;
  for (int w = 0; w < 10; ++w) {
    std::string name = "w" + std::to_string(w);
    at.enroll(FleetFixture::card(name));
    at.claim(name, 1, 10);
  }
  std::map<std::string, int> given;
  for (int i = 0; i < 100; ++i) at.offer("j" + std::to_string(i));
  for (const std::string& pair : at.commit()) ++given[pair.substr(pair.find('>'))];
  ASSERT_EQ(given.size(), 10u);
  for (const auto& [worker, count] : given) EXPECT_EQ(count, 10) << worker;
}

TEST(Placement, the_least_loaded_worker_that_waits_is_chosen) {
  FleetFixture at;
  for (const char* name : {"w1", "w2"}) {
    at.enroll(FleetFixture::card(name));
    at.claim(name, 1, 10);
  }
  Fleet::Beat busy;
  busy.load = Load{.cpu = 500, .gpu = 0, .memory = 0, .external_jobs = 0};
  ASSERT_TRUE(at.fleet.heartbeat(at.now, FleetFixture::reg("w1"), busy));
  at.offer("j1");
  EXPECT_EQ(at.commit(), Pairs{"j1>w2"});
  at.offer("j2");
  EXPECT_EQ(at.commit(), Pairs{"j2>w1"});
}

// J-58
TEST(Placement, a_worker_that_refuses_a_topic_three_times_is_passed_over_for_a_minute) {
  FleetFixture at;
  at.enroll(FleetFixture::card("w1"));
  for (uint64_t seq = 1; seq <= 3; ++seq) {
    LeaseKey lease = at.lease("w1", seq, "j" + std::to_string(seq));
    at.fleet.free(at.now, lease, true);
  }
  at.claim("w1", 4, 5, 0);
  at.offer("again");
  at.offer("other", "job.b");
  EXPECT_EQ(at.commit(), Pairs{"other>w1"});
  at.answers();
  at.pass(60'000);
  at.claim("w1", 5);
  EXPECT_EQ(at.commit(), Pairs{"again>w1"});
}

TEST(Placement, a_job_done_forgives_refusals) {
  FleetFixture at;
  at.enroll(FleetFixture::card("w1"));
  for (uint64_t seq = 1; seq <= 9; ++seq) {
    LeaseKey lease = at.lease("w1", seq, "j" + std::to_string(seq));
    at.fleet.free(at.now, lease, seq % 3 != 0);
  }
  at.lease("w1", 10, "last");
}

TEST(Placement, as_many_leases_with_a_key_as_it_allows) {
  FleetFixture at;
  at.enroll(FleetFixture::card("w1"));
  auto offer = [&](std::string id, std::string account) {
    ReadyJob job = at.job(std::move(id));
    job.account = AccountId(std::move(account));
    job.limits = {job::Concurrency{"erp", 2}};
    at.fleet.offer(at.now, job);
  };
  for (int i = 1; i <= 4; ++i) offer("j" + std::to_string(i), "acme");
  offer("k1", "other");
  at.claim("w1", 1, 10);
  EXPECT_EQ(at.commit(), (Pairs{"j1>w1", "k1>w1", "j2>w1"}));
  at.answers();
  at.claim("w1", 2, 10);
  EXPECT_TRUE(at.commit().empty());
  // One that is being cancelled may still be at work.
  at.fleet.revoke(at.now, {JobId("j1"), 1});
  EXPECT_TRUE(at.commit().empty());
  at.fleet.free(at.now, {JobId("j1"), 1}, false);
  EXPECT_EQ(at.commit(), Pairs{"j3>w1"});
}

TEST(Placement, a_dispatch_that_failed_gives_its_key_back) {
  FleetFixture at;
  at.enroll(FleetFixture::card("w1"));
  at.claim("w1", 1, 10);
  ReadyJob job = at.job("j1");
  job.limits = {job::Concurrency{"erp", 1}};
  at.fleet.offer(at.now, job);
  ReadyJob next = job;
  next.job = JobId("j2");
  at.fleet.offer(at.now, next);
  auto assignments = at.fleet.take_assignments();
  ASSERT_EQ(assignments.size(), 1u);
  at.fleet.not_placed(at.now, assignments[0]);
  EXPECT_EQ(at.commit(), Pairs{"j2>w1"});
}

TEST(Placement, patterns_fit_with_stars_anywhere) {
  EXPECT_TRUE(fits("job.*", "job.a.b"));
  EXPECT_TRUE(fits("*", ""));
  EXPECT_TRUE(fits("job.*.eu.*", "job.pay.eu.charge"));
  EXPECT_FALSE(fits("job.*.eu.*", "job.pay.us.charge"));
  EXPECT_FALSE(fits("job.a", "job.ab"));
  EXPECT_TRUE(fits("a*b*c", "axxbyyc"));
  EXPECT_FALSE(fits("", "a"));
  EXPECT_FALSE(fits(std::string(50, '*') + "b", std::string(5'000, 'a')));
}

// J-53
TEST(Placement, a_long_queue_costs_a_claim_no_search) {
  FleetFixture at;
  for (int i = 0; i < 20'000; ++i) {
    ReadyJob job = at.job("j" + std::to_string(i), "job.t" + std::to_string(i % 100));
    job.account = AccountId("a" + std::to_string(i % 10));
    at.fleet.offer(at.now, job);
  }
  at.enroll(FleetFixture::card("w1", {"*"}, 65'536));
  for (uint64_t seq = 1; seq <= 70; ++seq) {
    at.claim("w1", seq, 256);
    EXPECT_EQ(at.commit().size(), 256u);
    at.answers();
  }
  EXPECT_EQ(at.fleet.queue().size(), 20'000u - 70 * 256);
}

TEST(FleetQueue, jobs_are_counted_by_account) {
  FleetFixture at;
  at.offer("a");
  at.offer("b");
  ReadyJob other = at.job("c");
  other.account = AccountId("other");
  at.fleet.offer(at.now, other);
  EXPECT_EQ(at.fleet.queue().waiting_of(AccountId("acme")), 2u);
  at.fleet.withdraw(JobId("a"));
  at.fleet.withdraw(JobId("c"));
  EXPECT_EQ(at.fleet.queue().waiting_of(AccountId("acme")), 1u);
  EXPECT_EQ(at.fleet.queue().waiting_of(AccountId("other")), 0u);
}

}  // namespace
}  // namespace fermata::fleet
