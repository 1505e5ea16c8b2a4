#include <gtest/gtest.h>

#include "server/test_world.h"

namespace fermata::server {
namespace {

// F-58
TEST(Schedules, preview_shows_when_a_rule_fires_and_stores_nothing) {
  TestWorld world;
  auto shown = world.ask("POST", "/api/v1/schedules/preview",
                         R"({"cron": "30 2 * * *", "from": "2026-03-28T12:00:00Z", "n": 2})");
  EXPECT_EQ(shown.status, 200) << shown.text;
  EXPECT_EQ(shown.body.get("timezone"), Value("UTC"));
  ASSERT_EQ(shown.body.get("next").size(), 2u);
  EXPECT_EQ(shown.body.get("next").items()[1].get("at"), Value("2026-03-30T02:30:00.000Z"));
}

// F-59, A-2
TEST(Schedules, preview_refuses_mistakes_with_their_place) {
  TestWorld world;
  auto refused = [&](std::string_view body) {
    auto answer = world.ask("POST", "/api/v1/schedules/preview", body);
    std::string told = std::to_string(answer.status) + " " + answer.code();
    for (const Value& error : answer.body.get("errors").items())
      told += " " + std::string(error.get("path").as_string());
    return told;
  };
  EXPECT_EQ(refused(R"({"cron": "0 0 30 2 *"})"), "422 schedule_never_fires /cron");
  EXPECT_EQ(refused(R"({"cron": "61 * * * *"})"), "422 invalid_field /cron");
  EXPECT_EQ(refused(R"({"cron": "@daily", "timezone": "Mars/Olympus"})"),
            "422 unknown_timezone /timezone");
}

std::string path(const std::string& id, const std::string& more = "") {
  return "/api/v1/schedules/" + id + more;
}

std::string text(const Value& object, std::string_view field) {
  const Value& found = object.get(field);
  return found.is_string() ? std::string(found.as_string()) : std::string();
}

/// `status code path…`
std::string told(const TestWorld::Answer& answer) {
  std::string all = std::to_string(answer.status) + " " + answer.code();
  const Value& errors = answer.body.get("errors");
  if (!errors.is_array()) return all;
  for (const Value& error : errors.items()) all += " " + std::string(error.get("path").as_string());
  return all;
}

/// The clock of the world begins at 2026-01-26T00:00:00Z.
constexpr const char* hourly =
    R"({"id": "hourly", "workflow_id": "instant", "cron": "0 * * * *", "input": {"n": 4},
        "labels": {"team": "blue"}})";

// F-58
TEST(Schedules, are_made_shown_listed_and_removed) {
  TestWorld world;
  world.put_workflows();
  auto made = world.ask("POST", "/api/v1/schedules", hourly);
  ASSERT_EQ(made.status, 201) << made.text;
  EXPECT_EQ(made.headers["location"], path("hourly"));
  EXPECT_EQ(made.headers["etag"], "\"1\"");
  EXPECT_EQ(made.body.get("next"), Value("2026-01-26T01:00:00.000Z"));
  EXPECT_EQ(made.body.get("overlap"), Value("skip"));
  EXPECT_EQ(made.body.get("catch_up_ms"), Value(86'400'000));
  // The same again is answered; another under its id is not.
  EXPECT_EQ(world.ask("POST", "/api/v1/schedules", hourly).status, 201);
  EXPECT_EQ(told(world.ask("POST", "/api/v1/schedules",
                           R"({"id": "hourly", "workflow_id": "instant", "cron": "@daily"})")),
            "409 schedule_exists");
  auto shown = world.ask("GET", path("hourly"));
  EXPECT_EQ(shown.body, made.body);
  auto page = world.ask("GET", "/api/v1/schedules?workflow_id=instant&status=active");
  ASSERT_EQ(page.body.get("items").size(), 1u) << page.text;
  EXPECT_EQ(page.body.get("items").items()[0].get("id"), Value("hourly"));
  EXPECT_EQ(world.ask("GET", "/api/v1/schedules?workflow_id=other").body.get("items").size(), 0u);
  EXPECT_EQ(told(world.ask("GET", "/api/v1/schedules?status=soon")).substr(0, 17),
            "422 invalid_query");
  EXPECT_EQ(world.ask("DELETE", path("hourly")).status, 204);
  EXPECT_EQ(told(world.ask("GET", path("hourly"))), "404 schedule_not_found");
  EXPECT_EQ(told(world.ask("DELETE", path("hourly"))), "404 schedule_not_found");
  EXPECT_EQ(world.ask("GET", "/api/v1/schedules").body.get("items").size(), 0u);
  // Its id is free again.
  EXPECT_EQ(world.ask("POST", "/api/v1/schedules", hourly).status, 201);
}

// F-58, F-59, A-2
TEST(Schedules, bad_requests_are_refused_with_their_place) {
  TestWorld world;
  world.put_workflows();
  auto refused = [&](std::string_view body) {
    return told(world.ask("POST", "/api/v1/schedules", body));
  };
  EXPECT_EQ(refused(R"({"cron": "@daily"})"), "422 invalid_field /workflow_id");
  EXPECT_EQ(refused(R"({"workflow_id": "instant"})"), "422 invalid_field /cron");
  EXPECT_EQ(refused(R"({"workflow_id": "instant", "cron": "@daily", "every_ms": 5000})"),
            "422 invalid_field /every_ms");
  EXPECT_EQ(refused(R"({"workflow_id": "instant", "every_ms": 10})"),
            "422 invalid_field /every_ms");
  EXPECT_EQ(refused(R"({"workflow_id": "instant", "cron": "0 0 30 2 *"})"),
            "422 schedule_never_fires /cron");
  EXPECT_EQ(refused(R"({"workflow_id": "instant", "cron": "@daily", "timezone": "Mars/Base"})"),
            "422 unknown_timezone /timezone");
  EXPECT_EQ(refused(R"({"workflow_id": "instant", "cron": "@daily", "overlap": "both",
                        "catch_up": 1, "labels": {"a": 1}, "colour": "red", "id": "a:b"})"),
            "422 invalid_field /id /labels/a /overlap /catch_up /colour");
  EXPECT_EQ(refused(R"({"workflow_id": "nobody", "cron": "@daily"})"), "404 workflow_not_found");
  EXPECT_EQ(refused(R"({"workflow_id": "instant", "cron": "@daily", "version": 9})"),
            "404 version_not_found");
  EXPECT_EQ(refused("[1]"), "422 invalid_field ");
  for (const char* action : {"pause", "resume", "trigger"})
    EXPECT_EQ(told(world.ask("POST", path("nobody", "/" + std::string(action)))),
              "404 schedule_not_found");
  EXPECT_EQ(told(world.ask("POST", path("nobody", "/backfill"), "{}")),
            "422 invalid_field /from /to");
  EXPECT_EQ(told(world.ask("GET", path("nobody", "/preview"))), "404 schedule_not_found");
  EXPECT_EQ(told(world.ask("GET", path("nobody", "/occurrences"))), "404 schedule_not_found");
  EXPECT_EQ(told(world.ask("PUT", path("a:b"), hourly)), "422 invalid_id");
}

// F-61, F-62
TEST(Schedules, start_their_executions_and_know_what_became_of_each) {
  TestWorld world;
  world.put_workflows();
  ASSERT_EQ(world.ask("POST", "/api/v1/schedules", hourly).status, 201);
  world.advance(Duration{2 * 3'600'000});
  auto runs = world.ask("GET", "/api/v1/executions?workflow_id=instant&label=team:blue");
  ASSERT_EQ(runs.body.get("items").size(), 2u) << runs.text;
  auto shown = world.ask("GET", path("hourly"));
  EXPECT_EQ(shown.body.get("runs_started"), Value(2));
  EXPECT_EQ(shown.body.get("live_total"), Value(0));
  auto run = world.ask("GET", "/api/v1/executions/" + text(shown.body, "last_execution_id"));
  EXPECT_EQ(run.body.get("status"), Value("completed")) << run.text;
  EXPECT_EQ(run.body.get("trigger"), Value("schedule"));
  EXPECT_EQ(run.body.get("schedule").get("scheduled_at"), Value("2026-01-26T02:00:00.000Z"));
  EXPECT_EQ(run.body.get("output").get("doubled"), Value(8));
  auto page = world.ask("GET", path("hourly", "/occurrences?limit=1"));
  ASSERT_EQ(page.body.get("items").size(), 1u) << page.text;
  const Value& newest = page.body.get("items").items()[0];
  EXPECT_EQ(newest.get("scheduled_at"), Value("2026-01-26T02:00:00.000Z"));
  EXPECT_EQ(newest.get("outcome"), Value("started"));
  EXPECT_EQ(newest.get("status"), Value("completed"));
  auto rest =
      world.ask("GET", path("hourly", "/occurrences?cursor=" + text(page.body, "next_cursor")));
  ASSERT_EQ(rest.body.get("items").size(), 1u) << rest.text;
  EXPECT_EQ(rest.body.get("items").items()[0].get("scheduled_at"),
            Value("2026-01-26T01:00:00.000Z"));
  auto history = world.ask("GET", path("hourly", "/history"));
  EXPECT_EQ(text(history.body.get("items").items()[0], "type"), "ScheduledRunEnded");
  auto audit = world.ask("GET", "/api/v1/audit?action=schedule.");
  ASSERT_EQ(audit.body.get("items").size(), 1u) << audit.text;
}

// F-58, F-62
TEST(Schedules, pause_resume_and_trigger) {
  TestWorld world;
  world.put_workflows();
  ASSERT_EQ(world.ask("POST", "/api/v1/schedules", hourly).status, 201);
  auto paused = world.ask("POST", path("hourly", "/pause"));
  EXPECT_EQ(paused.body.get("status"), Value("paused")) << paused.text;
  world.advance(Duration{2 * 3'600'000});
  EXPECT_EQ(world.ask("GET", path("hourly")).body.get("runs_started"), Value(0));
  auto first = world.ask("POST", path("hourly", "/trigger"), "", "Idempotency-Key: k1\r\n");
  ASSERT_EQ(first.status, 201) << first.text;
  std::string id = text(first.body, "execution_id");
  EXPECT_TRUE(world.wait_for(id, "completed"));
  // Its run is over and the key is still known.
  auto again = world.ask("POST", path("hourly", "/trigger"), "", "Idempotency-Key: k1\r\n");
  EXPECT_EQ(again.status, 201);
  EXPECT_EQ(again.body, first.body);
  EXPECT_NE(text(world.ask("POST", path("hourly", "/trigger")).body, "execution_id"), id);
  auto resumed = world.ask("POST", path("hourly", "/resume"));
  EXPECT_EQ(resumed.body.get("next"), Value("2026-01-26T03:00:00.000Z")) << resumed.text;
}

// F-58
TEST(Schedules, are_replaced_and_changed_under_their_revision) {
  TestWorld world;
  world.put_workflows();
  EXPECT_EQ(told(world.ask("PUT", path("a"), hourly)), "422 invalid_field /id");
  const char* daily = R"({"workflow_id": "instant", "cron": "@daily"})";
  EXPECT_EQ(told(world.ask("PUT", path("a"), daily, "If-Match: \"1\"\r\n")),
            "412 version_conflict");
  EXPECT_EQ(world.ask("PUT", path("a"), daily, "If-None-Match: *\r\n").status, 201);
  EXPECT_EQ(told(world.ask("PUT", path("a"), daily, "If-None-Match: *\r\n")),
            "412 version_conflict");
  auto replaced = world.ask("PUT", path("a"), R"({"workflow_id": "instant", "every_ms": 60000})",
                            "If-Match: \"1\"\r\n");
  EXPECT_EQ(replaced.status, 200) << replaced.text;
  EXPECT_EQ(replaced.headers["etag"], "\"2\"");
  EXPECT_EQ(replaced.body.get("next"), Value("2026-01-26T00:01:00.000Z"));
  EXPECT_TRUE(replaced.body.get("cron").is_null());
  auto changed = world.ask("PATCH", path("a"),
                           R"({"cron": "0 6 * * *", "jitter_ms": 60000, "max_runs": 3,
                               "paused": true})");
  EXPECT_EQ(changed.status, 200) << changed.text;
  EXPECT_TRUE(changed.body.get("every_ms").is_null());
  EXPECT_EQ(changed.body.get("max_runs"), Value(3));
  EXPECT_EQ(changed.body.get("status"), Value("paused"));
  changed = world.ask("PATCH", path("a"), R"({"max_runs": null, "paused": false})",
                      "If-Match: \"3\"\r\n");
  EXPECT_EQ(changed.status, 200) << changed.text;
  EXPECT_TRUE(changed.body.get("max_runs").is_null());
  EXPECT_EQ(changed.body.get("jitter_ms"), Value(60000));
  EXPECT_EQ(changed.body.get("next"), Value("2026-01-26T06:00:00.000Z"));
  EXPECT_EQ(told(world.ask("PATCH", path("a"), R"({"cron": "soon"})")), "422 invalid_field /cron");
  EXPECT_EQ(told(world.ask("PATCH", path("a"), "{}", "If-Match: \"2\"\r\n")),
            "412 version_conflict");
  auto preview = world.ask("GET", path("a", "/preview?n=2"));
  ASSERT_EQ(preview.body.get("next").size(), 2u) << preview.text;
  const Value& first = preview.body.get("next").items()[0];
  EXPECT_EQ(first.get("at"), Value("2026-01-26T06:00:00.000Z"));
  EXPECT_GE(text(first, "start_at"), text(first, "at"));
  EXPECT_EQ(told(world.ask("GET", path("a", "/preview?n=0"))).substr(0, 17), "422 invalid_query");
}

// F-58
TEST(Schedules, backfill_counts_first_and_starts_one_after_the_other) {
  TestWorld world;
  world.put_workflows();
  ASSERT_EQ(world.ask("POST", "/api/v1/schedules", hourly).status, 201);
  const char* asked = R"({"from": "2026-01-25T01:00:00Z", "to": "2026-01-25T03:30:00Z"})";
  auto counted = world.ask("POST", path("hourly", "/backfill"),
                           R"({"from": "2026-01-25T01:00:00Z", "to": "2026-01-25T03:30:00Z",
                               "dry_run": true})");
  EXPECT_EQ(counted.body.get("count"), Value(3)) << counted.text;
  EXPECT_EQ(world.ask("GET", "/api/v1/executions").body.get("items").size(), 0u);
  auto started = world.ask("POST", path("hourly", "/backfill"), asked);
  EXPECT_EQ(started.status, 200) << started.text;
  EXPECT_EQ(started.body.get("count"), Value(3));
  world.advance(Duration{1'000});
  EXPECT_EQ(world.ask("GET", "/api/v1/executions").body.get("items").size(), 3u);
  EXPECT_EQ(told(world.ask("POST", path("hourly", "/backfill"),
                           R"({"from": "2025-01-25T01:00:00Z", "to": "2026-01-25T03:30:00Z"})")),
            "422 invalid_field");
  EXPECT_EQ(told(world.ask("POST", path("hourly", "/backfill"),
                           R"({"from": "2026-01-27T01:00:00Z", "to": "2026-01-27T03:30:00Z"})")),
            "422 invalid_field");
}

// A-4
TEST(Schedules, idempotency_key_makes_one_schedule) {
  TestWorld world;
  world.put_workflows();
  const char* body = R"({"workflow_id": "instant", "cron": "@daily"})";
  auto first = world.ask("POST", "/api/v1/schedules", body, "Idempotency-Key: k\r\n");
  auto second = world.ask("POST", "/api/v1/schedules", body, "Idempotency-Key: k\r\n");
  EXPECT_EQ(first.status, 201);
  EXPECT_EQ(second.status, 201);
  EXPECT_EQ(first.body, second.body);
  EXPECT_EQ(
      told(world.ask("POST", "/api/v1/schedules",
                     R"({"workflow_id": "instant", "cron": "@hourly"})", "Idempotency-Key: k\r\n")),
      "409 idempotency_key_reused");
}

// A-10, A-11
TEST(Schedules, belong_to_their_account_and_ask_for_a_role) {
  TestWorld world([](ApiOptions& options) { options.access.mode = AccessMode::keys; });
  auto with = [&](Role role, const std::string& account = "default") {
    return "Authorization: Bearer " + world.add_key(role, account) + "\r\n";
  };
  std::string editor = with(Role::editor), viewer = with(Role::viewer);
  std::string operates = with(Role::operator_), other = with(Role::editor, "other");
  ASSERT_EQ(world.ask("PUT", "/api/v1/workflows/instant", instant_workflow, editor).status, 201);
  EXPECT_EQ(world.ask("POST", "/api/v1/schedules", hourly, operates).status, 403);
  ASSERT_EQ(world.ask("POST", "/api/v1/schedules", hourly, editor).status, 201);
  EXPECT_EQ(world.ask("GET", path("hourly"), "", viewer).status, 200);
  EXPECT_EQ(world.ask("POST", path("hourly", "/pause"), "", viewer).status, 403);
  EXPECT_EQ(world.ask("POST", path("hourly", "/pause"), "", operates).status, 200);
  EXPECT_EQ(world.ask("DELETE", path("hourly"), "", operates).status, 403);
  EXPECT_EQ(world.ask("GET", path("hourly"), "", other).status, 404);
  EXPECT_EQ(world.ask("POST", path("hourly", "/trigger"), "", other).status, 404);
  EXPECT_EQ(world.ask("GET", "/api/v1/schedules", "", other).body.get("items").size(), 0u);
}

std::string triggered_graph(const std::string& parameters) {
  return R"({"nodes": [{"id": "S", "type": "schedule", "trigger": true, "parameters": )" +
         parameters + R"(}, {"id": "N", "type": "noop"}],
                   "edges": [{"id": "e", "src": "S", "dst": "N"}],
                   "result": "{{ $trigger.scheduled_at }}"})";
}

// G-32
TEST(Schedules, of_a_trigger_follow_its_workflow) {
  TestWorld world;
  std::string id = path("w:trigger");
  auto put = [&](const std::string& parameters) {
    auto answer = world.ask("PUT", "/api/v1/workflows/w", triggered_graph(parameters));
    EXPECT_LT(answer.status, 300) << answer.text;
  };
  put(R"({"cron": "30 2 * * *", "jitter_ms": 0, "input": {"from": "clock"}})");
  auto made = world.ask("GET", id);
  ASSERT_EQ(made.status, 200) << made.text;
  EXPECT_EQ(made.body.get("trigger_node"), Value("S"));
  EXPECT_EQ(made.body.get("next"), Value("2026-01-26T02:30:00.000Z"));
  world.advance(Duration{3 * 3'600'000});
  auto run = world.ask(
      "GET", "/api/v1/executions/" + text(world.ask("GET", id).body, "last_execution_id"));
  EXPECT_EQ(run.body.get("output"), Value("2026-01-26T02:30:00.000Z")) << run.text;
  EXPECT_EQ(run.body.get("input").get("from"), Value("clock"));
  // Intervals count from when they came to be.
  put(R"({"amount": 2, "unit": "hours"})");
  EXPECT_EQ(world.ask("GET", id).body.get("next"), Value("2026-01-26T05:00:00.000Z"));
  world.advance(Duration{3'600'000});
  put(R"({"amount": 2, "unit": "hours", "jitter_ms": 1000})");
  EXPECT_EQ(world.ask("GET", id).body.get("next"), Value("2026-01-26T05:00:00.000Z"));
  EXPECT_EQ(world.ask("POST", "/api/v1/workflows/w/deactivate").status, 200);
  EXPECT_EQ(world.ask("GET", id).body.get("status"), Value("paused"));
  world.advance(Duration{3'600'000});
  EXPECT_EQ(world.ask("POST", "/api/v1/workflows/w/activate").status, 200);
  EXPECT_EQ(world.ask("GET", id).body.get("next"), Value("2026-01-26T07:00:00.000Z"));
  EXPECT_EQ(world.ask("POST", "/api/v1/workflows/w/rollback", R"({"version": 1})").status, 200);
  EXPECT_EQ(world.ask("GET", id).body.get("next"), Value("2026-01-27T02:30:00.000Z"));
  // A definition with another trigger has no schedule, nor has a workflow that is gone.
  EXPECT_EQ(world.ask("PUT", "/api/v1/workflows/w", instant_workflow).status, 200);
  EXPECT_EQ(world.ask("GET", id).status, 404);
  put(R"({"amount": 2, "unit": "hours"})");
  EXPECT_EQ(world.ask("GET", id).status, 200);
  EXPECT_EQ(world.ask("DELETE", "/api/v1/workflows/w").status, 204);
  EXPECT_EQ(world.ask("GET", id).status, 404);
}

// G-32
TEST(Schedules, of_a_trigger_have_bounds) {
  TestWorld world;
  auto refused = [&](const std::string& parameters) {
    return told(world.ask("PUT", "/api/v1/workflows/w", triggered_graph(parameters)));
  };
  EXPECT_EQ(refused(R"({"amount": 0.5, "unit": "seconds"})"),
            "422 invalid_definition /nodes/0/parameters/amount");
  EXPECT_EQ(refused(R"({"amount": 60, "unit": "weeks"})"),
            "422 invalid_definition /nodes/0/parameters/amount");
  EXPECT_EQ(refused(R"({"cron": "@daily", "jitter_ms": 86400001})"),
            "422 invalid_definition /nodes/0/parameters/jitter_ms");
}

// F-55
TEST(Schedules, start_the_current_version_unless_one_is_pinned) {
  TestWorld world;
  world.put_workflows();
  ASSERT_EQ(world.ask("POST", "/api/v1/schedules", hourly).status, 201);
  ASSERT_EQ(world
                .ask("POST", "/api/v1/schedules",
                     R"({"id": "pinned", "workflow_id": "instant", "cron": "0 * * * *",
                          "version": 1, "input": {"n": 1}})")
                .status,
            201);
  ASSERT_EQ(world.ask("PUT", "/api/v1/workflows/instant", waiting_workflow).status, 200);
  world.advance(Duration{3'600'000});
  auto version = [&](const std::string& id) {
    std::string run = text(world.ask("GET", path(id)).body, "last_execution_id");
    return world.ask("GET", "/api/v1/executions/" + run).body.get("version");
  };
  EXPECT_EQ(version("hourly"), Value(2));
  EXPECT_EQ(version("pinned"), Value(1));
  // While the workflow is inactive no run is started, and that is written down.
  ASSERT_EQ(world.ask("POST", "/api/v1/workflows/instant/deactivate").status, 200);
  world.advance(Duration{3'600'000});
  auto page = world.ask("GET", path("pinned", "/occurrences"));
  EXPECT_EQ(page.body.get("items").items()[0].get("outcome"), Value("refused")) << page.text;
  EXPECT_EQ(page.body.get("items").items()[0].get("code"), Value("workflow_inactive"));
}

// W-45, W-48
TEST(Schedules, zones_in_definitions_are_those_of_the_zone_data_in_force) {
  TestWorld world;
  EXPECT_EQ(world.ask("GET", "/version").body.get("tzdata"), Value(utc_table()->version()));
  auto stored = [&](std::string zone) {
    return world.ask("PUT", "/api/v1/workflows/w",
                     R"({"nodes": [{"id": "S", "type": "manual", "trigger": true},
                         {"id": "W", "type": "wait", "parameters": {"wait_type": "until_time",
                          "target_time": "10:00", "timezone": ")" +
                         zone + R"("}}],
                         "edges": [{"id": "e", "src": "S", "dst": "W"}]})");
  };
  auto unknown = stored("Mars/Olympus");
  EXPECT_EQ(unknown.status, 422) << unknown.text;
  EXPECT_EQ(unknown.body.get("errors").items()[0].get("path"),
            Value("/nodes/1/parameters/timezone"));
  EXPECT_EQ(stored("Etc/UTC").status, 201);
}

}  // namespace
}  // namespace fermata::server
