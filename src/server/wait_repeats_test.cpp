#include <gtest/gtest.h>

#include "base/json.h"
#include "server/test_world.h"

/// Requests about waits that come again, that mean several waits, or that are another account's.
namespace fermata::server {
namespace {

class WaitRepeats : public ::testing::Test {
 protected:
  WaitRepeats() {
    ask("PUT", "/workflows/ext", R"({"language": "external"})");
    ask("PUT", "/workflows/ext/executions/r1", R"({"contact_id": "c-17"})");
  }
  TestWorld::Answer ask(const std::string& method, const std::string& path,
                        const std::string& body = "", const std::string& headers = "") {
    return world.ask(method, "/api/v1" + path, body, headers);
  }
  /// The same under the key of the test.
  TestWorld::Answer under(const std::string& key, const std::string& method,
                          const std::string& path, const std::string& body = "") {
    return ask(method, path, body, "Idempotency-Key: " + key + "\r\n");
  }
  std::string open(const std::string& step) {
    auto made = ask("POST", "/workflows/ext/executions/r1/wait",
                    R"({"step_id": ")" + step + R"(", "wait_type": "fixed_time",
                        "config": {"duration": 30, "unit": "minutes"}})");
    EXPECT_EQ(made.status, 201) << made.text;
    return std::string(made.body.get("id").as_string());
  }
  static std::string at(const std::string& step) { return "/workflows/executions/r1/wait/" + step; }
  TestWorld world;
};

// W-10: every POST that acts gives its first answer again, and knows another request.
TEST_F(WaitRepeats, request_under_its_key_is_carried_out_once_and_answered_the_same) {
  std::string by_id = open("a"), cancelled = open("b");
  open("c");
  open("d");
  ask("PUT", "/contacts/c-2", "{}");
  ask("PUT", "/workflows/ext/executions/r2", "{}");
  const std::vector<std::pair<std::string, std::string>> requests = {
      {"/waits/" + by_id + "/resume", R"({"reason": "called"})"},
      {"/waits/" + cancelled + "/cancel", R"({"reason": "changed"})"},
      {at("c") + "/resume", R"({"output": {"a": 1}})"},
      {at("d") + "/skip", ""},
      {"/contacts/c-2/opt-out", R"({"reason": "STOP"})"},
      {"/contacts/c-2/opt-in", "{}"},
      {"/executions/r2/complete", R"({"output": 7})"},
      {"/workflows/ext/deactivate", R"({"on_waits": "hold"})"},
      {"/workflows/ext/activate", ""}};
  int number = 0;
  for (const auto& [path, body] : requests) {
    std::string key = "k-" + std::to_string(++number);
    auto first = under(key, "POST", path, body);
    ASSERT_EQ(first.status, 200) << path << first.text;
    EXPECT_FALSE(first.headers.contains("idempotent-replay"));
    auto again = under(key, "POST", path, body);
    EXPECT_EQ(again.status, 200) << path << again.text;
    EXPECT_EQ(again.text, first.text) << path;
    EXPECT_EQ(again.headers["idempotent-replay"], "true") << path;
    auto other = under(key, "POST", path, R"({"reason": "another"})");
    EXPECT_EQ(other.status, 409) << path << other.text;
    EXPECT_EQ(other.code(), "idempotency_key_reused") << path;
  }
  // Without a key it is asked anew.
  EXPECT_EQ(ask("POST", "/waits/" + by_id + "/resume", "{}").code(), "wait_ended");
}

// W-10: what was refused may be tried again under its key.
TEST_F(WaitRepeats, refusal_is_not_kept) {
  EXPECT_EQ(under("k", "POST", at("later") + "/resume").code(), "wait_not_found");
  open("later");
  EXPECT_EQ(under("k", "POST", at("later") + "/resume").status, 200);
}

// W-23: the events of a batch are known by its key and their place.
TEST_F(WaitRepeats, batch_under_its_key_knows_its_events) {
  const std::string batch =
      R"({"events": [{"event_type": "page_visit", "data": {"page_id": "a"}},
                     {"event_type": "page_visit", "data": {"page_id": "b"}}]})";
  auto first = under("k", "POST", "/events", batch);
  auto again = under("k", "POST", "/events", batch);
  EXPECT_EQ(again.text, first.text);
  auto other = under("k", "POST", "/events",
                     R"({"events": [{"event_type": "page_visit", "data": {"page_id": "a"}},
                                    {"event_type": "page_visit", "data": {"page_id": "c"}}]})");
  Value results = other.body.get("results");
  EXPECT_EQ(results.items()[0].get("status"), Value("accepted")) << other.text;
  EXPECT_EQ(results.items()[1].get("problem").get("code"), Value("idempotency_key_reused"));
}

// W-11, W-71: a run of another workflow is not there, also where workflows are made on the way.
TEST_F(WaitRepeats, execution_of_another_workflow_is_not_registered_into) {
  auto answer = ask("POST", "/workflows/fresh/executions/r1/wait",
                    R"({"register": true, "step_id": "s", "wait_type": "fixed_time",
                        "config": {"duration": 1, "unit": "hours"}})");
  EXPECT_EQ(answer.status, 404) << answer.text;
  EXPECT_EQ(answer.code(), "execution_not_found");
  EXPECT_EQ(ask("GET", "/workflows/fresh").status, 404);
  EXPECT_EQ(ask("GET", "/waits").body.get("total"), Value(0));
}

// W-11, W-71: what is refused registers nothing.
TEST_F(WaitRepeats, refused_wait_registers_neither_workflow_nor_execution) {
  ask("PUT", "/contacts/gone", R"({"fields": {"renewal": "soon"}})");
  ask("PUT", "/contacts/out", "{}");
  ask("POST", "/contacts/out/opt-out", "{}");
  auto refused = [&](const std::string& contact, const std::string& config) {
    auto answer = ask("POST", "/workflows/fresh/executions/new/wait",
                      R"({"register": true, "step_id": "s", "wait_type": "until_date",
                          "contact_id": ")" +
                          contact + R"(", "config": )" + config + "}");
    EXPECT_EQ(ask("GET", "/workflows/fresh").status, 404) << answer.text;
    EXPECT_EQ(ask("GET", "/executions/new").status, 404) << answer.text;
    return std::to_string(answer.status) + " " + answer.code();
  };
  EXPECT_EQ(refused("gone", R"({"contact_field": "renewal"})"), "422 contact_field_invalid");
  EXPECT_EQ(refused("new", R"({"contact_field": "renewal"})"), "422 contact_field_invalid");
  EXPECT_EQ(refused("gone", R"({"target_date": "2020-01-01", "past_action": "fail"})"),
            "422 date_in_past");
  EXPECT_EQ(refused("out", R"({"target_date": "2026-02-01"})"), "409 contact_opted_out");
  EXPECT_EQ(refused("gone", R"({"target_date": "2027-02-01"})"), "422 date_too_far");
}

constexpr const char* fan_out =
    R"({"nodes": [{"id": "S", "type": "manual", "trigger": true},
         {"id": "each", "type": "split", "parameters": {"input_array": "$input.items"}},
         {"id": "w", "type": "wait", "parameters": {"wait_type": "fixed_time", "duration": 3,
           "unit": "days"}},
         {"id": "left", "type": "noop"}, {"id": "right", "type": "noop"}],
        "edges": [{"id": "1", "src": "S", "dst": "each"}, {"id": "2", "src": "each", "dst": "w"},
          {"id": "3", "src": "w", "dst": "left"}, {"id": "4", "src": "w", "dst": "right"}]})";

class WaitsTogether : public WaitRepeats {
 protected:
  WaitsTogether() {
    auto put = ask("PUT", "/workflows/fan", fan_out);
    EXPECT_EQ(put.status, 201) << put.text;
    auto run = ask("POST", "/workflows/fan/executions", R"({"input": {"items": [1, 2, 3]}})");
    wait = "/workflows/executions/" + std::string(run.body.get("id").as_string()) + "/wait/w";
  }
  Value total(const std::string& status) {
    return ask("GET", "/waits?step_id=w&status=" + status).body.get("total");
  }
  std::string wait;
};

// W-3: a write with `all` means each.
TEST_F(WaitsTogether, all_of_a_step_are_changed_and_resumed_at_once) {
  EXPECT_EQ(total("pending"), Value(3));
  EXPECT_EQ(ask("POST", wait + "/resume", "{}").code(), "ambiguous_wait");
  EXPECT_EQ(ask("PATCH", wait, R"({"config": {"duration": 1, "unit": "days"}})").code(),
            "ambiguous_wait");
  auto changed =
      ask("PATCH", wait, R"({"config": {"duration": 1, "unit": "days"}, "occurrence": "all"})");
  EXPECT_EQ(changed.body, Value::object({{"success", true}, {"changed", 3}})) << changed.text;
  auto fixed = ask("PATCH", wait, R"({"wait_type": "until_date", "occurrence": "all"})");
  EXPECT_EQ(fixed.code(), "type_fixed");
  auto nowhere = ask("POST", wait + "/resume", R"({"occurrence": "all", "branch": "nowhere"})");
  EXPECT_EQ(nowhere.code(), "unknown_step") << nowhere.text;
  EXPECT_EQ(total("pending"), Value(3)) << "nothing has moved";
  EXPECT_EQ(ask("POST", wait + "/resume", R"({"occurrence": "each"})").status, 422);
  auto resumed = ask("POST", wait + "/resume", R"({"occurrence": "all", "branch": "left"})");
  EXPECT_EQ(resumed.body, Value::object({{"success", true}, {"resumed", 3}})) << resumed.text;
  EXPECT_EQ(total("resumed"), Value(3));
  auto none = ask("DELETE", wait + "?occurrence=all");
  EXPECT_EQ(none.body, Value::object({{"success", true}, {"cancelled", 0}})) << none.text;
}

// W-18: a dry run tells who has no such branch; a branch that nobody has is a mistake.
TEST_F(WaitsTogether, bulk_resume_knows_which_waits_have_the_branch) {
  auto bulk = [&](const std::string& rest) {
    return ask("POST", "/waits/bulk", R"({"action": "resume", "dry_run": true, )" + rest + "}");
  };
  auto nobody = bulk(R"("filter": {"step_id": "w"}, "branch": "nowhere")");
  EXPECT_EQ(nobody.status, 422) << nobody.text;
  EXPECT_EQ(nobody.code(), "unknown_step");
  EXPECT_EQ(bulk(R"("filter": {"step_id": "w"}, "branch": "right")").body.get("refused"),
            Value::object());
  EXPECT_EQ(bulk(R"("filter": {"step_id": "w"}, "branch": "4")").status, 200) << "an edge";
  open("b");
  auto some = bulk(R"("all": true, "branch": "elsewhere")");
  EXPECT_EQ(some.status, 200) << some.text;
  EXPECT_EQ(some.body.get("count"), Value(4));
  EXPECT_EQ(some.body.get("refused"), Value::object({{"unknown_step", 3}})) << some.text;
}

// S-33, W-10: nothing of another account is there, whatever is asked of it.
TEST_F(WaitRepeats, nothing_of_another_account_can_be_reached) {
  std::string id = open("a");
  ask("POST", "/events", R"({"event_id": "ev-1", "event_type": "page_visit"})");
  ask("PUT", "/contacts/c-1", R"({"phone": "+1 212 555 0100"})");
  std::string rival = "Authorization: Bearer " + world.add_key(Role::admin, "rival") + "\r\n";
  std::string before = ask("GET", "/waits").text + ask("GET", "/contacts").text +
                       ask("GET", "/workflows/ext").text + ask("GET", "/executions/r1").text;
  const char* wait = R"({"step_id": "s", "wait_type": "fixed_time",
                         "config": {"duration": 1, "unit": "hours"}})";
  const std::vector<std::vector<std::string>> requests = {
      {"POST", "/workflows/ext/executions/r1/wait", wait},
      {"GET", at("a")},
      {"DELETE", at("a")},
      {"PATCH", at("a"), R"({"from": "now"})"},
      {"POST", at("a") + "/resume"},
      {"POST", at("a") + "/skip"},
      {"GET", "/waits/" + id},
      {"POST", "/waits/" + id + "/resume"},
      {"POST", "/waits/" + id + "/skip"},
      {"POST", "/waits/" + id + "/cancel"},
      {"GET", "/events/ev-1"},
      {"GET", "/contacts/c-1"},
      {"POST", "/contacts/c-1/opt-out"},
      {"POST", "/contacts/c-1/opt-in"},
      {"DELETE", "/contacts/c-1"},
      {"DELETE", "/workflows/ext/contacts/c-17"},
      {"GET", "/workflows/ext/goals"},
      {"PUT", "/workflows/ext/goals", R"({"goals": []})"},
      {"GET", "/workflows/ext/triggers"},
      {"PUT", "/workflows/ext/triggers", "[]"},
      {"POST", "/workflows/ext/deactivate"},
      {"POST", "/workflows/ext/activate"},
      {"POST", "/executions/r1/complete"},
      {"GET", "/executions/r1"}};
  for (const auto& request : requests) {
    auto answer = ask(request[0], request[1], request.size() > 2 ? request[2] : "", rival);
    EXPECT_EQ(answer.status, 404) << request[0] << request[1] << answer.text;
  }
  for (const char* list : {"/waits", "/events", "/contacts", "/callbacks", "/waits/listeners",
                           "/admin/workflows/waits/pending", "/admin/workflows/waits/overdue"})
    EXPECT_EQ(ask("GET", list, "", rival).body.get("items"), Value::array()) << list;
  auto dry = ask("POST", "/waits/bulk",
                 R"({"action": "cancel", "dry_run": true, "ids": [")" + id + R"("]})", rival);
  EXPECT_EQ(dry.body.get("count"), Value(0)) << dry.text;
  EXPECT_EQ(dry.body.get("refused"), Value::object({{"wait_not_found", 1}})) << dry.text;
  EXPECT_EQ(ask("GET", "/waits").text + ask("GET", "/contacts").text +
                ask("GET", "/workflows/ext").text + ask("GET", "/executions/r1").text,
            before);
}

}  // namespace
}  // namespace fermata::server
