#include <gtest/gtest.h>

#include "server/bulk.h"
#include "server/test_world.h"

namespace fermata::server {
namespace {

using Answer = TestWorld::Answer;

class Bulk : public testing::Test {
 protected:
  Bulk() { world.put_workflows(); }
  std::vector<std::string> start_waiting(int count, const char* label = "x") {
    std::vector<std::string> ids;
    for (int i = 0; i < count; ++i)
      ids.push_back(
          world.start("waiting", R"({"labels":{"batch":")" + std::string(label) + R"("}})"));
    return ids;
  }
  Answer post(const std::string& body, const std::string& headers = "") {
    return world.ask("POST", "/api/v1/executions/bulk", body, headers);
  }
  Answer get(const std::string& id, const std::string& rest = "") {
    return world.ask("GET", "/api/v1/bulk/" + id + rest);
  }
  /// Asks until the operation has ended.
  Value ended(const Answer& begun) {
    EXPECT_EQ(begun.status, 202) << begun.text;
    std::string id(begun.body.get("bulk_id").as_string());
    auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    Answer answer = get(id);
    while (answer.body.get("state") == Value("running") &&
           std::chrono::steady_clock::now() < deadline)
      answer = get(id);
    EXPECT_NE(answer.body.get("state"), Value("running")) << answer.text;
    return answer.body;
  }
  std::string status(const std::string& id) {
    return std::string(world.ask("GET", "/api/v1/executions/" + id).body.get("status").as_string());
  }
  TestWorld world;
};

TEST_F(Bulk, a_dry_run_tells_what_would_happen_and_does_nothing) {
  auto ids = start_waiting(12);
  std::string done = world.start("instant", R"({"input":{"n":1},"labels":{"batch":"x"}})");
  ASSERT_TRUE(world.wait_for(done, "completed"));
  auto dry = post(R"({"action":"cancel","filter":{"label":"batch:x"},"dry_run":true})");
  ASSERT_EQ(dry.status, 200) << dry.text;
  EXPECT_EQ(dry.body.get("count"), Value(13));
  EXPECT_EQ(dry.body.get("by_status").get("waiting"), Value(12));
  EXPECT_EQ(dry.body.get("sample").size(), 10u);
  EXPECT_EQ(dry.body.get("refused").get("run_finished"), Value(1));
  EXPECT_TRUE(dry.body.get("token").is_string());
  EXPECT_TRUE(dry.body.get("as_of").is_string());
  EXPECT_EQ(status(ids[0]), "waiting");
}

TEST_F(Bulk, a_token_acts_on_what_was_shown_and_on_nothing_else) {
  auto shown = start_waiting(40);
  std::string request = R"({"action":"cancel","filter":{"label":"batch:x"})";
  auto dry = post(request + R"(,"dry_run":true})");
  std::string token(dry.body.get("token").as_string());
  auto later = start_waiting(5);
  auto result = ended(post(R"({"token":")" + token + R"(","reason":"enough"})"));
  EXPECT_EQ(result.get("state"), Value("done"));
  EXPECT_EQ(result.get("matched"), Value(40));
  EXPECT_EQ(result.get("done"), Value(40));
  for (const std::string& id : shown) EXPECT_EQ(status(id), "cancelled");
  for (const std::string& id : later) EXPECT_EQ(status(id), "waiting");
  // The audit holds the reason: of the operation and of each run it ended.
  auto audit = world.ask("GET", "/api/v1/audit?action=bulk.start").body.get("items");
  ASSERT_EQ(audit.size(), 1u);
  EXPECT_EQ(audit.items()[0].get("reason"), Value("enough"));
  EXPECT_EQ(audit.items()[0].get("details").get("matched"), Value(40));
  auto cancels = world.ask("GET", "/api/v1/audit?action=execution.cancel&limit=100");
  EXPECT_EQ(cancels.body.get("items").size(), 40u);
  EXPECT_EQ(cancels.body.get("items").items()[0].get("reason"), Value("enough"));
  // It acts once.
  EXPECT_EQ(post(R"({"token":")" + token + R"("})").code(), "bulk_token_invalid");
}

TEST_F(Bulk, a_token_is_bound_to_what_was_asked_and_to_its_account) {
  start_waiting(2);
  auto dry = post(R"({"action":"cancel","filter":{"label":"batch:x"},"dry_run":true})");
  std::string token = R"("token":")" + std::string(dry.body.get("token").as_string()) + R"(")";
  EXPECT_EQ(post(R"({"action":"pause","filter":{"label":"batch:x"},)" + token + "}").code(),
            "bulk_token_invalid");
  EXPECT_EQ(post(R"({"action":"cancel","filter":{"label":"batch:y"},)" + token + "}").code(),
            "bulk_token_invalid");
  EXPECT_EQ(post("{" + token + "}", "X-Account-Id: b\r\n").code(), "bulk_token_invalid");
  EXPECT_EQ(post(R"({"token":"nonsense"})").code(), "bulk_token_invalid");
  // None of that has used it up.
  auto right = post(R"({"action":"cancel","filter":{"label":"batch:x"},)" + token + "}");
  EXPECT_EQ(ended(right).get("done"), Value(2));
}

TEST_F(Bulk, refusals_are_listed_one_by_one) {
  auto ids = start_waiting(3);
  auto dry = post(R"({"action":"cancel","filter":{"label":"batch:x"},"dry_run":true})");
  world.ask("POST", "/api/v1/executions/" + ids[1] + "/cancel");
  auto result =
      ended(post(R"({"token":")" + std::string(dry.body.get("token").as_string()) + R"("})"));
  EXPECT_EQ(result.get("done"), Value(2));
  EXPECT_EQ(result.get("refused"), Value(1));
  EXPECT_EQ(result.get("failed"), Value(0));
  ASSERT_EQ(result.get("problems").size(), 1u);
  EXPECT_EQ(result.get("problems").items()[0].get("id"), Value(ids[1]));
  EXPECT_EQ(result.get("problems").items()[0].get("code"), Value("run_finished"));
  std::string id(result.get("id").as_string());
  auto first = get(id, "/items?limit=2");
  EXPECT_EQ(first.body.get("items").size(), 2u) << first.text;
  EXPECT_EQ(first.body.get("items").items()[1].get("result"), Value("refused"));
  auto rest = get(id, "/items?cursor=2");
  EXPECT_EQ(rest.body.get("items").items()[0].get("result"), Value("done"));
  EXPECT_TRUE(rest.body.get("next_cursor").is_null());
  EXPECT_EQ(world.ask("GET", "/api/v1/executions/bulk/" + id).body.get("done"), Value(2));
  EXPECT_EQ(world.ask("GET", "/api/v1/bulk").body.get("items").size(), 1u);
}

TEST_F(Bulk, executions_are_paused_resumed_signalled_and_selected_by_id) {
  auto ids = start_waiting(3);
  std::string two =
      R"("ids":[")" + ids[0] + R"(",")" + ids[1] + R"(",")" + ids[0] + R"(","nobody"])";
  auto paused = ended(post(R"({"action":"pause",)" + two + "}"));
  EXPECT_EQ(paused.get("matched"), Value(3));
  EXPECT_EQ(paused.get("done"), Value(2));
  EXPECT_EQ(paused.get("problems").items()[0].get("code"), Value("execution_not_found"));
  EXPECT_EQ(status(ids[0]), "paused");
  EXPECT_EQ(status(ids[2]), "waiting");
  auto resumed = ended(post(R"({"action":"resume","filter":{"label":"batch:x"}})"));
  EXPECT_EQ(resumed.get("done"), Value(2));
  EXPECT_EQ(resumed.get("refused"), Value(1));
  auto sent =
      ended(post(R"({"action":"signal","name":"go","payload":7,"filter":{"label":"batch"}})"));
  EXPECT_EQ(sent.get("done"), Value(3));
  for (const std::string& id : ids) EXPECT_TRUE(world.wait_for(id, "completed"));
}

TEST_F(Bulk, ended_executions_are_rerun_and_live_ones_migrated) {
  std::string done = world.start("instant", R"({"input":{"n":2}})");
  ASSERT_TRUE(world.wait_for(done, "completed"));
  auto rerun =
      ended(post(R"({"action":"rerun","from_node":"e","filter":{"workflow_id":"instant"}})"));
  EXPECT_EQ(rerun.get("done"), Value(1)) << rerun.get("problems").size();
  EXPECT_EQ(world.ask("GET", "/api/v1/executions?workflow_id=instant").body.get("items").size(),
            2u);
  auto live = start_waiting(2);
  std::string second = waiting_workflow;
  second.replace(second.find("\"go\""), 4, "\"gone\"");
  ASSERT_EQ(world.ask("PUT", "/api/v1/workflows/waiting", second).status, 200);
  auto moved =
      ended(post(R"({"action":"migrate","version":2,"filter":{"workflow_id":"waiting"}})"));
  EXPECT_EQ(moved.get("done"), Value(2));
  EXPECT_EQ(world.ask("GET", "/api/v1/executions/" + live[0]).body.get("version"), Value(2));
  auto unknown =
      ended(post(R"({"action":"migrate","version":9,"filter":{"workflow_id":"waiting"}})"));
  EXPECT_EQ(unknown.get("refused"), Value(2));
}

TEST_F(Bulk, a_full_queue_is_waited_for) {
  auto ids = start_waiting(3);
  world.intake().full = true;
  auto begun = post(R"({"action":"cancel","filter":{"label":"batch:x"}})");
  ASSERT_EQ(begun.status, 202);
  auto running = get(std::string(begun.body.get("bulk_id").as_string()));
  EXPECT_EQ(running.body.get("state"), Value("running"));
  EXPECT_EQ(running.body.get("processed"), Value(0));
  world.intake().full = false;
  EXPECT_EQ(ended(begun).get("done"), Value(3));
}

TEST_F(Bulk, after_a_restart_it_goes_on_where_it_was) {
  auto ids = start_waiting(5);
  for (const char* action : {"pause", "resume", "cancel"}) {
    BulkRecord record;
    record.id = std::string("left-over-") + action;
    record.account = AccountId("default");
    record.kind = "executions";
    record.action = action;
    record.actor = "ann";
    record.matched = 5;
    record.position = 1;
    record.done = 1;
    ASSERT_TRUE(*world.api().bulks().put_bulk(record, ids, {}));
    // The first was counted; the second was acted on, but that was not written any more.
    for (int i : {0, 1})
      ASSERT_EQ(world.ask("POST", "/api/v1/executions/" + ids[i] + "/" + action).status, 200);
    ASSERT_TRUE(world.api().recover());
    TestWorld::Answer begun;
    begun.status = 202;
    begun.body = Value::object({{"bulk_id", record.id}});
    Value result = ended(begun);
    EXPECT_EQ(result.get("done"), Value(5)) << action;
    EXPECT_EQ(result.get("refused"), Value(0)) << action;
  }
  for (const std::string& id : ids) EXPECT_EQ(status(id), "cancelled");
}

TEST_F(Bulk, one_that_is_stopped_leaves_the_rest_alone) {
  start_waiting(8);
  auto begun = post(R"({"action":"cancel","filter":{"label":"batch:x"},"per_second":1})");
  std::string id(begun.body.get("bulk_id").as_string());
  auto stopped = world.ask("POST", "/api/v1/bulk/" + id + "/stop", R"({"reason":"wrong ones"})");
  EXPECT_EQ(stopped.status, 200) << stopped.text;
  EXPECT_EQ(stopped.body.get("state"), Value("stopped"));
  EXPECT_LT(stopped.body.get("processed").as_integer(), 8);
  auto again = world.ask("POST", "/api/v1/bulk/" + id + "/stop");
  EXPECT_EQ(again.body.get("state"), Value("stopped"));
  auto audit = world.ask("GET", "/api/v1/audit?action=bulk.stop").body.get("items");
  ASSERT_EQ(audit.size(), 1u);
  EXPECT_EQ(audit.items()[0].get("reason"), Value("wrong ones"));
  EXPECT_EQ(get(id, "/items?limit=1000").body.get("items").items()[7].get("result"),
            Value("pending"));
}

// U-12: a rate by the minute, and the one by the second is sixty times as much.
TEST_F(Bulk, rate_is_told_by_the_minute_and_by_the_second) {
  start_waiting(2);
  auto rate = [&](const std::string& said) {
    auto begun = post(R"({"action":"pause","filter":{"label":"batch:x"},)" + said + "}");
    EXPECT_EQ(begun.status, 202) << begun.text;
    std::string id(begun.body.get("bulk_id").as_string());
    Value shown = get(id).body;
    world.ask("POST", "/api/v1/bulk/" + id + "/stop");
    return std::pair(shown.get("per_minute"), shown.get("per_second"));
  };
  EXPECT_EQ(rate(R"("per_minute":30)"), std::pair(Value(30), Value()));
  EXPECT_EQ(rate(R"("per_minute":120)"), std::pair(Value(120), Value(2)));
  EXPECT_EQ(rate(R"("per_second":5)"), std::pair(Value(300), Value(5)));
  EXPECT_EQ(rate(R"("per_second":5,"per_minute":300)"), std::pair(Value(300), Value(5)));
}

// Two things at one a minute take a minute, which neither the first of them waits for, nor who
// stops it.
TEST_F(Bulk, slow_rate_holds_what_comes_next_back) {
  start_waiting(2);
  auto begun = post(R"({"action":"cancel","filter":{"label":"batch:x"},"per_minute":1})");
  std::string id(begun.body.get("bulk_id").as_string());
  Value shown;
  for (int i = 0; i < 10'000 && shown.get("processed") != Value(1); ++i) shown = get(id).body;
  EXPECT_EQ(shown.get("processed"), Value(1)) << to_json(shown);
  EXPECT_EQ(shown.get("state"), Value("running"));
  auto stopped = world.ask("POST", "/api/v1/bulk/" + id + "/stop");
  EXPECT_EQ(stopped.body.get("processed"), Value(1)) << stopped.text;
}

// Who acts on the last does not rest after it.
TEST_F(Bulk, slow_one_ends_with_its_last) {
  start_waiting(1);
  auto result = ended(post(R"({"action":"cancel","filter":{"label":"batch:x"},"per_minute":1})"));
  EXPECT_EQ(result.get("done"), Value(1)) << to_json(result);
}

TEST_F(Bulk, the_same_idempotency_key_begins_once) {  // A-4
  start_waiting(2);
  std::string body = R"({"action":"pause","filter":{"label":"batch:x"}})";
  auto first = post(body, "Idempotency-Key: k\r\n");
  auto again = post(body, "Idempotency-Key: k\r\n");
  EXPECT_EQ(first.status, 202);
  EXPECT_EQ(again.status, 202) << again.text;
  EXPECT_EQ(first.body.get("bulk_id"), again.body.get("bulk_id"));
  EXPECT_EQ(
      post(R"({"action":"cancel","filter":{"label":"batch:x"}})", "Idempotency-Key: k\r\n").code(),
      "idempotency_key_reused");
}

TEST_F(Bulk, bad_requests_are_told_apart) {
  auto code = [&](const char* body) { return post(body).code(); };
  EXPECT_EQ(code(R"({"action":"cancel"})"), "filter_required");
  EXPECT_EQ(code(R"({"action":"cancel","filter":{}})"), "filter_required");
  EXPECT_EQ(code(R"({"action":"cancel","ids":[]})"), "filter_required");
  EXPECT_EQ(code(R"({"action":"cancel","filter":{"lable":"x"}})"), "invalid_field");
  EXPECT_EQ(code(R"({"action":"cancel","filter":{"status":"odd"}})"), "invalid_query");
  EXPECT_EQ(code(R"({"action":"burn","filter":{"q":"x"}})"), "invalid_field");
  EXPECT_EQ(code(R"({"filter":{"q":"x"}})"), "invalid_field");
  EXPECT_EQ(code(R"({"action":"rerun","filter":{"q":"x"}})"), "invalid_field");
  EXPECT_EQ(code(R"({"action":"cancel","from_node":"x","filter":{"q":"x"}})"), "unknown_field");
  EXPECT_EQ(code(R"({"action":"cancel","filter":{"q":"x"},"ids":["x"]})"), "invalid_field");
  EXPECT_EQ(code(R"({"action":"cancel","ids":[1]})"), "invalid_field");
  EXPECT_EQ(code(R"({"action":"cancel","filter":{"q":"x"},"per_second":0})"), "invalid_field");
  EXPECT_EQ(code(R"({"action":"cancel","filter":{"q":"x"},"per_minute":0})"), "invalid_field");
  EXPECT_EQ(code(R"({"action":"cancel","filter":{"q":"x"},"per_minute":6000001})"),
            "invalid_field");
  EXPECT_EQ(code(R"({"action":"cancel","filter":{"q":"x"},"per_minute":61,"per_second":1})"),
            "invalid_field");
  EXPECT_EQ(get("none").code(), "bulk_not_found");
  EXPECT_EQ(world.ask("POST", "/api/v1/bulk/none/stop").code(), "bulk_not_found");
  auto all = post(R"({"action":"cancel","all":true,"dry_run":true})");
  EXPECT_EQ(all.body.get("count"), Value(0)) << all.text;
}

TEST_F(Bulk, another_accounts_operation_does_not_exist) {  // A-10
  start_waiting(1);
  auto result = ended(post(R"({"action":"pause","filter":{"label":"batch:x"}})"));
  std::string target = "/api/v1/bulk/" + std::string(result.get("id").as_string());
  for (const char* rest : {"", "/items"})
    EXPECT_EQ(world.ask("GET", target + rest, "", "X-Account-Id: b\r\n").code(), "bulk_not_found");
  EXPECT_EQ(world.ask("POST", target + "/stop", "", "X-Account-Id: b\r\n").code(),
            "bulk_not_found");
  EXPECT_EQ(world.ask("GET", "/api/v1/bulk", "", "X-Account-Id: b\r\n").body.get("items").size(),
            0u);
  // Its ids cannot be acted on from elsewhere.
  std::string id(get(std::string(result.get("id").as_string()), "/items")
                     .body.get("items")
                     .items()[0]
                     .get("id")
                     .as_string());
  auto foreign = world.ask("POST", "/api/v1/executions/bulk",
                           R"({"action":"cancel","ids":[")" + id + R"("],"dry_run":true})",
                           "X-Account-Id: b\r\n");
  EXPECT_EQ(foreign.body.get("count"), Value(0)) << foreign.text;
}

TEST(BulkLimit, a_selection_that_is_too_large_is_refused) {
  TestWorld world([](ApiOptions& options) { options.bulk_items_max = 2; });
  world.put_workflows();
  for (int i = 0; i < 3; ++i) world.start("waiting");
  auto refused = world.ask("POST", "/api/v1/executions/bulk",
                           R"({"action":"cancel","all":true,"dry_run":true})");
  EXPECT_EQ(refused.status, 422);
  EXPECT_NE(refused.text.find("bulk_items_max"), std::string::npos) << refused.text;
}

TEST(BulkPreviewsTest, the_oldest_make_room_and_all_grow_old) {
  BulkPreviews previews(10, std::chrono::seconds(60));
  BulkPreviews::Time now{};
  auto preview = [](size_t items) {
    BulkPreview made;
    made.account = AccountId("a");
    made.items.resize(items);
    return made;
  };
  previews.put("one", preview(6), now);
  previews.put("two", preview(6), now);
  EXPECT_FALSE(previews.take("one", AccountId("a"), now));
  EXPECT_FALSE(previews.take("two", AccountId("b"), now));
  EXPECT_TRUE(previews.take("two", AccountId("a"), now + std::chrono::seconds(59)));
  EXPECT_FALSE(previews.take("two", AccountId("a"), now));
  previews.put("three", preview(6), now);
  EXPECT_FALSE(previews.take("three", AccountId("a"), now + std::chrono::seconds(61)));
}

}  // namespace
}  // namespace fermata::server
