#include <gtest/gtest.h>

#include "base/json.h"
#include "server/test_world.h"

namespace fermata::server {
namespace {

constexpr std::string_view asking =
    "workflow asking(inputs) {\n"
    "  return await Approval.request({ title: `Pay ${inputs.amount}`, details: inputs,\n"
    "                                  timeout: inputs.timeout || 3600 })\n}\n";

std::string text(const Value& object, std::string_view field) {
  const Value& found = object.get(field);
  return found.is_string() ? std::string(found.as_string()) : std::string();
}

std::string path(const std::string& id, const std::string& more = "") {
  return "/api/v1/approvals/" + id + more;
}

std::string told(const TestWorld::Answer& answer) {
  return std::to_string(answer.status) + " " + answer.code();
}

class Approvals : public testing::Test {
 protected:
  /// Three people and somebody of another account.
  Approvals() {
    starter_ = header(world_.add_key(Role::operator_));
    anna_ = header(world_.add_key(Role::operator_));
    root_ = header(world_.add_key(Role::root));
    viewer_ = header(world_.add_key(Role::viewer));
    rival_ = header(world_.add_key(Role::admin, "rival"));
    auto put =
        world_.ask("PUT", "/api/v1/workflows/asking",
                   to_json(Value::object({{"language", "flow"}, {"source", asking}})), root_);
    EXPECT_EQ(put.status, 201) << put.text;
  }
  static std::string header(const std::string& key) { return "X-API-Key: " + key + "\r\n"; }

  /// Starts a run and gives its question.
  Value ask(std::string_view input = R"({"input": {"amount": 900}})") {
    auto started = world_.ask("POST", "/api/v1/workflows/asking/executions", input, starter_);
    EXPECT_EQ(started.status, 201) << started.text;
    run_ = text(started.body, "id");
    for (int tries = 0; tries < 200; ++tries) {
      auto page =
          world_.ask("GET", "/api/v1/approvals?status=pending&execution_id=" + run_, "", viewer_);
      if (page.body.get("items").size() > 0) return page.body.get("items").items()[0];
      usleep(5'000);
    }
    ADD_FAILURE() << "nobody was asked";
    return {};
  }
  static std::string yes(const Value& approval, const std::string& more = "") {
    return R"({"hash": ")" + text(approval, "hash") + R"(")" + more + "}";
  }
  Value ended() {
    auto shown = world_.ask("GET", "/api/v1/executions/" + run_ + "?wait=5s", "", viewer_);
    for (int tries = 0; tries < 200 && text(shown.body, "status") != "completed"; ++tries) {
      usleep(5'000);
      shown = world_.ask("GET", "/api/v1/executions/" + run_, "", viewer_);
    }
    return shown.body;
  }

  TestWorld world_;
  std::string starter_, anna_, root_, viewer_, rival_, run_;
};

// F-37, J-41, J-44
TEST_F(Approvals, are_shown_and_answered) {
  Value asked = ask();
  std::string id = text(asked, "id");
  EXPECT_EQ(id, run_ + ".1");
  EXPECT_EQ(asked.get("title"), Value("Pay 900"));
  EXPECT_EQ(asked.get("payload").get("amount"), Value(900));
  EXPECT_EQ(asked.get("kind"), Value("run"));
  EXPECT_EQ(asked.get("approvers").items()[0], Value("operator"));
  EXPECT_EQ(asked.get("time_left_ms"), Value(3'600'000));
  EXPECT_EQ(world_.ask("GET", path(id), "", viewer_).body, asked);
  auto answer = world_.ask("POST", path(id, "/approve"), yes(asked, R"(, "note": "fine")"), anna_);
  ASSERT_EQ(answer.status, 200) << answer.text;
  EXPECT_EQ(answer.body.get("status"), Value("approved"));
  EXPECT_EQ(answer.body.get("comment"), Value("fine"));
  EXPECT_EQ(answer.body.get("time_left_ms"), Value());
  Value run = ended();
  EXPECT_EQ(run.get("output").get("approved"), Value(true));
  EXPECT_EQ(run.get("output").get("by"), answer.body.get("by"));
  EXPECT_EQ(
      world_.ask("GET", "/api/v1/approvals?status=pending", "", viewer_).body.get("items").size(),
      0u);
  auto audit = world_.ask("GET", "/api/v1/audit?action=approval.approved", "", root_);
  ASSERT_EQ(audit.body.get("items").size(), 1u) << audit.text;
  EXPECT_EQ(audit.body.get("items").items()[0].get("subject"), Value(id));
}

// J-41
TEST_F(Approvals, answers_are_bound_to_what_was_asked) {
  Value asked = ask();
  std::string id = text(asked, "id");
  EXPECT_EQ(told(world_.ask("POST", path(id, "/approve"), R"({"hash": "00"})", anna_)),
            "409 approval_stale_request");
  EXPECT_EQ(told(world_.ask("POST", path(id, "/approve"), "{}", anna_)), "422 invalid_field");
  EXPECT_EQ(told(world_.ask("POST", path(id, "/reject"), yes(asked), anna_)), "422 invalid_field");
  auto no = world_.ask("POST", path(id, "/reject"), yes(asked, R"(, "reason": "too much")"), anna_);
  EXPECT_EQ(no.status, 200) << no.text;
  EXPECT_EQ(no.body.get("status"), Value("rejected"));
  EXPECT_EQ(ended().get("output").get("comment"), Value("too much"));
  EXPECT_EQ(told(world_.ask("POST", path(id, "/approve"), yes(asked), anna_)),
            "409 approval_not_pending");
  EXPECT_EQ(told(world_.ask("POST", path("nobody", "/approve"), yes(asked), anna_)),
            "404 approval_not_found");
}

// J-42, A-10
TEST_F(Approvals, who_may_answer) {
  Value asked = ask();
  std::string id = text(asked, "id");
  EXPECT_EQ(told(world_.ask("POST", path(id, "/approve"), yes(asked), starter_)),
            "403 approval_by_submitter");
  EXPECT_EQ(told(world_.ask("POST", path(id, "/approve"), yes(asked), viewer_)), "403 forbidden");
  EXPECT_EQ(told(world_.ask("POST", path(id, "/approve"), yes(asked), rival_)),
            "404 approval_not_found");
  EXPECT_EQ(told(world_.ask("GET", path(id), "", rival_)), "404 approval_not_found");
  EXPECT_EQ(world_.ask("GET", "/api/v1/approvals", "", rival_).body.get("items").size(), 0u);
  EXPECT_EQ(told(world_.ask("GET", "/api/v1/approvals?status=soon", "", viewer_)),
            "422 invalid_query");
  EXPECT_EQ(world_.ask("POST", path(id, "/approve"), yes(asked), root_).status, 200);
}

// F-37
TEST_F(Approvals, run_out_with_their_time) {
  Value asked = ask(R"({"input": {"amount": 1, "timeout": 60}})");
  world_.advance(Duration{60'000});
  auto shown = world_.ask("GET", path(text(asked, "id")), "", viewer_);
  EXPECT_EQ(shown.body.get("status"), Value("expired"));
  EXPECT_EQ(told(world_.ask("POST", path(text(asked, "id"), "/approve"), yes(asked), anna_)),
            "409 approval_not_pending");
}

// A-6: stream kind `approvals`
TEST_F(Approvals, are_told_as_they_come_and_go) {
  TestClient reader(world_.server().port());
  reader.send("GET /api/v1/stream?kinds=approvals HTTP/1.1\r\nHost: 127.0.0.1\r\n" + viewer_ +
              "\r\n");
  reader.read_until("\r\n\r\n");
  Value asked = ask();
  std::string first = reader.read_until("\"pending\"");
  EXPECT_NE(first.find("event: approval\n"), std::string::npos) << first;
  EXPECT_EQ(first.find("event: run\n"), std::string::npos) << first;
  world_.ask("POST", path(text(asked, "id"), "/approve"), yes(asked), anna_);
  EXPECT_NE(reader.read_until("\"approved\"").find(text(asked, "id")), std::string::npos);
  EXPECT_EQ(told(world_.ask("GET", "/api/v1/stream?kinds=moods", "", viewer_)),
            "422 invalid_query");
}

// J-42, A-12
TEST(ApprovalsAlone, who_has_no_keys_answers_himself) {
  TestWorld world;
  world.ask("PUT", "/api/v1/workflows/asking",
            to_json(Value::object({{"language", "flow"}, {"source", asking}})));
  std::string run = world.start("asking", R"({"input": {"amount": 1}})");
  ASSERT_TRUE(world.wait_for(run, "waiting"));
  Value asked = world.ask("GET", path(run + ".1")).body;
  auto yes = world.ask("POST", path(run + ".1", "/approve"),
                       R"({"hash": ")" + text(asked, "hash") + R"("})");
  EXPECT_EQ(yes.status, 200) << yes.text;
  EXPECT_TRUE(world.wait_for(run, "completed"));
}

}  // namespace
}  // namespace fermata::server
