#include "front/worker_request.h"

#include <gtest/gtest.h>

#include "base/json.h"

namespace fermata::front {
namespace {

template <class T>
std::vector<std::string> paths(const Outcome<T>& outcome) {
  std::vector<std::string> out;
  EXPECT_FALSE(outcome);
  if (outcome) return out;
  for (const Finding& finding : outcome.error().findings) out.push_back(finding.path);
  return out;
}

using Paths = std::vector<std::string>;

TEST(RegisterBody, reads_a_card) {
  auto body = *parse_json(R"({"worker_id":"w1","pool":"img","topics":["resize","pay.*"],
    "max_parallel":8,"capabilities":["GPU"],"labels":{"node.zone":"b"},"region":"eu","type":"k",
    "sdk":"py/1","resume":[{"job_id":"j1","fence":7}]})");
  auto request = read_register(body, {"acme"}, {"img", "pay"});
  ASSERT_TRUE(request) << request.error().message;
  EXPECT_EQ(request->card.topics, (Paths{"job.pay.*", "job.resize"}));
  EXPECT_EQ(request->card.capabilities, Paths{"gpu"});
  EXPECT_EQ(request->card.accounts, Paths{"acme"});
  EXPECT_EQ(request->card.max_parallel, 8u);
  EXPECT_EQ(request->resume, (std::vector<fleet::LeaseKey>{{JobId("j1"), 7}}));
}

TEST(RegisterBody, finds_every_mistake) {
  auto body = *parse_json(R"({"topics":"all","max_parallel":0,"labels":[],"sdk":5,
    "resume":[{"job_id":"j1"},{"job_id":"j2","fence":1}],"x":1})");
  EXPECT_EQ(paths(read_register(body, {}, {})),
            (Paths{"/worker_id", "/topics", "/max_parallel", "/labels", "/sdk", "/resume/0/fence",
                   "/x"}));
  auto empty = read_register(*parse_json(R"({"worker_id":"w1"})"), {}, {});
  EXPECT_EQ(paths(empty), Paths{"/topics"});
}

TEST(RegisterBody, a_key_is_for_its_pools) {
  auto body = *parse_json(R"({"worker_id":"w1","topics":["a"],"pool":"pay"})");
  auto refused = read_register(body, {}, {"img"});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::forbidden);
  auto first = read_register(*parse_json(R"({"worker_id":"w1","topics":["a"]})"), {}, {"img"});
  ASSERT_TRUE(first);
  EXPECT_EQ(first->card.pool, "img");
}

TEST(ClaimBody, has_limits) {
  auto claim = read_claim(*parse_json(R"({"registration_id":"r","seq":1})"));
  ASSERT_TRUE(claim);
  EXPECT_EQ(claim->slots, 1u);
  EXPECT_EQ(claim->wait_ms, 0);
  auto wrong = read_claim(*parse_json(R"({"seq":0,"slots":257,"wait_ms":60001})"));
  EXPECT_EQ(paths(wrong), (Paths{"/registration_id", "/seq", "/slots", "/wait_ms"}));
}

TEST(HeartbeatBody, reads_load_and_leases) {
  auto beat = read_heartbeat(*parse_json(R"({"registration_id":"r","last_seq":4,"cpu_load":12.34,
    "gpu_utilization":0,"memory_load":100,"external_jobs":2,"draining":true,
    "leases":[{"job_id":"j","fence":3,"percent":50,"message":"half"}]})"));
  ASSERT_TRUE(beat) << beat.error().message;
  EXPECT_EQ(beat->beat.load, (fleet::Load{123, 0, 1'000, 2}));
  EXPECT_EQ(beat->beat.draining, true);
  ASSERT_EQ(beat->beat.leases.size(), 1u);
  EXPECT_EQ(beat->beat.leases[0].progress.percent, 50u);
  auto plain = read_heartbeat(*parse_json(R"({"registration_id":"r"})"));
  ASSERT_TRUE(plain);
  EXPECT_FALSE(plain->beat.load);
  EXPECT_EQ(paths(read_heartbeat(*parse_json(R"({"registration_id":"r","cpu_load":101})"))),
            Paths{"/cpu_load"});
}

TEST(RenewAndDeclineBodies, name_the_fence) {
  EXPECT_EQ(paths(read_renew(Value())), (Paths{"/registration_id", "/fence"}));
  auto decline = read_decline(
      *parse_json(R"({"registration_id":"r","fence":2,"reason":"busy","retry_after_ms":50})"));
  ASSERT_TRUE(decline);
  EXPECT_EQ(decline->retry_after_ms, 50);
  EXPECT_EQ(paths(read_decline(*parse_json(R"({"registration_id":"r","fence":2})"))),
            Paths{"/reason"});
}

// J-65, JT-34
TEST(ResultsBody, a_bad_result_does_not_touch_its_neighbours) {
  auto results = read_results(*parse_json(R"({"registration_id":"r","results":[
    {"job_id":"a","fence":"x","status":"succeeded"},
    {"job_id":"b","attempt":1,"fence":2,"status":"succeeded","output":{"n":1},"execution_ms":5,
     "usage":{"cost_micros":7}},
    {"job_id":"c","fence":3,"status":"done"},
    7,
    {"job_id":"d","fence":4,"status":"failed","error":{"message":"no code"}}]})"),
                              {});
  ASSERT_TRUE(results) << results.error().message;
  ASSERT_EQ(results->results.size(), 5u);
  const auto& items = results->results;
  EXPECT_EQ(items[0].findings.at(0).path, "/fence");
  EXPECT_EQ(items[0].job.text(), "a");
  EXPECT_TRUE(items[1].findings.empty());
  EXPECT_EQ(items[1].report.output.value, Value::object({{"n", 1}}));
  EXPECT_EQ(items[1].report.usage.cost_micros, 7);
  EXPECT_EQ(items[2].findings.at(0).path, "/status");
  EXPECT_EQ(items[2].fence, 3u);
  EXPECT_FALSE(items[3].findings.empty());
  EXPECT_EQ(items[4].findings.at(0).path, "/error/code");
}

TEST(ResultsBody, outputs_are_given_or_named) {
  auto results = read_results(*parse_json(R"({"registration_id":"r","results":[
    {"job_id":"a","fence":1,"status":"succeeded","output_blob":{"sha256":
     "0000000000000000000000000000000000000000000000000000000000000000","size":9},
     "artifacts":[{"name":"log","sha256":
     "1111111111111111111111111111111111111111111111111111111111111111","size":3}]},
    {"job_id":"a","fence":1,"status":"succeeded","output":1,"output_blob":{"sha256":"zz"}},
    {"job_id":"a","fence":1,"status":"succeeded"}]})"),
                              {});
  ASSERT_TRUE(results);
  const auto& items = results->results;
  ASSERT_TRUE(items[0].findings.empty()) << items[0].findings[0].message;
  EXPECT_TRUE(items[0].report.output.in_blob);
  EXPECT_EQ(items[0].report.output.bytes, 9u);
  EXPECT_EQ(items[0].report.artifacts.size(), 1u);
  EXPECT_EQ(items[1].findings.at(0).path, "/output_blob");
  EXPECT_TRUE(items[2].findings.empty());
  EXPECT_TRUE(items[2].report.output.value.is_null());
}

TEST(ResultsBody, the_list_has_a_limit) {
  EXPECT_EQ(paths(read_results(*parse_json(R"({"registration_id":"r","results":[]})"), {})),
            Paths{"/results"});
  Value many = Value::array();
  for (size_t i = 0; i <= results_max; ++i) many.push(Value::object());
  EXPECT_EQ(paths(read_results(Value::object({{"registration_id", "r"}, {"results", many}}), {})),
            Paths{"/results"});
}

}  // namespace
}  // namespace fermata::front
