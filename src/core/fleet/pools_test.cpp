#include "core/fleet/pools.h"

#include "base/json.h"
#include "core/fleet/fleet_fixture.h"

namespace fermata::fleet {
namespace {

PoolTablePtr table_of(std::string_view json) {
  auto value = parse_json(json);
  EXPECT_TRUE(value) << json;
  PoolReading reading = read_pools(value ? *value : Value());
  EXPECT_TRUE(reading.ok()) << (reading.ok() ? "" : reading.findings[0].path);
  return std::make_shared<const PoolTable>(std::move(reading.table));
}

WorkerCard in_pool(std::string worker, std::string pool, uint32_t slots = 10) {
  WorkerCard card = FleetFixture::card(std::move(worker), {"*"}, slots);
  card.pool = std::move(pool);
  return card;
}

std::vector<std::string> mistakes_of(std::string_view json) {
  std::vector<std::string> paths;
  for (const Finding& finding : read_pools(*parse_json(json)).findings)
    paths.push_back(finding.path);
  return paths;
}

// J-52
TEST(Pools, an_exact_topic_beats_the_longest_pattern) {
  auto table = table_of(R"({"version":1,"pools":{"a":{},"b":{},"c":{}},
      "topics":{"job.*":"a","job.pay.*":["b","c"],"pay.eu":"c"}})");
  EXPECT_EQ(*table->pools_of("job.mail"), Pairs{"a"});
  EXPECT_EQ(*table->pools_of("job.pay.us"), (Pairs{"b", "c"}));
  EXPECT_EQ(*table->pools_of("job.pay.eu"), Pairs{"c"});
  EXPECT_FALSE(table_of(R"({"version":1,"topics":{"x":"default"}})")->pools_of("job.y"));
}

TEST(Pools, every_mistake_is_told_by_its_path) {
  EXPECT_EQ(mistakes_of(R"({"version":2})"), Pairs{"/version"});
  EXPECT_EQ(mistakes_of(R"({"version":1,"topics":{"a":"nowhere","b!":"default","c":[],"*":3}})"),
            (Pairs{"/topics/a", "/topics/b!", "/topics/c", "/topics/*"}));
  EXPECT_EQ(mistakes_of(R"({"version":1,"topics":{"a":"default","job.a":"default"}})"),
            Pairs{"/topics/job.a"});
  EXPECT_EQ(mistakes_of(R"({"version":1,"pools":{"p":{"lease_ms":10,"status":"asleep",
                "rate":{"burst":0},"drain_until":"soon","max":1}}})"),
            (Pairs{"/pools/p/rate/per_second", "/pools/p/rate/burst", "/pools/p/status",
                   "/pools/p/drain_until", "/pools/p/lease_ms", "/pools/p/max"}));
  EXPECT_EQ(mistakes_of(R"({"version":1,"limits":{"accounts":{"acme":{"weight":0}},
                "keys":{"erp":{}},"topics":{"b!":{}},"more":1}})"),
            (Pairs{"/limits/accounts/acme/weight", "/limits/keys/erp/max_concurrent",
                   "/limits/topics/b!", "/limits/more"}));
  EXPECT_FALSE(read_pools(Value(3)).ok());
}

TEST(Pools, jobs_go_to_the_pools_of_their_topic_and_without_one_they_wait_as_a_fault) {
  FleetFixture at;
  at.fleet.use(at.now, table_of(R"({"version":1,"pools":{"mail":{},"pay":{}},
      "topics":{"mail.*":"mail","pay.*":"pay"}})"));
  at.enroll(in_pool("m", "mail"));
  at.enroll(in_pool("p", "pay"));
  at.claim("m", 1, 10);
  at.claim("p", 1, 10);
  at.offer("j1", "job.mail.send");
  at.offer("j2", "job.pay.charge");
  at.offer("j3", "job.other");
  EXPECT_EQ(at.commit(), (Pairs{"j1>m", "j2>p"}));
  EXPECT_EQ(at.fleet.routing_of(at.now, JobId("j3")).reason_code, "no_pool_mapping");
  EXPECT_TRUE(at.fleet.routing_of(at.now, JobId("j3")).fault);
  // A table that maps it gives it to who waits at once.
  at.fleet.use(at.now, table_of(R"({"version":1,"pools":{"mail":{},"pay":{}},
      "topics":{"mail.*":"mail","pay.*":"pay","*":"pay"}})"));
  EXPECT_EQ(at.commit(), Pairs{"j3>p"});
}

TEST(Pools, a_preferred_pool_narrows_the_pools_of_the_topic) {
  FleetFixture at;
  at.fleet.use(at.now, table_of(R"({"version":1,"pools":{"eu":{},"us":{},"x":{}},
      "topics":{"*":["eu","us"]}})"));
  for (const char* pool : {"eu", "us", "x"}) {
    at.enroll(in_pool(pool, pool));
    at.claim(pool, 1, 10);
  }
  ReadyJob job = at.job("j1");
  job.labels = Value::object({{"preferred_pool", "us"}});
  at.fleet.offer(at.now, job);
  job = at.job("j2");
  job.labels = Value::object({{"preferred_pool", "x"}});
  at.fleet.offer(at.now, job);
  EXPECT_EQ(at.commit(), Pairs{"j1>us"});
  EXPECT_EQ(at.fleet.routing_of(at.now, JobId("j2")).reason_code, "no_pool_mapping");
}

TEST(Pools, capabilities_of_the_pool_count_as_the_workers) {
  FleetFixture at;
  at.fleet.use(at.now, table_of(R"({"version":1,"pools":{"pci":{"requires":["PCI"]}}})"));
  WorkerCard card = in_pool("w", "pci");
  card.capabilities = {"gpu"};
  at.enroll(card);
  at.claim("w", 1, 10);
  ReadyJob job = at.job("j1");
  job.requires_ = {"gpu", "pci"};
  at.fleet.offer(at.now, job);
  EXPECT_EQ(at.commit(), Pairs{"j1>w"});
}

TEST(Pools, a_pool_has_a_lease_and_timeouts_of_its_own_and_a_topic_too) {
  FleetFixture at;
  at.fleet.use(at.now, table_of(R"({"version":1,
      "pools":{"p":{"lease_ms":5000,"run_timeout_ms":7,"start_timeout_ms":8,
                    "queue_timeout_ms":70}},
      "topics":{"*":"p"},"limits":{"topics":{"job.a":{"run_timeout_ms":9}}}})"));
  EXPECT_EQ(at.enroll(in_pool("w", "p")).lease_ms, 5'000);
  at.claim("w", 1, 10);
  at.offer("j1");
  auto assigned = at.fleet.take_assignments();
  ASSERT_EQ(assigned.size(), 1u);
  EXPECT_EQ(assigned[0].terms.lease_ms, 5'000);
  EXPECT_EQ(assigned[0].terms.run_timeout_ms, 9);
  EXPECT_EQ(assigned[0].terms.start_timeout_ms, 8);
  EXPECT_EQ(at.fleet.queue().table().queue_timeout_ms("job.a"), 70);
}

// J-58
TEST(Pools, a_draining_pool_gets_nothing_and_what_it_holds_goes_back_uncounted_in_the_end) {
  FleetFixture at;
  at.enroll(in_pool("w", "p"));
  LeaseKey lease = at.lease("w", 1, "j1");
  Instant until = at.now + Duration{20'000};
  at.fleet.use(at.now, table_of(R"({"version":1,"pools":{"p":{"status":"draining",
      "drain_until":")" + to_rfc3339(until) +
                                R"("}}})"));
  at.claim("w", 2, 10, 60'000);
  at.offer("j2");
  EXPECT_TRUE(at.commit().empty());
  EXPECT_EQ(at.fleet.routing_of(at.now, JobId("j2")).reason_code, "no_workers");
  EXPECT_EQ(at.fleet.next_due(), until);
  at.pass(20'000);
  auto lost = at.fleet.expire(at.now);
  ASSERT_EQ(lost.size(), 1u);
  EXPECT_EQ(lost[0].lease, lease);
  EXPECT_FALSE(lost[0].counted);
  EXPECT_TRUE(at.fleet.expire(at.now).empty()) << "once";
  at.fleet.free(at.now, lease, false);
  at.fleet.use(at.now, table_of(R"({"version":1,"pools":{"p":{}}})"));
  EXPECT_EQ(at.commit(), Pairs{"j2>w"});
}

TEST(Pools, a_worker_that_drains_gives_back_what_it_holds_when_its_time_is_over) {
  FleetFixture at;
  at.enroll(FleetFixture::card("w"));
  LeaseKey lease = at.lease("w", 1, "j1");
  at.fleet.drain(at.now, WorkerId("w"), true, at.now + Duration{5'000});
  EXPECT_TRUE(at.fleet.expire(at.now).empty());
  auto records = at.fleet.unwritten(at.now + Duration{10'000});
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(records[0].drain_until, at.now + Duration{5'000});
  at.pass(5'000);
  auto lost = at.fleet.expire(at.now);
  ASSERT_EQ(lost.size(), 1u);
  EXPECT_EQ(lost[0].lease, lease);
  EXPECT_FALSE(lost[0].counted);
}

// J-52
TEST(Pools, a_preferred_worker_is_waited_for_as_long_as_the_job_says) {
  FleetFixture at;
  at.enroll(FleetFixture::card("w1"));
  at.enroll(FleetFixture::card("w2"));
  at.claim("w1", 1, 10, 60'000);
  auto offer = [&](std::string id, std::string wait_ms) {
    ReadyJob job = at.job(std::move(id));
    job.labels = Value::object(
        {{"preferred_worker_id", "w2"}, {"preferred_worker_wait_ms", std::move(wait_ms)}});
    at.fleet.offer(at.now, job);
  };
  offer("j1", "0");
  EXPECT_EQ(at.commit(), Pairs{"j1>w1"});
  at.claim("w1", 2, 10, 60'000);
  offer("j2", "5000");
  offer("j3", "5000");
  EXPECT_TRUE(at.commit().empty());
  EXPECT_EQ(at.fleet.next_due(), at.now + Duration{5'000});
  at.claim("w2", 1, 1, 60'000);
  EXPECT_EQ(at.commit(), Pairs{"j2>w2"});
  at.pass(5'000);
  at.fleet.expire(at.now);
  EXPECT_EQ(at.commit(), Pairs{"j3>w1"});
}

// J-52, JT-30
TEST(Pools, who_is_pushed_to_keeps_a_tenth_of_its_slots_free) {
  FleetFixture at;
  for (int w = 0; w < 10; ++w) {
    std::string name = "w" + std::to_string(w);
    at.enroll(FleetFixture::card(name));
    ASSERT_TRUE(at.fleet.claim(at.now, FleetFixture::reg(name), 1, 10, 60'000, false));
  }
  std::map<std::string, int> given;
  for (int i = 0; i < 100; ++i) at.offer("j" + std::to_string(i));
  for (const std::string& pair : at.commit()) ++given[pair.substr(pair.find('>'))];
  ASSERT_EQ(given.size(), 10u);
  for (const auto& [worker, count] : given) EXPECT_EQ(count, 9) << worker;
  EXPECT_EQ(at.fleet.queue().size(), 10u);
  auto depths = at.fleet.queue().depths(at.now);
  ASSERT_EQ(depths.size(), 1u);
  EXPECT_EQ(depths[0].reason, Reason::pool_overloaded);
}

TEST(Pools, a_busy_machine_gets_nothing_until_it_has_cooled_down) {
  FleetFixture at;
  at.enroll(FleetFixture::card("w1"));
  Fleet::Beat hot;
  hot.load = Load{.cpu = 0, .gpu = 900, .memory = 0, .external_jobs = 0};
  ASSERT_TRUE(at.fleet.heartbeat(at.now, FleetFixture::reg("w1"), hot));
  at.claim("w1", 1);
  at.offer("j1");
  EXPECT_TRUE(at.commit().empty());
  EXPECT_FALSE(at.fleet.routing_of(at.now, JobId("j1")).fault);
  hot.load = Load{.cpu = 899, .gpu = 899, .memory = 0, .external_jobs = 0};
  ASSERT_TRUE(at.fleet.heartbeat(at.now, FleetFixture::reg("w1"), hot));
  EXPECT_EQ(at.commit(), Pairs{"j1>w1"});
}

// J-53: what a job has waited without anybody who could take it is known to the class.
TEST(Pools, a_fault_begins_when_the_last_who_could_take_it_leaves) {
  FleetFixture at;
  at.offer("j1");
  EXPECT_EQ(at.fleet.routing_of(at.now, JobId("j1")).fault_since, Instant{});
  at.enroll(FleetFixture::card("w1"));
  EXPECT_FALSE(at.fleet.routing_of(at.now, JobId("j1")).fault);
  at.pass(30'000);
  at.fleet.expire(at.now);
  EXPECT_EQ(at.fleet.routing_of(at.now, JobId("j1")).reason_code, "no_workers");
  EXPECT_EQ(at.fleet.routing_of(at.now, JobId("j1")).fault_since, at.now);
  EXPECT_FALSE(at.fleet.routing_of(at.now, JobId("on-its-way")).fault);
}

TEST(Pools, who_drains_is_nobody_who_could_take_it) {
  FleetFixture at;
  at.enroll(FleetFixture::card("w1"));
  at.claim("w1", 1);
  at.fleet.drain(at.now, WorkerId("w1"), true);
  at.offer("j1");
  EXPECT_EQ(at.fleet.routing_of(at.now, JobId("j1")).reason_code, "no_workers");
  at.fleet.drain(at.now, WorkerId("w1"), false);
  EXPECT_EQ(at.commit(), Pairs{"j1>w1"});
}

TEST(Pools, documents_are_merged_by_name_and_limits_as_a_whole) {
  Value file = *parse_json(R"({"version":1,"pools":{"a":{"lease_ms":5000}},"limits":{"keys":{}}})");
  Value api = *parse_json(R"({"version":1,"pools":{"a":{},"b":{}},"topics":{"x":"b"},
      "limits":{"keys":{"erp":{"max_concurrent":1}}}})");
  PoolTable table = read_pools(merge_pools(file, api)).table;
  EXPECT_EQ(table.pools.at("a").lease_ms, 5'000);
  EXPECT_TRUE(table.pools.contains("b"));
  EXPECT_TRUE(table.keys.empty());
  EXPECT_TRUE(table.pools_of("job.x"));
  EXPECT_EQ(merge_pools(Value(), api), api);
  EXPECT_EQ(merge_pools(file, Value()), file);
}

}  // namespace
}  // namespace fermata::fleet
