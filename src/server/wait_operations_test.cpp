#include <gtest/gtest.h>

#include <map>
#include <mutex>

#include "base/json.h"
#include "server/test_world.h"

/// What operators see of waits: limits, numbers, metrics, alerts and the audit (waits.md sections 8
/// and 9).
namespace fermata::server {
namespace {

constexpr const char* mixed = R"({"nodes": [{"id": "S", "type": "manual", "trigger": true},
    {"id": "nap", "type": "wait",
     "parameters": {"wait_type": "fixed_time", "duration": 30, "unit": "minutes"}},
    {"id": "A", "type": "noop"}],
    "edges": [{"id": "e1", "src": "S", "dst": "nap"}, {"id": "e2", "src": "nap", "dst": "A"}]})";
constexpr const char* opened = R"({"nodes": [{"id": "S", "type": "manual", "trigger": true},
    {"id": "hear", "type": "wait", "parameters": {"wait_type": "for_event",
     "event_type": "email_open", "timeout_hours": 72}}],
    "edges": [{"id": "e1", "src": "S", "dst": "hear"}]})";
constexpr const char* dated = R"({"nodes": [{"id": "S", "type": "manual", "trigger": true},
    {"id": "day", "type": "wait", "parameters": {"wait_type": "until_date",
     "target_date": "2026-01-27"}}],
    "edges": [{"id": "e1", "src": "S", "dst": "day"}]})";
constexpr const char* past = R"({"nodes": [{"id": "S", "type": "manual", "trigger": true},
    {"id": "day", "type": "wait", "parameters": {"wait_type": "until_date",
     "target_date": "2026-01-01"}}],
    "edges": [{"id": "e1", "src": "S", "dst": "day"}]})";

class WaitOperations : public ::testing::Test {
 protected:
  WaitOperations()
      : world([this](ApiOptions& options) {
          options.log = [this](const ApiLogLine& line) {
            std::lock_guard lock(mutex);
            log.push_back(line.message);
          };
          options.notify = [this](const AccountId&, const std::string& url, const Value& body) {
            std::lock_guard lock(mutex);
            notified.push_back(url + " " + std::string(body.get("state").as_string()));
          };
        }) {
    for (auto [name, graph] :
         {std::pair{"mixed", mixed}, {"opened", opened}, {"dated", dated}, {"past", past}})
      EXPECT_EQ(world.ask("PUT", std::string("/api/v1/workflows/") + name, graph).status, 201);
  }
  void set(const std::string& settings) {
    auto put = world.ask("PATCH", "/api/v1/settings", settings);
    ASSERT_EQ(put.status, 200) << put.text;
  }
  Value wait(const std::string& run, const std::string& step) {
    return world.ask("GET", "/api/v1/workflows/executions/" + run + "/wait/" + step).body;
  }
  /// One line of /metrics, without its name.
  std::string metric(const std::string& name) {
    std::string text = world.ask("GET", "/metrics").text;
    size_t at = text.find("\n" + name + " ");
    if (at == std::string::npos) return "none";
    at += name.size() + 2;
    return text.substr(at, text.find('\n', at) - at);
  }
  std::vector<std::string> audited(const std::string& action) {
    Value items = world.ask("GET", "/api/v1/audit?action=" + action).body.get("items");
    std::vector<std::string> subjects;
    for (const Value& line : items.items()) subjects.emplace_back(line.get("subject").as_string());
    return subjects;
  }
  std::vector<std::string> taken(std::vector<std::string>& from) {
    std::lock_guard lock(mutex);
    return std::exchange(from, {});
  }

  std::mutex mutex;
  std::vector<std::string> log, notified;
  TestWorld world;
};

// S-32, W-80
TEST_F(WaitOperations, limits_of_an_execution_refuse_the_next_wait) {
  ASSERT_EQ(world.ask("PUT", "/api/v1/workflows/ext", R"({"language": "external"})").status, 201);
  ASSERT_EQ(world.ask("PUT", "/api/v1/workflows/ext/executions/r-1", "{}").status, 201);
  auto open = [&](int step, const char* type = "fixed_time",
                  const char* config = R"({"duration": 30, "unit": "minutes"})") {
    return world.ask("POST", "/api/v1/workflows/ext/executions/r-1/wait",
                     R"({"step_id": "w)" + std::to_string(step) + R"(", "wait_type": ")" + type +
                         R"(", "config": )" + config + "}");
  };
  for (int i = 0; i < 100; ++i) ASSERT_EQ(open(i).status, 201) << i;
  auto over = open(100);
  EXPECT_EQ(over.status, 429) << over.text;
  EXPECT_EQ(over.code(), "wait_limit_execution");
  EXPECT_FALSE(over.headers["retry-after"].empty());
  EXPECT_EQ(world.ask("GET", "/api/v1/waits").body.get("total"), Value(100));
  set(R"({"limits": {"waits_per_execution": 101}})");
  EXPECT_EQ(open(100).status, 201);
  set(R"({"limits": {"waits_per_execution": 0, "waits_per_account": 101}})");
  EXPECT_EQ(open(101).code(), "wait_limit_account");
  set(R"({"limits": {"waits_per_account": 0, "listeners_per_minute": 2}})");
  const char* listens = R"({"event_type": "email_open", "timeout_hours": 1})";
  EXPECT_EQ(open(102, "for_event", listens).status, 201);
  EXPECT_EQ(open(103, "for_event", listens).status, 201);
  EXPECT_EQ(open(104, "for_event", listens).code(), "listener_rate");
  world.advance(Duration{60'000});
  EXPECT_EQ(open(104, "for_event", listens).status, 201);
}

// S-32, W-80
TEST_F(WaitOperations, engine_at_the_limit_of_the_account_is_delayed_and_not_failed) {
  set(R"({"limits": {"waits_per_account": 1}})");
  std::string first = world.start("mixed");
  world.advance(Duration{60'000});
  std::string second = world.start("mixed");
  world.advance(Duration{60'000});
  std::string third = world.start("mixed");
  EXPECT_EQ(wait(first, "nap").get("on_hold"), Value(false));
  EXPECT_EQ(wait(second, "nap").get("hold_reason"), Value("limit"));
  EXPECT_EQ(wait(third, "nap").get("hold_reason"), Value("limit"));
  EXPECT_EQ(world.ask("GET", "/api/v1/executions/" + second).body.get("status"), Value("waiting"));
  EXPECT_EQ(world.ask("GET", "/api/v1/waits/stats").body.get("delayed"), Value(2));
  // Whoever came first comes in first, and its instant counts from when it was reached.
  std::string id(wait(first, "nap").get("id").as_string());
  ASSERT_EQ(world.ask("POST", "/api/v1/waits/" + id + "/resume", "{}").status, 200);
  world.advance(Duration{0});
  EXPECT_EQ(wait(second, "nap").get("on_hold"), Value(false));
  EXPECT_EQ(wait(third, "nap").get("hold_reason"), Value("limit"));
  EXPECT_EQ(wait(second, "nap").get("scheduled_at"), Value("2026-01-26T00:31:00.000Z"));
  // One whose instant comes while it stands in line resumes then.
  world.advance(Duration{30 * 60'000});
  EXPECT_TRUE(world.wait_for(second, "completed"));
  EXPECT_TRUE(world.wait_for(third, "completed"));
  EXPECT_EQ(audited("wait.limited").size(), 2u);
}

// S-29, W-20
TEST_F(WaitOperations, numbers_of_waits_agree_with_the_lists) {
  for (int i = 0; i < 30; ++i) world.start("mixed");
  for (int i = 0; i < 50; ++i) world.start("opened", R"({"contact_id": "c-1"})");
  for (int i = 0; i < 20; ++i) world.start("dated");
  Value list = world.ask("GET", "/api/v1/admin/workflows/waits/pending?wait_type=for_event").body;
  EXPECT_EQ(list.get("total"), Value(50));
  for (const Value& one : list.get("items").items()) {
    EXPECT_EQ(one.get("status"), Value("waiting"));
    EXPECT_EQ(one.get("contact_id"), Value("c-1"));
    EXPECT_EQ(one.get("workflow_id"), Value("opened"));
  }
  auto asked = world.ask("GET", "/api/v1/admin/workflows/waits/stats");
  ASSERT_EQ(asked.status, 200) << asked.text;
  const Value& active = asked.body.get("active");
  EXPECT_EQ(active.get("total"), Value(100));
  EXPECT_EQ(active.get("by_type"), *parse_json(R"({"fixed_time": 30, "for_event": 50,
                                                    "until_date": 20, "until_time": 0})"));
  EXPECT_EQ(asked.body.get("opened").get("last_hour"), Value(100));
  EXPECT_EQ(asked.body.get("upcoming"), *parse_json(R"({"next_hour": 30, "next_24h": 30})"));
  EXPECT_EQ(asked.body.get("listeners").get("by_event_type"), *parse_json(R"({"email_open": 50})"));
  world.advance(Duration{3'600'000});
  Value later = world.ask("GET", "/api/v1/waits/stats?workflow_id=mixed").body;
  EXPECT_EQ(later.get("active").get("total"), Value(0));
  EXPECT_EQ(later.get("average_duration_s").get("fixed_time"), Value(1800.0));
  Value all = world.ask("GET", "/api/v1/waits/stats").body;
  EXPECT_EQ(all.get("active").get("total"), Value(70));
  EXPECT_EQ(all.get("opened"), *parse_json(R"({"last_hour": 0, "last_24h": 100})"));
  EXPECT_EQ(all.get("listeners").get("oldest_s"), Value(3'600));
}

// W-85
TEST_F(WaitOperations, metrics_tell_what_the_numbers_tell) {
  world.start("mixed");
  world.start("opened", R"({"contact_id": "c-1"})");
  EXPECT_EQ(metric(R"(fermata_waits_pending{wait_type="fixed_time",source="graph"})"), "1");
  EXPECT_EQ(metric(R"(fermata_waits_upcoming{window="1h"})"), "1");
  EXPECT_EQ(metric(R"(fermata_listeners_active{event_type="email_open"})"), "1");
  auto sent =
      world.ask("POST", "/api/v1/events", R"({"event_type": "email_open", "contact_id": "c-1"})");
  ASSERT_EQ(sent.status, 200) << sent.text;
  world.advance(Duration{30 * 60'000});
  EXPECT_EQ(metric(R"(fermata_waits_pending{wait_type="fixed_time",source="graph"})"), "none");
  EXPECT_EQ(metric(R"(fermata_waits_opened_total{wait_type="for_event",source="graph"})"), "1");
  EXPECT_EQ(metric(R"(fermata_waits_ended_total{wait_type="fixed_time",status="resumed",)"
                   R"(resumed_by="scheduler"})"),
            "1");
  EXPECT_EQ(metric(R"(fermata_wait_duration_seconds_sum{wait_type="fixed_time"})"), "1800");
  EXPECT_EQ(metric(R"(fermata_wait_lateness_seconds_count{wait_type="fixed_time"})"), "1");
  EXPECT_EQ(metric(R"(fermata_signals_received_total{event_type="email_open",result="accepted"})"),
            "1");
  EXPECT_EQ(metric("fermata_signal_match_seconds_count"), "1");
  EXPECT_EQ(metric("fermata_waits_overdue"), "0");
}

// W-85: accounts by name as long as there is room, the rest together.
TEST(WaitMetricsByAccount, are_told_apart_up_to_a_bound) {
  TestWorld world([](ApiOptions& options) { options.metrics_accounts_max = 2; });
  for (const char* account : {"acme", "beta", "gamma", "delta"}) {
    std::string who = "X-Account-Id: " + std::string(account) + "\r\n";
    world.ask("PUT", "/api/v1/workflows/w", R"({"language": "external"})", who);
    world.ask("PUT", "/api/v1/workflows/w/executions/r-" + std::string(account), "{}", who);
    auto answer =
        world.ask("POST", "/api/v1/workflows/w/executions/r-" + std::string(account) + "/wait",
                  R"({"step_id": "a", "wait_type": "fixed_time",
                                "config": {"duration": 30, "unit": "minutes"}})",
                  who);
    ASSERT_EQ(answer.status, 201) << answer.text;
  }
  auto lines = [&](const std::string& name) {
    std::string text = world.ask("GET", "/metrics").text, out;
    for (size_t at = text.find("\n" + name + "{"); at != std::string::npos;
         at = text.find("\n" + name + "{", at + 1))
      out +=
          text.substr(at + 1 + name.size(), text.find('\n', at + 1) - at - 1 - name.size()) + "; ";
    return out;
  };
  EXPECT_EQ(lines("fermata_waits_pending"),
            R"({account="acme",wait_type="fixed_time",source="api"} 1; )"
            R"({account="beta",wait_type="fixed_time",source="api"} 1; )"
            R"({account="other",wait_type="fixed_time",source="api"} 2; )");
  EXPECT_EQ(lines("fermata_waits_upcoming"),
            R"({account="acme",window="1h"} 1; {account="acme",window="24h"} 1; )"
            R"({account="beta",window="1h"} 1; {account="beta",window="24h"} 1; )"
            R"({account="other",window="1h"} 2; {account="other",window="24h"} 2; )");
  world.advance(Duration{30 * 60'000});
  EXPECT_EQ(lines("fermata_wait_duration_seconds_count"),
            R"({account="acme",wait_type="fixed_time"} 1; )"
            R"({account="beta",wait_type="fixed_time"} 1; )"
            R"({account="other",wait_type="fixed_time"} 2; )");
  EXPECT_EQ(lines("fermata_waits_overdue"), R"({account="acme"} 0; {account="beta"} 0; )");
}

// S-30, W-19, W-86
TEST_F(WaitOperations, what_a_switch_holds_is_overdue_and_told_once) {
  set(R"({"waits": {"resumes_off": true}, "alerts": {"url": "https://pager.example/hook"}})");
  std::string run = world.start("mixed");
  world.advance(Duration{30 * 60'000 + 1'000});
  EXPECT_EQ(wait(run, "nap").get("hold_reason"), Value("resumes_off"));
  ASSERT_TRUE(world.api().overdue_alerts().look());
  EXPECT_TRUE(taken(log).empty()) << "it is not late enough";
  world.advance(Duration{359'000});
  Value list = world.ask("GET", "/api/v1/admin/workflows/waits/overdue").body;
  ASSERT_EQ(list.get("total"), Value(1)) << to_json(list);
  EXPECT_EQ(list.get("items").items()[0].get("overdue_s"), Value(360));
  EXPECT_EQ(list.get("items").items()[0].get("alert"), Value(true));
  ASSERT_TRUE(world.api().overdue_alerts().look());
  ASSERT_TRUE(world.api().overdue_alerts().look());
  EXPECT_EQ(taken(log), std::vector<std::string>{"Waits are overdue."});
  EXPECT_EQ(taken(notified), std::vector<std::string>{"https://pager.example/hook firing"});
  EXPECT_EQ(metric("fermata_wait_overdue_alert"), "1");
  EXPECT_EQ(metric("fermata_waits_overdue"), "1");
  EXPECT_EQ(metric("fermata_wait_overdue_oldest_seconds"), "360");
  set(R"({"waits": {"resumes_off": false}})");
  EXPECT_TRUE(world.wait_for(run, "completed"));
  EXPECT_EQ(metric("fermata_wait_overdue_alert"), "0");
  EXPECT_EQ(taken(log), std::vector<std::string>{"Waits are no longer overdue."});
  EXPECT_EQ(taken(notified), std::vector<std::string>{"https://pager.example/hook resolved"});
  EXPECT_EQ(world.ask("GET", "/api/v1/waits/overdue").body.get("total"), Value(0));
}

// W-70
TEST_F(WaitOperations, what_scripts_wait_for_stands_among_the_waits) {
  std::string source =
      "workflow w(inputs) {\n  await Task.delay(\"10m\")\n  const go = await Signal.next('go')\n"
      "  const late = await Signal.next('never', { timeout: \"1h\", otherwise: 0 })\n"
      "  return await Signal.next('last')\n}\n";
  auto put = world.ask("PUT", "/api/v1/workflows/w",
                       to_json(Value::object({{"language", "flow"}, {"source", source}})));
  ASSERT_EQ(put.status, 201) << put.text;
  std::string run = world.start("w");
  ASSERT_TRUE(world.wait_for(run, "waiting"));
  auto told = [&] {
    std::string out;
    Value items = world.ask("GET", "/api/v1/waits?execution_id=" + run).body.get("items");
    std::map<std::string, std::string> by_step;
    for (const Value& one : items.items()) {
      const Value& by = one.get("resumed_by");
      by_step[std::string(one.get("step_id").as_string())] =
          std::string(one.get("wait_type").as_string()) + " " +
          std::string(one.get("status").as_string()) + "/" +
          (by.is_string() ? std::string(by.as_string()) : "");
    }
    for (const auto& [step, text] : by_step) out += step + " " + text + "; ";
    return out;
  };
  EXPECT_EQ(told(), "w:2 fixed_time scheduled/; ");
  Value timer = world.ask("GET", "/api/v1/waits?execution_id=" + run).body.get("items").items()[0];
  EXPECT_EQ(timer.get("source"), Value("flow"));
  EXPECT_EQ(timer.get("due_at"), Value("2026-01-26T00:10:00.000Z"));
  world.advance(Duration{10 * 60'000});
  EXPECT_EQ(told(), "w:2 fixed_time resumed/scheduler; w:3 for_event waiting/; ");
  world.ask("POST", "/api/v1/executions/" + run + "/signals/go", R"({"payload": 5})");
  world.advance(Duration{0});
  EXPECT_EQ(told(),
            "w:2 fixed_time resumed/scheduler; w:3 for_event resumed/event; "
            "w:4 for_event waiting/; ");
  world.advance(Duration{3'600'000});
  std::string last(world.ask("GET", "/api/v1/waits?status=pending&execution_id=" + run)
                       .body.get("items")
                       .items()[0]
                       .get("id")
                       .as_string());
  // A user lets the last one go on, with what the script is to get.
  auto resumed = world.ask("POST", "/api/v1/waits/" + last + "/resume", R"({"output": "by hand"})");
  EXPECT_EQ(resumed.status, 200) << resumed.text;
  ASSERT_TRUE(world.wait_for(run, "completed"));
  EXPECT_EQ(world.ask("GET", "/api/v1/executions/" + run).body.get("output"), Value("by hand"));
  EXPECT_EQ(told(),
            "w:2 fixed_time resumed/scheduler; w:3 for_event resumed/event; "
            "w:4 for_event timeout/timeout; w:5 for_event resumed/manual; ");
}

// W-87, S-6
TEST_F(WaitOperations, audit_tells_of_every_wait_and_its_end) {
  std::string run = world.start("mixed");
  std::string id(wait(run, "nap").get("id").as_string());
  Value made = world.ask("GET", "/api/v1/audit?action=wait.created").body.get("items");
  ASSERT_EQ(made.size(), 1u);
  EXPECT_EQ(made.items()[0].get("subject"), Value(id));
  const Value& details = made.items()[0].get("details");
  EXPECT_EQ(details.get("config"), *parse_json(R"({"duration": 30, "unit": "minutes"})"));
  EXPECT_EQ(details.get("due_at"), Value("2026-01-26T00:30:00.000Z"));
  world.advance(Duration{30 * 60'000});
  EXPECT_EQ(audited("wait.resumed"), std::vector<std::string>{id});
  std::string other = world.start("mixed");
  std::string cancelled(wait(other, "nap").get("id").as_string());
  ASSERT_EQ(
      world.ask("POST", "/api/v1/waits/" + cancelled + "/cancel", R"({"reason": "STOP"})").status,
      200);
  Value line = world.ask("GET", "/api/v1/audit?action=wait.cancelled").body.get("items").items()[0];
  EXPECT_EQ(line.get("subject"), Value(cancelled));
  EXPECT_EQ(line.get("reason"), Value("STOP"));
  world.start("past");
  EXPECT_EQ(audited("wait.past_date").size(), 1u);
}

}  // namespace
}  // namespace fermata::server
