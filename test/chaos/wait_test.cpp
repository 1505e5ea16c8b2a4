#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>

#include "base/json.h"
#include "base/time.h"
#include "test/chaos/load.h"
#include "test/chaos/server_process.h"

/// Waits of a real server that is killed, or whose store does not take their resumes.
namespace fermata::test {
namespace {

constexpr int64_t at_eleven_ms = 1'769'425'200'000;  // 2026-01-26T11:00:00Z
const std::vector<std::string> at_ten = {"--clock", "virtual:2026-01-26T10:00:00Z"};

class Waits : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(server.start()) << server.log(); }
  Value told(const std::string& method, const std::string& path, const std::string& body = "") {
    HttpReply reply = request(server.port(), method, "/api/v1" + path, body);
    EXPECT_TRUE(reply.status >= 200 && reply.status < 300)
        << method << " " << path << ": " << reply.status << " " << to_json(reply.body);
    return reply.body;
  }
  void advance(int64_t ms) {
    told("POST", "/test/clock/advance", "{\"ms\":" + std::to_string(ms) + "}");
  }
  /// An execution of another engine that waits three days for a mail to be opened.
  void wait_for_mail(const std::string& run) {
    told("PUT", "/workflows/mail/executions/" + run, "{\"contact_id\":\"" + run + "\"}");
    told("POST", "/workflows/mail/executions/" + run + "/wait",
         R"({"step_id":"opened","wait_type":"for_event",
             "config":{"event_type":"email_open","timeout_hours":72}})");
  }
  Value wait_at(const std::string& run, const std::string& step) {
    return told("GET", "/workflows/executions/" + run + "/wait/" + step);
  }
  /// What the sqlite3 shell does to the server's file while the server is at it.
  void change_file(const std::string& sql) {
    std::string command = "sqlite3 -cmd '.timeout 5000' '" +
                          (server.data() / "fermata.db").string() + "' \"" + sql + "\"";
    ASSERT_EQ(WEXITSTATUS(std::system(command.c_str())), 0) << sql;
  }

  TemporaryDirectory directory;
  ServerProcess server{directory.path() / "data", at_ten};
};

// S-22
TEST_F(Waits, event_and_timeout_are_not_lost_when_the_server_is_killed) {
  told("PUT", "/workflows/mail", R"({"language":"external"})");
  wait_for_mail("heard");
  wait_for_mail("unheard");
  server.kill_hard();
  ASSERT_TRUE(server.start()) << server.log();
  Value answer = told("POST", "/events",
                      R"({"event_id":"ev-1","event_type":"email_open","contact_id":"heard"})");
  EXPECT_EQ(answer.get("matched_total"), Value(1));
  // Answered is durable: it stays so if the server dies again at once.
  server.kill_hard();
  ASSERT_TRUE(server.start()) << server.log();
  EXPECT_EQ(wait_at("heard", "opened").get("resumed_by"), Value("event"));
  EXPECT_EQ(wait_at("heard", "opened").get("listeners").items()[0].get("status"), Value("matched"));
  constexpr int64_t three_days_ms = 72 * 3'600'000;
  advance(three_days_ms - 1);
  EXPECT_EQ(wait_at("unheard", "opened").get("status"), Value("waiting"));
  advance(1);
  EXPECT_EQ(wait_at("unheard", "opened").get("status"), Value("timeout"));
  EXPECT_EQ(wait_at("unheard", "opened").get("listeners").items()[0].get("status"),
            Value("expired"));
  EXPECT_EQ(wait_at("heard", "opened").get("resumed_by"), Value("event"));
}

// S-27
TEST_F(Waits, what_fell_due_while_the_server_was_down_resumes_once_in_due_order) {
  constexpr int waits = 50;
  told("PUT", "/workflows/late", R"({"language":"external"})");
  // The later they are opened, the earlier they are due.
  for (int i = 0; i < waits; ++i) {
    std::string run = "r-" + std::to_string(i);
    told("PUT", "/workflows/late/executions/" + run, "{}");
    std::string due = to_rfc3339(Instant{at_eleven_ms - i});
    told("POST", "/workflows/late/executions/" + run + "/wait",
         R"({"step_id":"w","wait_type":"until_date","config":{"target_date":")" + due + "\"}}");
  }
  advance(59 * 60'000);
  EXPECT_EQ(told("GET", "/waits?status=pending").get("total"), Value(waits));
  server.kill_hard();
  ServerProcess later(server.data(), {"--clock", "virtual:2026-01-26T11:30:00Z"},
                      directory.path() / "later.log");
  ASSERT_TRUE(later.start()) << later.log();
  auto ask = [&](const std::string& path) {
    return request(later.port(), "GET", "/api/v1" + path).body;
  };
  ASSERT_TRUE(await(30, [&] { return ask("/waits?status=resumed").get("total") == Value(waits); }))
      << to_json(ask("/waits/stats"));
  Value lines = ask("/audit?action=wait.resumed&limit=1000").get("items");
  ASSERT_EQ(lines.size(), static_cast<size_t>(waits)) << "each once";
  std::vector<std::string> order;
  for (const Value& line : lines.items())
    order.emplace_back(
        ask("/waits/" + std::string(line.get("subject").as_string())).get("due_at").as_string());
  // The newest line comes first.
  EXPECT_TRUE(std::is_sorted(order.rbegin(), order.rend()));
}

constexpr const char* paused_workflow =
    R"({"nodes":[{"id":"t","type":"manual","trigger":true},
         {"id":"w","type":"wait","parameters":{"wait_type":"fixed_time","duration":30,
           "unit":"minutes"}},
         {"id":"after","type":"noop"}],
        "edges":[{"id":"1","src":"t","dst":"w"},{"id":"2","src":"w","dst":"after"}]})";

/// Rows of waits at step w may change, but not to `resumed`.
constexpr const char* refuse_resumes =
    "CREATE TRIGGER fault BEFORE UPDATE ON workflow_wait_executions "
    "WHEN NEW.status = 'resumed' AND NEW.step_id = 'w' BEGIN SELECT RAISE(ABORT, 'fault'); END";

// S-35, W-66
TEST_F(Waits, resume_that_the_store_does_not_take_fails_after_four_tries_and_can_be_retried) {
  told("PUT", "/workflows/paused", paused_workflow);
  told("PUT", "/workflows/other", R"({"language":"external"})");
  std::string run(told("POST", "/workflows/paused/executions", "{}").get("id").as_string());
  told("PUT", "/workflows/other/executions/bystander", "{}");
  told("POST", "/workflows/other/executions/bystander/wait",
       R"({"step_id":"b","wait_type":"fixed_time","config":{"duration":30,"unit":"minutes"}})");
  change_file(refuse_resumes);
  advance(30 * 60'000);
  Value wait = wait_at(run, "w");
  EXPECT_EQ(wait.get("status"), Value("scheduled"));
  EXPECT_EQ(wait.get("retry_count"), Value(1));
  EXPECT_NE(wait.get("last_error"), Value());
  EXPECT_EQ(wait.get("due_at"), Value("2026-01-26T10:30:00.000Z")) << "it stays what it was";
  EXPECT_EQ(wait_at("bystander", "b").get("status"), Value("resumed"))
      << "what goes with it into one commit does not suffer for it";
  // One second, two, four.
  for (auto [ms, count] : {std::pair(999, 1), {1, 2}, {1'999, 2}, {1, 3}, {3'999, 3}}) {
    advance(ms);
    EXPECT_EQ(wait_at(run, "w").get("retry_count"), Value(count)) << ms;
    EXPECT_EQ(wait_at(run, "w").get("status"), Value("scheduled"));
  }
  advance(1);
  EXPECT_EQ(wait_at(run, "w").get("status"), Value("error"));
  EXPECT_EQ(wait_at(run, "w").get("resumed_by"), Value());
  Value ended = told("GET", "/executions/" + run);
  EXPECT_EQ(ended.get("status"), Value("failed"));
  EXPECT_EQ(ended.get("error").get("code"), Value("wait_resume_failed"));
  Value letters = told("GET", "/dlq?run_id=" + run).get("items");
  ASSERT_EQ(letters.size(), 1u);
  EXPECT_EQ(letters.items()[0].get("reason_code"), Value("wait_resume_failed"));
  EXPECT_EQ(letters.items()[0].get("attempts"), Value(4));
  EXPECT_EQ(letters.items()[0].get("step_id"), Value("w"));
  std::string entry(letters.items()[0].get("id").as_string());
  HttpReply elsewhere = request(server.port(), "POST", "/api/v1/dlq/" + entry + "/retry", "{}");
  EXPECT_EQ(elsewhere.status, 409);
  EXPECT_NE(to_json(elsewhere.body).find("/executions/" + run + "/retry"), std::string::npos)
      << to_json(elsewhere.body);
  Value lines = told("GET", "/audit?action=wait.error").get("items");
  EXPECT_EQ(lines.size(), 1u);
  change_file("DROP TRIGGER fault");
  std::string again(told("POST", "/executions/" + run + "/retry", "{}").get("id").as_string());
  advance(1);
  EXPECT_EQ(told("GET", "/executions/" + again).get("status"), Value("completed"));
  EXPECT_EQ(wait_at(again, "w").get("retry_count"), Value(0));
}

// W-66: the same for a signal, which is offered again each time.
TEST_F(Waits, signal_that_cannot_be_taken_is_offered_four_times) {
  told("PUT", "/workflows/mail", R"({"language":"external"})");
  wait_for_mail("r");
  change_file(
      "CREATE TRIGGER fault BEFORE UPDATE ON workflow_wait_executions "
      "WHEN NEW.status = 'resumed' BEGIN SELECT RAISE(ABORT, 'fault'); END");
  Value answer = told("POST", "/events?wait=0s",
                      R"({"event_id":"ev-1","event_type":"email_open","contact_id":"r"})");
  EXPECT_EQ(answer.get("status"), Value("accepted"));
  advance(2'999);
  EXPECT_EQ(wait_at("r", "opened").get("status"), Value("waiting"));
  EXPECT_EQ(wait_at("r", "opened").get("retry_count"), Value(2));
  change_file("DROP TRIGGER fault");
  advance(1);
  EXPECT_EQ(wait_at("r", "opened").get("resumed_by"), Value("event"));
  EXPECT_EQ(told("GET", "/events/ev-1").get("matched_total"), Value(1));
}

}  // namespace
}  // namespace fermata::test
