#include <gtest/gtest.h>

#include "base/json.h"
#include "server/test_world.h"

/// Every field of every request about waits, contacts, events and their rules, given what it does
/// not take: the answer names the field, and nothing is stored.
namespace fermata::server {
namespace {

enum class Kind { text, number, boolean, object, array };

struct Field {
  std::string path;  ///< as the answer names it: /config/unit
  Kind kind;
};
struct Endpoint {
  std::string method;
  std::string target;
  std::string body;  ///< one that would be taken
  std::vector<Field> fields;
};

const std::string wait_path = "/workflows/n/executions/e/wait";
const std::string step_path = "/workflows/executions/e/wait/keep";
using Endpoints = std::vector<Endpoint>;
using enum Kind;

/// The four types of waits, each with its own fields.
Endpoints opening() {
  return {{"POST",
           wait_path,
           R"({"step_id":"w","wait_type":"fixed_time","config":{"duration":3,"unit":"days"}})",
           {{"/step_id", text},
            {"/wait_type", text},
            {"/config", object},
            {"/contact_id", text},
            {"/callback", object},
            {"/register", boolean},
            {"/metadata", object},
            {"/config/duration", number},
            {"/config/unit", text}}},
          {"POST",
           wait_path,
           R"({"step_id":"w","wait_type":"until_date","config":{"target_date":"2026-03-01"}})",
           {{"/config/target_date", text},
            {"/config/timezone", text},
            {"/config/offset", object},
            {"/config/target_time", text},
            {"/config/repeat", text},
            {"/config/past_action", text},
            {"/config/missing_action", text},
            {"/config/follow_field", boolean},
            {"/config/timezone_mode", text},
            {"/config/spread_seconds", number},
            {"/config/resume_window", object},
            {"/config/gap_policy", text}}},
          {"POST",
           wait_path,
           R"({"step_id":"w","wait_type":"until_date","callback":{"url":"https://crm.example/"},
               "config":{"anchor_date":"2026-02-01","offset":{"days":1},
               "resume_window":{"start":"09:00","end":"17:00"}}})",
           {{"/callback/url", text},
            {"/callback/credentials", object},
            {"/config/anchor_date", text},
            {"/config/offset/years", number},
            {"/config/offset/months", number},
            {"/config/offset/days", number},
            {"/config/offset/hours", number},
            {"/config/offset/minutes", number},
            {"/config/resume_window/start", text},
            {"/config/resume_window/end", text},
            {"/config/resume_window/days", array},
            {"/config/resume_window/business_days_only", boolean},
            {"/config/resume_window/timezone", text}}},
          {"POST",
           wait_path,
           R"({"step_id":"w","wait_type":"until_time","config":{"target_time":"09:00"}})",
           {{"/config/target_time", text},
            {"/config/days", array},
            {"/config/business_days_only", boolean},
            {"/config/holidays", array},
            {"/config/skip_today", boolean},
            {"/config/timezone_mode", text},
            {"/config/gap_policy", text},
            {"/config/spread_seconds", number},
            {"/config/timezone", text}}},
          {"POST",
           wait_path,
           R"({"step_id":"w","wait_type":"for_event","config":{"event_type":"email_open"}})",
           {{"/config/event_type", text},
            {"/config/timeout_hours", number},
            {"/config/timeout_action", text},
            {"/config/correlation_id", text},
            {"/config/criteria", object},
            {"/config/timeout", object},
            {"/config/related_at", text},
            {"/config/scope", text}}},
          {"POST",
           wait_path,
           R"({"step_id":"w","wait_type":"for_event","config":{"mode":"any","lookback":5,
               "timeout":{"duration":2,"unit":"days"},"events":[{"event_type":"email_open"}]}})",
           {{"/config/mode", text},
            {"/config/events", array},
            {"/config/lookback", number},
            {"/config/timeout/duration", number},
            {"/config/timeout/unit", text},
            {"/config/events/0", object},
            {"/config/events/0/event_type", text},
            {"/config/events/0/criteria", object},
            {"/config/events/0/correlation_id", text}}}};
}

Endpoints steering() {
  const std::vector<Field> act = {
      {"/occurrence", number}, {"/reason", text}, {"/branch", text}, {"/dry_run", boolean}};
  return {{"POST", step_path + "/resume", R"({"dry_run":true})", act},
          {"POST", step_path + "/skip", R"({"dry_run":true})", act},
          {"PATCH",
           step_path,
           R"({"config":{"duration":3,"unit":"days"},"from":"start"})",
           {{"/config", object},
            {"/from", text},
            {"/occurrence", number},
            {"/config/duration", number},
            {"/config/unit", text}}},
          {"POST",
           "/waits/bulk",
           R"({"action":"resume","filter":{"workflow_id":"n"},"dry_run":true})",
           {{"/action", text},
            {"/filter", object},
            {"/ids", array},
            {"/reason", text},
            {"/branch", text},
            {"/per_second", number},
            {"/dry_run", boolean},
            {"/token", text}}},
          {"POST",
           "/waits/preview",
           R"({"wait_type":"fixed_time","config":{"duration":3,"unit":"days"}})",
           {{"/wait_type", text},
            {"/config", object},
            {"/now", text},
            {"/contact_id", text},
            {"/contact_timezone", text},
            {"/account_timezone", text},
            {"/count", number}}}};
}

Endpoints people_and_events() {
  const std::vector<Field> contact = {{"/timezone", text},
                                      {"/phone", text},
                                      {"/email", text},
                                      {"/fields", object},
                                      {"/labels", object}};
  const std::vector<Field> out = {{"/workflow_id", text}, {"/reason", text}};
  return {{"POST",
           "/events",
           R"({"event_type":"email_open","contact_id":"c"})",
           {{"/event_id", text},
            {"/event_type", text},
            {"/contact_id", text},
            {"/phone", text},
            {"/email", text},
            {"/execution_id", text},
            {"/correlation_id", text},
            {"/timestamp", text},
            {"/account_id", text},
            {"/data", object}}},
          {"PUT", "/contacts/c", R"({"timezone":"UTC"})", contact},
          {"PATCH", "/contacts/c", R"({"timezone":"UTC"})", contact},
          {"POST", "/contacts/c/opt-out", R"({"workflow_id":"n"})", out},
          {"POST", "/contacts/c/opt-in", R"({"workflow_id":"n"})", out}};
}

Endpoints rules_and_settings() {
  return {
      {"PATCH",
       "/settings",
       R"({"gap_policy":"gap_end"})",
       {{"/timezone", text},
        {"/business_days", array},
        {"/holidays", array},
        {"/gap_policy", text},
        {"/limits/waits_per_execution", number},
        {"/limits/waits_per_account", number},
        {"/limits/listeners_per_minute", number},
        {"/signals/retention_hours", number},
        {"/signals/event_types", array},
        {"/signals/late_window_hours", number},
        {"/waits/default_timeout_hours", number},
        {"/waits/overdue_alert_s", number},
        {"/waits/resumes_off", boolean},
        {"/callbacks/url", text},
        {"/callbacks/timeout_ms", number},
        {"/callbacks/give_up_hours", number},
        {"/callbacks/allow_networks", array},
        {"/alerts/url", text},
        {"/audit/signals", text},
        {"/retention_days", number}}},
      {"PUT",
       "/workflows/n/goals",
       R"({"mode":"any","goals":[{"id":"g","event_type":"email_open"}]})",
       {{"/mode", text},
        {"/goals", array},
        {"/goals/0", object},
        {"/goals/0/id", text},
        {"/goals/0/event_type", text},
        {"/goals/0/criteria", object}}},
      {"POST",
       "/workflows/n/deactivate",
       R"({"on_waits":"keep"})",
       {{"/on_waits", text}, {"/reason", text}}},
      {"POST", "/workflows/n/activate", R"({"reason":"again"})", {{"/reason", text}}},
      {"PUT",
       "/workflows/n/executions/e2",
       R"({"metadata":{}})",
       {{"/contact_id", text}, {"/labels", object}, {"/callback", object}, {"/metadata", object}}}};
}

const Endpoints& endpoints() {
  static const Endpoints all = [] {
    Endpoints list = opening();
    for (const Endpoints& more : {steering(), people_and_events(), rules_and_settings()})
      list.insert(list.end(), more.begin(), more.end());
    return list;
  }();
  return all;
}

class WaitBadInput : public testing::Test {
 protected:
  WaitBadInput() {
    take("PUT", "/workflows/n", R"({"language":"external"})");
    take("PUT", "/workflows/n/executions/e", "{}");
    take("PUT", "/contacts/c", R"({"timezone":"UTC"})");
    take("POST", "/workflows/n/executions/e/wait",
         R"({"step_id":"keep","wait_type":"fixed_time","config":{"duration":3,"unit":"days"}})");
  }
  TestWorld::Answer ask(const std::string& method, const std::string& target,
                        const std::string& body) {
    return world.ask(method, "/api/v1" + target, body);
  }
  void take(const std::string& method, const std::string& target, const std::string& body) {
    auto answer = ask(method, target, body);
    ASSERT_LT(answer.status, 300) << target << answer.text;
  }
  /// Everything that these requests could have left behind.
  std::string stored() {
    std::string all;
    for (const char* target : {"/waits", "/contacts", "/events", "/executions", "/settings",
                               "/workflows/n/goals", "/workflows/n"})
      all += world.ask("GET", std::string("/api/v1") + target).text + "\n";
    return all;
  }
  /// The value with what stands at the path (objects and lists) replaced.
  static Value placed(const Value& whole, std::string_view path, const Value& value) {
    if (path.empty()) return value;
    size_t end = std::min(path.find('/', 1), path.size());
    std::string part(path.substr(1, end - 1));
    if (whole.is_array()) {
      std::vector<Value> items(whole.items().begin(), whole.items().end());
      size_t index = std::stoul(part);
      items.at(index) = placed(items.at(index), path.substr(end), value);
      return Value::array(items);
    }
    Value object = whole.is_object() ? whole : Value::object();
    object.set(part, placed(object.get(part), path.substr(end), value));
    return object;
  }
  static Value with(const Endpoint& endpoint, const std::string& path, const Value& value) {
    return placed(*parse_json(endpoint.body), path, value);
  }
  static bool names(const Value& problem, const std::string& path) {
    for (const Value& error : problem.get("errors").items())
      if (std::string(error.get("path").as_string()).starts_with(path)) return true;
    return false;
  }

  TestWorld world;
};

const std::pair<Kind, Value> values[] = {
    {Kind::text, Value("x\x07")},
    {Kind::number, Value(-1'000'000'000)},
    {Kind::boolean, Value(true)},
    {Kind::object, Value::object({{"a", Value::object({{"b", Value::array({1})}})}})},
    {Kind::array, Value::array({1, Value::object({{"x", 2}})})}};

// W-10: wrong types, control characters and numbers far out of range
TEST_F(WaitBadInput, field_that_is_given_something_else_is_named_and_nothing_is_stored) {
  const std::string before = stored();
  size_t asked = 0;
  for (const Endpoint& endpoint : endpoints())
    for (const Field& field : endpoint.fields)
      for (const auto& [kind, value] : values) {
        if (kind == field.kind && kind != Kind::text && kind != Kind::number) continue;
        auto answer =
            ask(endpoint.method, endpoint.target, to_json(with(endpoint, field.path, value)));
        std::string what = endpoint.method + " " + endpoint.target + " " + field.path + " = " +
                           to_json(value) + ": " + answer.text;
        EXPECT_EQ(answer.status, 422) << what;
        EXPECT_TRUE(names(answer.body, field.path)) << what;
        ++asked;
      }
  EXPECT_GT(asked, 350u);
  EXPECT_EQ(stored(), before);
}

// W-10: texts without end
TEST_F(WaitBadInput, text_without_end_is_refused) {
  const std::string before = stored();
  for (const Endpoint& endpoint : endpoints())
    for (const Field& field : endpoint.fields) {
      if (field.kind != Kind::text) continue;
      Value body = with(endpoint, field.path, std::string(70'000, 'y'));
      auto answer = ask(endpoint.method, endpoint.target, to_json(body));
      EXPECT_TRUE(answer.status == 422 || answer.status == 413)
          << endpoint.target << field.path << answer.status;
    }
  EXPECT_EQ(stored(), before);
}

// W-10: what is unknown, given twice or no JSON at all
TEST_F(WaitBadInput, unknown_repeated_and_unreadable_is_refused) {
  const std::string before = stored();
  for (const Endpoint& endpoint : endpoints()) {
    std::string whole = endpoint.body.substr(0, endpoint.body.size() - 1);
    auto unknown = ask(endpoint.method, endpoint.target, whole + R"(,"nope":1})");
    EXPECT_EQ(unknown.status, 422) << endpoint.target << unknown.text;
    EXPECT_TRUE(names(unknown.body, "/nope")) << endpoint.target << unknown.text;
    for (const std::string& text :
         {whole + R"(,"zz":1,"zz":2})", whole, std::string("\xff\xfe"), std::string(20'000, '[')})
      EXPECT_EQ(ask(endpoint.method, endpoint.target, text).status, 400) << endpoint.target << text;
    for (const char* text : {"[1]", R"("x")", "7"}) {
      int status = ask(endpoint.method, endpoint.target, text).status;
      EXPECT_TRUE(status == 400 || status == 422) << endpoint.target << text << status;
    }
  }
  EXPECT_EQ(stored(), before);
}

// W-17, W-19, W-21, W-24, W-25, W-33: questions
TEST_F(WaitBadInput, filter_that_means_nothing_is_refused_by_name) {
  const std::pair<const char*, std::vector<const char*>> lists[] = {
      {"/waits",
       {"status", "source", "overdue", "wait_type", "on_hold", "due_from", "due_to", "limit",
        "offset", "cursor", "nope"}},
      {"/admin/workflows/waits/pending",
       {"wait_type", "on_hold", "due_from", "due_to", "limit", "offset", "cursor", "nope"}},
      {"/admin/workflows/waits/overdue", {"older_than_s", "limit", "nope"}},
      {"/admin/workflows/waits/stats", {"nope"}},
      {"/admin/workflows/waits/calendar", {"from", "to", "bucket", "zone", "wait_type", "nope"}},
      {"/events", {"from", "to", "matched", "limit", "nope"}},
      {"/waits/listeners", {"limit", "nope"}},
      {"/contacts", {"limit", "nope"}},
      {"/callbacks", {"state", "limit", "nope"}}};
  for (const auto& [target, names] : lists)
    for (const char* name : names) {
      auto answer = ask("GET", std::string(target) + "?" + name + "=%07%21x", "");
      EXPECT_EQ(answer.status, 422) << target << " " << name << answer.text;
      EXPECT_NE(answer.text.find(name), std::string::npos) << target << answer.text;
    }
}

// W-18: the filter of a bulk action takes texts where texts belong
TEST_F(WaitBadInput, filter_of_a_bulk_action_has_types_too) {
  for (const char* filter : {R"({"workflow_id":true})", R"({"workflow_id":7})",
                             R"({"on_hold":"x"})", R"({"nope":"x"})", R"({"wait_type":false})"}) {
    auto answer = ask("POST", "/waits/bulk",
                      R"({"action":"resume","dry_run":true,"filter":)" + std::string(filter) + "}");
    EXPECT_EQ(answer.status, 422) << filter << answer.text;
    EXPECT_TRUE(names(answer.body, "/filter/")) << filter << answer.text;
  }
}

}  // namespace
}  // namespace fermata::server
