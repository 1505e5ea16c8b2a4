#include <gtest/gtest.h>

#include <set>

#include "server/test_world.h"

/// The endpoints of waits (waits.md section 2), over what graphs wait for.
namespace fermata::server {
namespace {

constexpr const char* nurture = R"({"nodes": [{"id": "S", "type": "manual", "trigger": true},
    {"id": "wait_1", "type": "wait",
     "parameters": {"wait_type": "fixed_time", "duration": 30, "unit": "minutes"}},
    {"id": "A", "type": "noop"}, {"id": "B", "type": "noop"}],
    "edges": [{"id": "e1", "src": "S", "dst": "wait_1"}, {"id": "e2", "src": "wait_1", "dst": "A"},
              {"id": "e3", "src": "wait_1", "dst": "B"}]})";
constexpr const char* crowd = R"({"nodes": [{"id": "S", "type": "manual", "trigger": true},
    {"id": "X", "type": "split", "parameters": {"input_array": "$input.items"}},
    {"id": "W", "type": "wait", "parameters": {"amount": 1, "unit": "hours"}},
    {"id": "G", "type": "aggregator"}],
    "edges": [{"id": "e1", "src": "S", "dst": "X"}, {"id": "e2", "src": "X", "dst": "W"},
              {"id": "e3", "src": "W", "dst": "G"}]})";

class Waits : public ::testing::Test {
 protected:
  Waits() {
    world.put_workflows();
    EXPECT_EQ(world.ask("PUT", "/api/v1/workflows/nurture", nurture).status, 201);
    EXPECT_EQ(world.ask("PUT", "/api/v1/workflows/crowd", crowd).status, 201);
  }
  std::string start_nurture() { return world.start("nurture", R"({"contact_id": "c-17"})"); }
  static std::string at(const std::string& run, const std::string& step = "wait_1") {
    return "/api/v1/workflows/executions/" + run + "/wait/" + step;
  }
  /// Status and code of what was refused, with the places.
  std::string refused(std::string_view method, const std::string& target,
                      std::string_view body = "", std::string_view headers = "") {
    auto answer = world.ask(method, target, body, headers);
    std::string told = std::to_string(answer.status) + " " + answer.code();
    const Value& errors = answer.body.get("errors");
    if (!errors.is_array()) return told;
    for (const Value& error : errors.items())
      told += " " + std::string(error.get("path").as_string());
    return told;
  }
  TestWorld world;
};

// W-12, W-3, S-1
TEST_F(Waits, wait_of_a_node_is_shown_whole) {
  std::string run = start_nurture();
  auto shown = world.ask("GET", at(run));
  ASSERT_EQ(shown.status, 200) << shown.text;
  const Value& wait = shown.body;
  EXPECT_EQ(wait.get("status"), Value("scheduled"));
  EXPECT_EQ(wait.get("scheduled_at"), Value("2026-01-26T00:30:00.000Z"));
  EXPECT_EQ(wait.get("wait_type"), Value("fixed_time"));
  EXPECT_EQ(wait.get("config"), Value::object({{"duration", 30}, {"unit", "minutes"}}));
  EXPECT_EQ(wait.get("contact_id"), Value("c-17"));
  EXPECT_EQ(wait.get("workflow_id"), Value("nurture"));
  EXPECT_EQ(wait.get("source"), Value("graph"));
  EXPECT_EQ(wait.get("occurrences"), Value(1));
  EXPECT_EQ(wait.get("pending"), Value(1));
  std::string id(wait.get("id").as_string());
  auto by_id = world.ask("GET", "/api/v1/waits/" + id);
  EXPECT_EQ(by_id.body.get("execution_id"), Value(run));
  EXPECT_EQ(refused("GET", at(run, "other")), "404 wait_not_found");
  EXPECT_EQ(refused("GET", at("nobody")), "404 execution_not_found");
  EXPECT_EQ(refused("GET", at(run) + "?occurrence=2"), "404 wait_not_found");
  EXPECT_EQ(refused("GET", at(run) + "?occurrence=x"), "422 invalid_query occurrence");
  EXPECT_EQ(refused("GET", "/api/v1/waits/nobody"), "404 wait_not_found");
}

// W-13, W-64
TEST_F(Waits, cancelled_wait_answers_the_same_again_and_can_be_resumed) {
  std::string run = start_nurture();
  auto cancelled = world.ask("DELETE", at(run) + "?reason=no+more");
  EXPECT_EQ(cancelled.status, 200) << cancelled.text;
  EXPECT_EQ(cancelled.body.get("success"), Value(true));
  EXPECT_EQ(cancelled.body.get("status"), Value("cancelled"));
  EXPECT_EQ(world.ask("DELETE", at(run)).body, cancelled.body);
  auto shown = world.ask("GET", at(run));
  EXPECT_EQ(shown.body.get("ended_reason"), Value("no more"));
  EXPECT_EQ(shown.body.get("parked"), Value(true));
  EXPECT_EQ(shown.body.get("pending"), Value(0));
  EXPECT_EQ(refused("PATCH", at(run), R"({"from": "now"})"), "409 wait_ended");
  auto resumed = world.ask("POST", at(run) + "/resume");
  EXPECT_EQ(resumed.status, 200) << resumed.text;
  EXPECT_EQ(resumed.body.get("status"), Value("cancelled"));
  EXPECT_EQ(resumed.body.get("parked"), Value(false));
  EXPECT_TRUE(world.wait_for(run, "completed"));
  EXPECT_EQ(refused("POST", at(run) + "/resume"), "409 wait_ended");
}

// W-15, W-2
TEST_F(Waits, resume_moves_on_once_along_the_branch_it_names) {
  std::string run = start_nurture();
  EXPECT_EQ(refused("POST", at(run) + "/resume", R"({"branch": "C"})"), "422 unknown_step /branch");
  auto dry = world.ask("POST", at(run) + "/resume", R"({"branch": "A", "dry_run": true})");
  EXPECT_EQ(dry.body.get("status"), Value("scheduled")) << dry.text;
  auto resumed = world.ask("POST", at(run) + "/skip",
                           R"({"reason": "customer called", "output": {"x": 1}, "branch": "A"})");
  EXPECT_EQ(resumed.status, 200) << resumed.text;
  EXPECT_EQ(resumed.body.get("status"), Value("resumed"));
  EXPECT_EQ(resumed.body.get("resumed_by"), Value("manual"));
  auto nodes = world.ask("GET", "/api/v1/executions/" + run + "/nodes");
  EXPECT_NE(nodes.text.find(R"("success":1)"), std::string::npos);
  auto again = world.ask("DELETE", at(run));
  EXPECT_EQ(again.code(), "wait_ended");
  EXPECT_NE(again.text.find("resumed by manual"), std::string::npos);
  EXPECT_EQ(refused("POST", at(run) + "/resume", R"({"occurrence": 0})"),
            "422 invalid_field /occurrence");
  EXPECT_EQ(refused("POST", at(run) + "/resume", R"({"when": 1})"), "422 unknown_field /when");
  auto audit = world.ask("GET", "/api/v1/audit?action=wait.resumed");
  EXPECT_EQ(audit.body.get("items").items()[0].get("reason"), Value("customer called"));
}

// W-16
TEST_F(Waits, change_gives_another_instant_and_refuses_what_does_not_fit) {
  std::string run = start_nurture();
  auto changed = world.ask("PATCH", at(run), R"({"config": {"duration": 2, "unit": "days"},
                                                 "from": "start"})");
  ASSERT_EQ(changed.status, 200) << changed.text;
  EXPECT_EQ(changed.body.get("scheduled_at"), Value("2026-01-28T00:00:00.000Z"));
  EXPECT_EQ(changed.body.get("occurrence"), Value(1));
  EXPECT_EQ(refused("PATCH", at(run), R"({"config": {"duration": 60, "unit": "minutes"}})"),
            "422 duration_out_of_range /config/duration");
  EXPECT_EQ(refused("PATCH", at(run), R"({"wait_type": "until_time", "config": {}})"),
            "422 type_fixed /wait_type");
  EXPECT_EQ(refused("PATCH", at(run), R"({"from": "then"})"), "422 invalid_field /from");
}

// W-3, W-13
TEST_F(Waits, several_at_one_step_are_told_apart_by_occurrence) {
  std::string run = world.start("crowd", R"({"input": {"items": [1, 2, 3]}})");
  EXPECT_EQ(refused("DELETE", at(run, "W")), "409 ambiguous_wait");
  EXPECT_EQ(refused("POST", at(run, "W") + "/resume"), "409 ambiguous_wait");
  EXPECT_EQ(world.ask("GET", at(run, "W")).body.get("occurrence"), Value(3));
  EXPECT_EQ(world.ask("POST", at(run, "W") + "/resume", R"({"occurrence": 2})").status, 200);
  auto all = world.ask("DELETE", at(run, "W") + "?occurrence=all");
  EXPECT_EQ(all.body.get("cancelled"), Value(2)) << all.text;
  EXPECT_EQ(world.ask("GET", at(run, "W")).body.get("occurrences"), Value(3));
}

// W-14, W-17, S-34
TEST_F(Waits, lists_page_without_gap_and_count_exactly) {
  std::string items = "[0";
  for (int i = 1; i < 137; ++i) items += "," + std::to_string(i);
  world.start("crowd", R"({"input": {"items": )" + items + "]}}");
  world.start("waiting");
  std::string pending = "/api/v1/admin/workflows/waits/pending";
  std::set<std::string> seen;
  for (auto [offset, count] : {std::pair(0, 50), {50, 50}, {100, 37}}) {
    auto page = world.ask(
        "GET", pending + "?wait_type=fixed_time&limit=50&offset=" + std::to_string(offset));
    EXPECT_EQ(page.body.get("total"), Value(137)) << page.text.substr(0, 300);
    EXPECT_EQ(page.body.get("items").size(), static_cast<size_t>(count));
    for (const Value& item : page.body.get("items").items())
      seen.insert(std::string(item.get("id").as_string()));
  }
  EXPECT_EQ(seen.size(), 137u);
  auto heard = world.ask("GET", "/api/v1/waits?status=pending&event_type=go");
  EXPECT_EQ(heard.body.get("total"), Value(1)) << heard.text;
  EXPECT_EQ(heard.body.get("items").items()[0].get("status"), Value("waiting"));
  EXPECT_EQ(heard.body.get("items").items()[0].get("listeners").size(), 1u);
  EXPECT_EQ(world.ask("GET", "/api/v1/waits/overdue").body.get("total"), Value(0));
  EXPECT_EQ(refused("GET", pending + "?limit=0"), "422 invalid_query limit");
  EXPECT_EQ(refused("GET", pending + "?limit=1001"), "422 invalid_query limit");
  EXPECT_EQ(refused("GET", pending + "?wait_type=nap"), "422 invalid_query wait_type");
  EXPECT_EQ(refused("GET", pending + "?due_from=soon"), "422 invalid_query due_from");
  EXPECT_EQ(refused("GET", "/api/v1/waits?status=late"), "422 invalid_query status");
}

// S-33, A-10, W-10
TEST_F(Waits, waits_of_another_account_do_not_exist) {
  std::string run = start_nurture();
  std::string id(world.ask("GET", at(run)).body.get("id").as_string());
  std::string key = "Authorization: Bearer " + world.add_key(Role::admin, "rival") + "\r\n";
  EXPECT_EQ(refused("GET", at(run), "", key), "404 execution_not_found");
  EXPECT_EQ(refused("DELETE", at(run), "", key), "404 execution_not_found");
  EXPECT_EQ(refused("POST", at(run) + "/resume", "{}", key), "404 execution_not_found");
  EXPECT_EQ(refused("GET", "/api/v1/waits/" + id, "", key), "404 wait_not_found");
  EXPECT_EQ(refused("POST", "/api/v1/waits/" + id + "/cancel", "{}", key), "404 wait_not_found");
  EXPECT_EQ(world.ask("GET", "/api/v1/waits", "", key).body.get("total"), Value(0));
  std::string viewer = "Authorization: Bearer " + world.add_key(Role::viewer) + "\r\n";
  EXPECT_EQ(refused("DELETE", at(run), "", viewer), "403 forbidden");
  EXPECT_EQ(refused("GET", "/api/v1/admin/workflows/waits/pending", "", viewer), "403 forbidden");
}

// W-18
TEST_F(Waits, bulk_acts_on_what_the_dry_run_has_shown) {
  for (int i = 0; i < 3; ++i) start_nurture();
  auto bulk = [&](std::string_view body) { return world.ask("POST", "/api/v1/waits/bulk", body); };
  auto dry = bulk(R"({"action": "cancel", "filter": {"workflow_id": "nurture"}, "dry_run": true})");
  ASSERT_EQ(dry.status, 200) << dry.text;
  EXPECT_EQ(dry.body.get("count"), Value(3));
  EXPECT_EQ(dry.body.get("by_status").get("scheduled"), Value(3));
  start_nurture();
  std::string token(dry.body.get("token").as_string());
  auto begun = bulk(R"({"token": ")" + token + R"("})");
  ASSERT_EQ(begun.status, 202) << begun.text;
  std::string id(begun.body.get("bulk_id").as_string());
  auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (world.ask("GET", "/api/v1/bulk/" + id).body.get("state") == Value("running") &&
         std::chrono::steady_clock::now() < deadline) {
  }
  EXPECT_EQ(world.ask("GET", "/api/v1/bulk/" + id).body.get("done"), Value(3));
  auto total = [&](const char* status) {
    return world.ask("GET", std::string("/api/v1/waits?status=") + status).body.get("total");
  };
  EXPECT_EQ(total("cancelled"), Value(3));
  EXPECT_EQ(total("pending"), Value(1)) << "what came later was not selected";
  EXPECT_EQ(refused("POST", "/api/v1/waits/bulk", R"({"action": "cancel"})"),
            "422 filter_required /filter");
  EXPECT_EQ(refused("POST", "/api/v1/waits/bulk", R"({"action": "eat", "all": true})"),
            "422 invalid_field /action");
  EXPECT_EQ(
      refused("POST", "/api/v1/waits/bulk", R"({"action": "cancel", "filter": {"colour": "red"}})"),
      "422 unknown_field /filter/colour");
}

// W-21
TEST_F(Waits, calendar_counts_what_is_to_come) {
  start_nurture();
  start_nurture();
  auto shown = world.ask("GET", "/api/v1/waits/calendar?bucket=hour");
  ASSERT_EQ(shown.status, 200) << shown.text;
  EXPECT_EQ(shown.body.get("zone"), Value("UTC"));
  ASSERT_EQ(shown.body.get("buckets").size(), 1u) << shown.text;
  EXPECT_EQ(shown.body.get("buckets").items()[0].get("start"), Value("2026-01-26T00:00:00.000Z"));
  EXPECT_EQ(shown.body.get("buckets").items()[0].get("total"), Value(2));
  EXPECT_EQ(refused("GET", "/api/v1/waits/calendar?zone=Mars/Olympus"),
            "422 unknown_timezone zone");
}

// W-22, W-40, S-3, S-4
TEST_F(Waits, preview_computes_and_refuses_with_the_codes_of_the_types) {
  auto shown = world.ask("POST", "/api/v1/waits/preview",
                         R"({"wait_type": "until_time", "config": {"target_time": "10:00",
                             "days": ["monday"]}, "now": "2026-01-23T20:00:00Z", "count": 2})");
  ASSERT_EQ(shown.status, 200) << shown.text;
  EXPECT_EQ(shown.body.get("scheduled_at"), Value("2026-01-26T10:00:00.000Z"));
  EXPECT_EQ(shown.body.get("timezone_source"), Value("utc"));
  EXPECT_EQ(shown.body.get("past"), Value(false));
  EXPECT_EQ(shown.body.get("next").items()[1].get("scheduled_at"),
            Value("2026-02-02T10:00:00.000Z"));
  auto wrong = [&](const std::string& type, const std::string& config) {
    return refused("POST", "/api/v1/waits/preview",
                   R"({"wait_type": ")" + type + R"(", "config": )" + config + "}");
  };
  EXPECT_EQ(wrong("fixed_time", R"({"duration": 100, "unit": "weeks"})"),
            "422 duration_out_of_range /config/duration");
  EXPECT_EQ(wrong("fixed_time", R"({"duration": -5, "unit": "minutes"})"),
            "422 invalid_duration /config/duration");
  EXPECT_EQ(wrong("fixed_time", R"({"duration": 3, "unit": "months"})"),
            "422 invalid_unit /config/unit");
  EXPECT_EQ(wrong("until_date", R"({"target_date": "2030-01-01"})"),
            "422 date_too_far /config/target_date");
  EXPECT_EQ(wrong("until_time", R"({"target_time": "25:00", "timezone": "Mars/Olympus"})"),
            "422 invalid_time /config/target_time");
  EXPECT_EQ(wrong("until_time", R"({"target_time": "10:00", "unit": "days"})"),
            "422 unknown_field /config/unit");
  EXPECT_EQ(wrong("nap", "{}"), "422 invalid_field /wait_type");
}

}  // namespace
}  // namespace fermata::server
