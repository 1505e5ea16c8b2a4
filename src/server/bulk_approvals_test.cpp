#include <gtest/gtest.h>
#include <unistd.h>

#include "base/json.h"
#include "server/test_world.h"

/// Saying no to many at once (U-42). Each yes is said to one request alone.
namespace fermata::server {
namespace {

constexpr std::string_view asking =
    "workflow asking(inputs) {\n"
    "  return await Approval.request({ title: `Pay ${inputs.amount}`, details: inputs })\n}\n";
constexpr const char* policy = R"({"version": 1, "default_decision": "allow", "rules": [
    {"id": "ask", "match": {"topics": ["job.pay"]}, "decision": "require_approval",
     "reason": "money"}]})";

class BulkApprovals : public testing::Test {
 protected:
  BulkApprovals() {
    starter_ = header(world_.add_key(Role::operator_));
    anna_ = header(world_.add_key(Role::operator_));
    viewer_ = header(world_.add_key(Role::viewer));
    rival_ = header(world_.add_key(Role::admin, "rival"));
    std::string root = header(world_.add_key(Role::root));
    auto put = world_.ask("PUT", "/api/v1/workflows/asking",
                          to_json(Value::object({{"language", "flow"}, {"source", asking}})), root);
    EXPECT_EQ(put.status, 201) << put.text;
    EXPECT_LT(world_.ask("PUT", "/api/v1/policy/base", policy, root).status, 300);
  }
  static std::string header(const std::string& key) { return "X-API-Key: " + key + "\r\n"; }
  static std::string text(const Value& value) {
    return value.is_string() ? std::string(value.as_string()) : "";
  }
  Value pending() {
    return world_.ask("GET", "/api/v1/approvals?status=pending", "", viewer_).body;
  }
  void ask(size_t many) {
    for (size_t i = 0; i < many; ++i)
      EXPECT_EQ(world_
                    .ask("POST", "/api/v1/workflows/asking/executions",
                         R"({"input": {"amount": 900}})", starter_)
                    .status,
                201);
    for (int tries = 0; tries < 400 && pending().get("items").size() < many; ++tries) usleep(5'000);
  }
  TestWorld::Answer bulk(const std::string& body, const std::string& who) {
    return world_.ask("POST", "/api/v1/approvals/bulk", body, who);
  }
  Value ended(const TestWorld::Answer& begun) {
    EXPECT_EQ(begun.status, 202) << begun.text;
    std::string path = "/api/v1/bulk/" + text(begun.body.get("bulk_id"));
    Value shown = world_.ask("GET", path, "", viewer_).body;
    for (int tries = 0; tries < 400 && shown.get("state") == Value("running"); ++tries) {
      usleep(5'000);
      shown = world_.ask("GET", path, "", viewer_).body;
    }
    return shown;
  }

  TestWorld world_;
  std::string starter_, anna_, viewer_, rival_;
};

// U-42, U-12
TEST_F(BulkApprovals, those_of_runs_and_jobs_that_were_shown_are_rejected) {
  ask(2);
  auto job = world_.ask("POST", "/api/v1/jobs", R"({"topic": "job.pay", "input": {}})", starter_);
  ASSERT_EQ(job.status, 201) << job.text;
  auto dry = bulk(R"({"action":"reject","filter":{"status":"pending"},"dry_run":true})", anna_);
  ASSERT_EQ(dry.status, 200) << dry.text;
  EXPECT_EQ(dry.body.get("count"), Value(3));
  EXPECT_EQ(dry.body.get("by_status").get("pending"), Value(3));
  EXPECT_EQ(dry.body.get("refused").size(), 0u) << dry.text;
  ask(3);
  Value result = ended(bulk(
      R"({"token":")" + text(dry.body.get("token")) + R"(","reason":"season is over"})", anna_));
  EXPECT_EQ(result.get("done"), Value(3)) << to_json(result);
  EXPECT_EQ(pending().get("items").size(), 3u);
  auto shown = world_.ask("GET", "/api/v1/approvals?status=rejected", "", viewer_).body;
  ASSERT_EQ(shown.get("items").size(), 2u);
  EXPECT_EQ(shown.get("items").items()[0].get("comment"), Value("season is over"));
  auto denied = world_.ask("GET", "/api/v1/jobs/" + text(job.body.get("id")), "", viewer_).body;
  EXPECT_EQ(denied.get("state"), Value("DENIED")) << to_json(denied);
  // Its items are told by their ids.
  auto items = world_.ask("GET", "/api/v1/bulk/" + text(result.get("id")) + "/items", "", viewer_);
  for (const Value& item : items.body.get("items").items())
    EXPECT_EQ(text(item.get("id")).find(' '), std::string::npos);
}

// J-42
TEST_F(BulkApprovals, who_asked_is_told_before_that_it_would_be_refused) {
  ask(1);
  auto dry = bulk(R"({"action":"reject","filter":{"kind":"run"},"dry_run":true})", starter_);
  EXPECT_EQ(dry.body.get("refused").get("approval_by_submitter"), Value(1)) << dry.text;
  Value result =
      ended(bulk(R"({"action":"reject","filter":{"kind":"run"},"reason":"x"})", starter_));
  EXPECT_EQ(result.get("refused"), Value(1)) << to_json(result);
  EXPECT_EQ(pending().get("items").size(), 1u);
}

// U-10, U-42, A-11
TEST_F(BulkApprovals, a_yes_an_empty_filter_and_a_no_without_a_reason_are_refused) {
  ask(1);
  auto code = [&](const std::string& body, const std::string& who) {
    auto answer = bulk(body, who);
    return std::to_string(answer.status) + " " + answer.code();
  };
  EXPECT_EQ(code(R"({"action":"approve","filter":{"kind":"run"},"dry_run":true})", anna_),
            "422 invalid_field");
  EXPECT_EQ(code(R"({"action":"reject","filter":{},"dry_run":true})", anna_),
            "422 filter_required");
  EXPECT_EQ(code(R"({"action":"reject","filter":{"kind":"run"}})", anna_), "422 invalid_field");
  EXPECT_EQ(code(R"({"action":"reject","filter":{"mood":"x"},"dry_run":true})", anna_),
            "422 invalid_field");
  EXPECT_EQ(code(R"({"action":"reject","filter":{"kind":"x"},"dry_run":true})", anna_),
            "422 invalid_query");
  EXPECT_EQ(code(R"({"action":"reject","all":true,"reason":"x"})", viewer_), "403 forbidden");
  auto foreign = bulk(R"({"action":"reject","all":true,"dry_run":true})", rival_);
  EXPECT_EQ(foreign.body.get("count"), Value(0)) << foreign.text;
}

}  // namespace
}  // namespace fermata::server
