#include <gtest/gtest.h>

#include <set>

#include "base/json.h"
#include "server/test_world.h"

/// Fermata as a wait service for another engine (waits.md section 7).
namespace fermata::server {
namespace {

constexpr const char* hook = R"({"url": "https://crm.example/hook"})";
constexpr const char* half_an_hour =
    R"({"step_id": "wait_1", "wait_type": "fixed_time",
        "config": {"duration": 30, "unit": "minutes"}})";

class External : public ::testing::Test {
 protected:
  External() {
    auto put = world.ask("PUT", "/api/v1/workflows/nurture",
                         std::string(R"({"language": "external", "callback": )") + hook + "}");
    EXPECT_EQ(put.status, 201) << put.text;
    EXPECT_TRUE(put.body.get("callback_secret").is_string()) << put.text;
    auto run = world.ask("PUT", "/api/v1/workflows/nurture/executions/run-1",
                         R"({"contact_id": "c-17", "metadata": {"deal": 7}})");
    EXPECT_EQ(run.status, 201) << run.text;
  }
  static std::string waits(const std::string& run = "run-1",
                           const std::string& workflow = "nurture") {
    return "/api/v1/workflows/" + workflow + "/executions/" + run + "/wait";
  }
  static std::string at(const std::string& step, const std::string& run = "run-1") {
    return "/api/v1/workflows/executions/" + run + "/wait/" + step;
  }
  TestWorld::Answer open(const std::string& type, const std::string& config,
                         const std::string& step = "wait_1") {
    return world.ask("POST", waits(),
                     R"({"step_id": ")" + step + R"(", "wait_type": ")" + type +
                         R"(", "config": )" + config + "}");
  }
  std::string told(const TestWorld::Answer& answer) {
    std::string out = std::to_string(answer.status) + " " + answer.code();
    const Value& errors = answer.body.get("errors");
    if (!errors.is_array()) return out;
    for (const Value& error : errors.items())
      out += " " + std::string(error.get("path").as_string());
    return out;
  }
  Value execution(const std::string& id = "run-1") {
    return world.ask("GET", "/api/v1/executions/" + id).body;
  }
  /// Callbacks that came, as types.
  std::vector<std::string> types() {
    std::vector<std::string> out;
    for (const CallRequest& request : world.sink().received())
      out.emplace_back(parse_json(request.body)->get("type").as_string());
    return out;
  }
  std::vector<Value> deliveries(const std::string& query = "") {
    Value items = world.ask("GET", "/api/v1/callbacks" + query).body.get("items");
    return {items.items().begin(), items.items().end()};
  }
  TestWorld world;
};

std::string header_of(const CallRequest& request, std::string_view name) {
  for (const auto& [key, value] : request.headers)
    if (key == name) return value;
  return "";
}

// S-1, W-11, W-12, W-32, W-70
TEST_F(External, wait_is_scheduled_and_its_execution_waits) {
  EXPECT_EQ(execution().get("status"), Value("running"));
  EXPECT_EQ(execution().get("language"), Value("external"));
  EXPECT_EQ(execution().get("metadata"), Value::object({{"deal", 7}}));
  auto made = world.ask("POST", waits(), half_an_hour);
  ASSERT_EQ(made.status, 201) << made.text;
  EXPECT_EQ(made.body.get("status"), Value("scheduled"));
  EXPECT_EQ(made.body.get("scheduled_at"), Value("2026-01-26T00:30:00.000Z"));
  EXPECT_EQ(made.body.get("source"), Value("api"));
  EXPECT_EQ(made.body.get("contact_id"), Value("c-17"));
  auto shown = world.ask("GET", at("wait_1"));
  EXPECT_EQ(shown.body.get("id"), made.body.get("id"));
  EXPECT_EQ(shown.body.get("config"), Value::object({{"duration", 30}, {"unit", "minutes"}}));
  EXPECT_EQ(shown.body.get("pending"), Value(1));
  EXPECT_EQ(execution().get("status"), Value("waiting"));
  EXPECT_EQ(world.ask("GET", "/api/v1/admin/workflows/waits/pending").body.get("total"), Value(1));
}

// S-2, W-71, W-72, W-73
TEST_F(External, instant_resumes_it_once_and_calls_back_once) {
  std::string id(world.ask("POST", waits(), half_an_hour).body.get("id").as_string());
  world.advance(Duration{30 * 60'000 - 1});
  EXPECT_EQ(world.ask("GET", at("wait_1")).body.get("status"), Value("scheduled"));
  EXPECT_TRUE(world.sink().received().empty());
  world.advance(Duration{1});
  Value wait = world.ask("GET", at("wait_1")).body;
  EXPECT_EQ(wait.get("status"), Value("resumed"));
  EXPECT_EQ(wait.get("resumed_by"), Value("scheduler"));
  EXPECT_EQ(wait.get("resumed_at"), Value("2026-01-26T00:30:00.000Z"));
  EXPECT_EQ(execution().get("status"), Value("running"));
  auto received = world.sink().received();
  ASSERT_EQ(received.size(), 1u);
  Value body = *parse_json(received[0].body);
  EXPECT_EQ(received[0].url, "https://crm.example/hook");
  EXPECT_EQ(header_of(received[0], "Idempotency-Key"), id + ":resumed");
  EXPECT_EQ(header_of(received[0], "Fermata-Attempt"), "1");
  EXPECT_EQ(header_of(received[0], "Fermata-Delivery"), body.get("delivery_id").as_string());
  EXPECT_TRUE(received[0].signed_at);
  EXPECT_EQ(body.get("type"), Value("wait.resumed"));
  EXPECT_EQ(body.get("wait_id"), Value(id));
  EXPECT_EQ(body.get("sequence"), Value(1));
  EXPECT_EQ(body.get("execution_id"), Value("run-1"));
  EXPECT_EQ(body.get("resumed_by"), Value("scheduler"));
  world.advance(Duration{3'600'000});
  EXPECT_EQ(world.sink().received().size(), 1u);
  EXPECT_EQ(deliveries("?state=done").size(), 1u);
}

// S-3, S-4, W-41
TEST_F(External, durations_out_of_their_bounds_are_refused_and_leave_nothing) {
  auto long_one = open("fixed_time", R"({"duration": 100, "unit": "weeks"})");
  EXPECT_EQ(told(long_one), "422 duration_out_of_range /config/duration");
  EXPECT_NE(long_one.text.find("Maximum wait duration is 12 weeks"), std::string::npos);
  auto negative = open("fixed_time", R"({"duration": -5, "unit": "minutes"})");
  EXPECT_EQ(told(negative), "422 invalid_duration /config/duration");
  EXPECT_NE(negative.text.find("positive integer"), std::string::npos);
  for (const char* config :
       {R"({"duration": 0, "unit": "minutes"})", R"({"duration": 60, "unit": "minutes"})",
        R"({"duration": 0, "unit": "hours"})", R"({"duration": 24, "unit": "hours"})",
        R"({"duration": 0, "unit": "days"})", R"({"duration": 31, "unit": "days"})",
        R"({"duration": 0, "unit": "weeks"})", R"({"duration": 13, "unit": "weeks"})",
        R"({"duration": 1.5, "unit": "hours"})", R"({"duration": "3", "unit": "hours"})"})
    EXPECT_EQ(told(open("fixed_time", config)).substr(0, 4), "422 ") << config;
  EXPECT_EQ(told(open("fixed_time", R"({"duration": 3})")), "422 invalid_unit /config/unit");
  EXPECT_EQ(told(open("fixed_time", R"({"duration": 3, "unit": "months"})")),
            "422 invalid_unit /config/unit");
  EXPECT_EQ(world.ask("GET", at("wait_1")).status, 404);
  EXPECT_EQ(execution().get("status"), Value("running"));
}

// S-5, S-7, W-42
TEST_F(External, dates_are_utc_past_at_once_and_at_most_a_year_away) {
  auto date = open("until_date", R"({"target_date": "2026-02-14 09:00:00"})", "valentine");
  EXPECT_EQ(date.body.get("scheduled_at"), Value("2026-02-14T09:00:00.000Z"));
  world.advance(Duration{12 * 3'600'000});
  auto until = [&](const char* text, const char* step) {
    return open("until_date", std::string(R"({"target_date": ")") + text + "\"}", step);
  };
  auto now = until("2026-01-26T12:00:00Z", "now");
  EXPECT_EQ(now.status, 201);
  EXPECT_EQ(now.body.get("status"), Value("resumed"));
  EXPECT_EQ(now.body.get("resumed_by"), Value("past_date"));
  EXPECT_EQ(until("2026-01-26T12:00:01Z", "soon").body.get("status"), Value("scheduled"));
  EXPECT_EQ(until("2027-01-26T12:00:00Z", "year").body.get("status"), Value("scheduled"));
  EXPECT_EQ(told(until("2027-01-26T12:00:01Z", "more")), "422 date_too_far /config/target_date");
  EXPECT_EQ(types(), std::vector<std::string>{"wait.resumed"});
  auto fails = open("until_date", R"({"target_date": "2026-01-01", "past_action": "fail"})", "f");
  EXPECT_EQ(told(fails), "422 date_in_past /config/target_date");
  auto branch = open("until_date",
                     R"({"target_date": "2026-01-01", "past_action": "branch", "past_step": "x"})");
  EXPECT_EQ(branch.body.get("branch"), Value("x")) << branch.text;
  auto exits = open("until_date", R"({"target_date": "2026-01-01", "past_action": "exit"})", "e");
  EXPECT_EQ(exits.body.get("status"), Value("resumed")) << exits.text;
  EXPECT_EQ(execution().get("status"), Value("cancelled"));
  EXPECT_EQ(execution().get("exit_reason"), Value("past_date"));
}

// S-31, W-3
TEST_F(External, one_wait_is_pending_at_a_step_and_the_next_has_the_next_occurrence) {
  EXPECT_EQ(world.ask("POST", waits(), half_an_hour).status, 201);
  EXPECT_EQ(told(world.ask("POST", waits(), half_an_hour)), "409 wait_exists");
  world.advance(Duration{30 * 60'000});
  auto second = world.ask("POST", waits(), half_an_hour);
  EXPECT_EQ(second.status, 201) << second.text;
  EXPECT_EQ(second.body.get("occurrence"), Value(2));
  EXPECT_EQ(world.ask("GET", at("wait_1") + "?occurrence=1").body.get("status"), Value("resumed"));
  EXPECT_EQ(world.ask("GET", at("wait_1") + "?occurrence=2").body.get("status"),
            Value("scheduled"));
}

// W-11, W-10
TEST_F(External, every_refusal_of_a_new_wait_has_its_name) {
  world.put_workflows();
  EXPECT_EQ(told(world.ask("POST", waits("run-1", "none"), half_an_hour)),
            "404 workflow_not_found");
  EXPECT_EQ(told(world.ask("POST", waits("run-2"), half_an_hour)), "404 execution_not_found");
  EXPECT_EQ(told(world.ask("POST", waits("run-1", "waiting"), half_an_hour)),
            "404 execution_not_found");
  EXPECT_EQ(told(world.ask("POST", waits(), R"({"wait_type": "nap", "colour": 1})")),
            "422 unknown_field /colour /step_id /wait_type");
  EXPECT_EQ(told(world.ask("POST", waits(), R"({"step_id": "a/b", "wait_type": "fixed_time"})")),
            "422 invalid_id /step_id");
  EXPECT_EQ(told(world.ask("POST", waits(),
                           R"({"step_id": "a", "wait_type": "fixed_time", "contact_id": "c-18",
                         "config": {"duration": 1, "unit": "hours"}})")),
            "422 contact_mismatch /contact_id");
  EXPECT_EQ(told(world.ask("POST", waits(), R"({"step_id": "a", "wait_type": "fixed_time",
      "config": {"duration": 1, "unit": "hours"}, "callback": {"url": "ftp://x"}})")),
            "422 invalid_callback /callback/url");
  std::string large(4'100, 'x');
  EXPECT_EQ(told(world.ask("POST", waits(),
                           R"({"step_id": "a", "wait_type": "fixed_time",
      "config": {"duration": 1, "unit": "hours"}, "metadata": {"x": ")" +
                               large + "\"}}")),
            "422 invalid_field /metadata");
  EXPECT_EQ(world.ask("POST", "/api/v1/executions/run-1/pause", "{}").status, 200);
  EXPECT_EQ(told(world.ask("POST", waits(), half_an_hour)), "409 run_paused");
  EXPECT_EQ(world.ask("POST", "/api/v1/executions/run-1/resume", "{}").status, 200);
  EXPECT_EQ(world.ask("POST", "/api/v1/workflows/nurture/deactivate", "{}").status, 200);
  EXPECT_EQ(told(world.ask("POST", waits(), half_an_hour)), "409 workflow_inactive");
  EXPECT_EQ(world.ask("POST", "/api/v1/workflows/nurture/activate", "{}").status, 200);
  EXPECT_EQ(world.ask("POST", "/api/v1/executions/run-1/complete", "{}").status, 200);
  EXPECT_EQ(told(world.ask("POST", waits(), half_an_hour)), "409 run_finished");
}

// A-4, W-10
TEST_F(External, request_repeated_under_its_key_finds_its_wait) {
  auto first = world.ask("POST", waits(), half_an_hour, "Idempotency-Key: k1\r\n");
  auto again = world.ask("POST", waits(), half_an_hour, "Idempotency-Key: k1\r\n");
  EXPECT_EQ(again.status, 201) << again.text;
  EXPECT_EQ(again.body.get("id"), first.body.get("id"));
  EXPECT_EQ(again.headers["idempotent-replay"], "true");
  world.advance(Duration{30 * 60'000});
  auto late = world.ask("POST", waits(), half_an_hour, "Idempotency-Key: k1\r\n");
  EXPECT_EQ(late.body.get("id"), first.body.get("id"));
  EXPECT_EQ(late.body.get("status"), Value("resumed"));
  EXPECT_EQ(told(world.ask("POST", waits(),
                           R"({"step_id": "other", "wait_type": "fixed_time",
                               "config": {"duration": 1, "unit": "hours"}})",
                           "Idempotency-Key: k1\r\n")),
            "409 idempotency_key_reused");
}

// W-32
TEST_F(External, executions_are_registered_once_and_completed) {
  std::string path = "/api/v1/workflows/nurture/executions/run-1";
  EXPECT_EQ(world.ask("PUT", path, R"({"metadata": {"deal": 7}, "contact_id": "c-17"})").status,
            200);
  EXPECT_EQ(told(world.ask("PUT", path, R"({"contact_id": "c-18"})")), "409 execution_exists");
  world.put_workflows();
  EXPECT_EQ(told(world.ask("PUT", "/api/v1/workflows/waiting/executions/x", "{}")),
            "409 not_external");
  EXPECT_EQ(told(world.ask("PUT", "/api/v1/workflows/none/executions/x", "{}")),
            "404 workflow_not_found");
  std::string program = world.start("waiting");
  EXPECT_EQ(told(world.ask("POST", "/api/v1/executions/" + program + "/complete", "{}")),
            "409 not_external");
  world.ask("POST", waits(), half_an_hour);
  auto done = world.ask("POST", "/api/v1/executions/run-1/complete", R"({"output": {"won": 1}})");
  EXPECT_EQ(done.status, 200) << done.text;
  EXPECT_EQ(done.body.get("status"), Value("completed"));
  EXPECT_EQ(done.body.get("output"), Value::object({{"won", 1}}));
  EXPECT_EQ(world.ask("GET", at("wait_1")).body.get("status"), Value("cancelled"));
  EXPECT_EQ(
      world.ask("POST", "/api/v1/executions/run-1/complete", R"({"output": {"won": 1}})").status,
      200);
  EXPECT_EQ(told(world.ask("POST", "/api/v1/executions/run-1/complete", "{}")), "409 run_finished");
  world.advance(Duration{0});
  EXPECT_EQ(types(), (std::vector<std::string>{"wait.cancelled", "execution.ended"}));
  EXPECT_EQ(header_of(world.sink().received()[1], "Idempotency-Key"), "run-1:ended");
}

// W-71, S-39
TEST_F(External, register_makes_workflow_and_execution) {
  std::string body = half_an_hour;
  body.insert(1, R"("register": true, "callback": {"url": "https://crm.example/other"}, )");
  std::string viewer = world.add_key(Role::operator_);
  auto made = world.ask("POST", waits("deal-7", "sales"), body);
  ASSERT_EQ(made.status, 201) << made.text;
  EXPECT_TRUE(made.body.get("callback_secret").is_string());
  EXPECT_EQ(world.ask("GET", "/api/v1/workflows/sales").body.get("language"), Value("external"));
  EXPECT_EQ(execution("deal-7").get("status"), Value("waiting"));
  world.sink().answer = [tries = 0](const CallRequest&) mutable {
    CallAnswer answer;
    answer.status = ++tries < 3 ? 500 : 200;
    if (tries == 3)
      answer.body = R"({"next": {"step_id": "wait_2", "wait_type": "fixed_time",
                                 "config": {"duration": 1, "unit": "hours"}}})";
    return answer;
  };
  world.advance(Duration{31 * 60'000});
  auto received = world.sink().received();
  ASSERT_EQ(received.size(), 3u);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(received[i].url, "https://crm.example/other");
    EXPECT_EQ(header_of(received[i], "Idempotency-Key"), header_of(received[0], "Idempotency-Key"));
    EXPECT_EQ(header_of(received[i], "Fermata-Attempt"), std::to_string(i + 1));
  }
  EXPECT_EQ(world.ask("GET", at("wait_2", "deal-7")).body.get("status"), Value("scheduled"));
  EXPECT_EQ(deliveries("?execution_id=deal-7").front().get("attempt_count"), Value(3));
  // What the type refuses registers nothing.
  auto refused = world.ask("POST", waits("deal-8", "leads"),
                           R"({"register": true, "step_id": "a", "wait_type": "fixed_time"})");
  EXPECT_EQ(refused.status, 422);
  EXPECT_EQ(world.ask("GET", "/api/v1/workflows/leads").status, 404);
}

// W-75
TEST_F(External, answers_open_the_next_wait_complete_or_are_told_why_not) {
  world.sink().answer = [](const CallRequest& request) {
    CallAnswer answer;
    answer.status = 200;
    Value body = *parse_json(request.body);
    if (body.get("step_id") == Value("wait_1"))
      answer.body = R"({"next": {"step_id": "two", "wait_type": "fixed_time",
                                 "config": {"duration": 99, "unit": "hours"}}})";
    if (body.get("step_id") == Value("two"))
      answer.body = R"({"complete": {"output": {"by": "callback"}}})";
    return answer;
  };
  world.ask("POST", waits(), half_an_hour);
  world.advance(Duration{31 * 60'000});
  EXPECT_EQ(types(), (std::vector<std::string>{"wait.resumed", "wait.error", "execution.ended"}));
  Value failed = world.ask("GET", at("two")).body;
  EXPECT_EQ(failed.get("status"), Value("error"));
  EXPECT_EQ(failed.get("ended_reason"), Value("duration_out_of_range"));
  EXPECT_EQ(execution().get("output"), Value::object({{"by", "callback"}}));
}

// W-74, W-33
TEST_F(External, what_is_never_taken_is_given_up_and_can_be_sent_again) {
  int status = 503;
  world.sink().answer = [&status](const CallRequest&) {
    CallAnswer answer;
    answer.status = status;
    return answer;
  };
  world.ask("POST", waits(), half_an_hour);
  world.advance(Duration{31 * 60'000});
  std::string id(deliveries()[0].get("delivery_id").as_string());
  EXPECT_EQ(deliveries()[0].get("state"), Value("pending"));
  world.advance(Duration{int64_t{73} * 3'600'000});
  Value dead = deliveries("?state=dead").at(0);
  EXPECT_EQ(dead.get("note"), Value("callback_failed"));
  Value letters = world.ask("GET", "/api/v1/dlq?reason_code=callback_failed").body.get("items");
  ASSERT_EQ(letters.size(), 1u) << to_json(letters);
  EXPECT_EQ(letters.items()[0].get("error").get("delivery_id"), Value(id));
  size_t before = world.sink().received().size();
  EXPECT_GT(before, 60u);
  EXPECT_LT(before, 100u);
  status = 200;
  EXPECT_EQ(world.ask("POST", "/api/v1/callbacks/" + id + "/redeliver", "{}").status, 202);
  world.advance(Duration{0});
  EXPECT_EQ(world.sink().received().size(), before + 1);
  EXPECT_EQ(world.ask("GET", "/api/v1/dlq?reason_code=callback_failed").body.get("items").size(),
            0u)
      << "what is sent again is done with";
  EXPECT_EQ(told(world.ask("POST", "/api/v1/callbacks/" + id + "/redeliver", "{}")),
            "409 delivery_done");
  EXPECT_EQ(told(world.ask("POST", "/api/v1/callbacks/none/redeliver", "{}")),
            "404 delivery_not_found");
  EXPECT_EQ(told(world.ask("GET", "/api/v1/callbacks?state=lost")), "422 invalid_query state");
}

// W-72, W-74, W-75, W-81
TEST_F(External, settings_of_the_account_say_where_to_how_and_how_long) {
  auto put = world.ask("PATCH", "/api/v1/settings",
                       R"({"callbacks": {"url": "https://all.example/hook", "timeout_ms": 2500,
                           "give_up_hours": 1, "allow_networks": ["10.1.0.0/16"]}})");
  ASSERT_EQ(put.status, 200) << put.text;
  world.sink().answer = [](const CallRequest&) {
    CallAnswer answer;
    answer.status = 500;
    return answer;
  };
  ASSERT_EQ(world.ask("PUT", "/api/v1/workflows/plain", R"({"language": "external"})").status, 201);
  ASSERT_EQ(world.ask("PUT", "/api/v1/workflows/plain/executions/run-2", "{}").status, 201);
  ASSERT_EQ(world.ask("POST", waits("run-2", "plain"), half_an_hour).status, 201);
  world.ask("POST", waits(), half_an_hour);
  world.advance(Duration{30 * 60'000});
  auto received = world.sink().received();
  ASSERT_EQ(received.size(), 2u);
  std::set<std::string> urls{received[0].url, received[1].url};
  EXPECT_EQ(urls, (std::set<std::string>{"https://all.example/hook", "https://crm.example/hook"}))
      << "an address of its own comes first";
  for (const CallRequest& request : received) {
    EXPECT_EQ(request.timeout_ms, 2'500);
    EXPECT_EQ(request.allowed_networks, std::vector<std::string>{"10.1.0.0/16"});
  }
  world.advance(Duration{2 * 3'600'000});
  EXPECT_EQ(deliveries("?state=dead").size(), 2u) << "an hour is enough for this account";
}

// W-64, W-13, W-15
TEST_F(External, cancelled_wait_is_told_and_a_new_one_takes_its_place) {
  world.ask("POST", waits(), half_an_hour);
  EXPECT_EQ(world.ask("DELETE", at("wait_1") + "?reason=changed").status, 200);
  EXPECT_EQ(execution().get("status"), Value("waiting"));
  auto next = open("fixed_time", R"({"duration": 1, "unit": "hours"})", "elsewhere");
  EXPECT_EQ(next.status, 201) << next.text;
  EXPECT_EQ(world.ask("GET", at("wait_1")).body.get("parked"), Value(false));
  auto resumed = world.ask("POST", at("elsewhere") + "/resume",
                           R"({"output": {"said": "yes"}, "branch": "won"})");
  EXPECT_EQ(resumed.body.get("resumed_by"), Value("manual")) << resumed.text;
  EXPECT_EQ(execution().get("status"), Value("running"));
  world.advance(Duration{0});
  ASSERT_EQ(types(), (std::vector<std::string>{"wait.cancelled", "wait.resumed"}));
  Value body = *parse_json(world.sink().received()[1].body);
  EXPECT_EQ(body.get("event"), Value::object({{"said", "yes"}}));
  EXPECT_EQ(body.get("branch"), Value("won"));
}

// W-70: beside a program
TEST_F(External, wait_beside_a_program_holds_the_run_open) {
  world.put_workflows();
  std::string run = world.start("waiting");
  std::string body = half_an_hour;
  body.insert(1, R"("callback": {"url": "https://crm.example/side"}, )");
  EXPECT_EQ(world.ask("POST", waits(run, "waiting"), body).status, 201);
  EXPECT_EQ(world.ask("POST", "/api/v1/executions/" + run + "/signals/go", "{}").status, 200);
  EXPECT_EQ(execution(run).get("status"), Value("waiting"));
  world.advance(Duration{30 * 60'000});
  EXPECT_EQ(execution(run).get("status"), Value("completed"));
  EXPECT_EQ(types(), std::vector<std::string>{"wait.resumed"});
}

// S-33
TEST_F(External, another_account_sees_nothing_of_it) {
  world.ask("POST", waits(), half_an_hour);
  std::string key = "X-API-Key: " + world.add_key(Role::admin, "other") + "\r\n";
  EXPECT_EQ(world.ask("GET", at("wait_1"), "", key).status, 404);
  EXPECT_EQ(world.ask("DELETE", at("wait_1"), "", key).status, 404);
  EXPECT_EQ(world.ask("POST", at("wait_1") + "/resume", "{}", key).status, 404);
  EXPECT_EQ(world.ask("POST", waits(), half_an_hour, key).status, 404);
  EXPECT_EQ(world.ask("POST", "/api/v1/executions/run-1/complete", "{}", key).status, 404);
  EXPECT_EQ(world.ask("GET", "/api/v1/admin/workflows/waits/pending", "", key).body.get("total"),
            Value(0));
}

}  // namespace
}  // namespace fermata::server
