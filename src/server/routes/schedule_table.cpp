#include "server/routes/schedule_routes.h"
#include "server/routes/schemas.h"
#include "server/routes/table.h"

namespace fermata::server {
namespace {

using http::Method;

constexpr std::string_view schedule_request_schema =
    R"({"type":"object","required":["workflow_id"],"additionalProperties":false,"properties":{
      "id":{"type":"string"},"workflow_id":{"type":"string"},
      "version":{"type":["integer","null"],"minimum":1},"cron":{"type":["string","null"]},
      "every_ms":{"type":["integer","null"],"minimum":1000},"timezone":{"type":"string"},
      "gap_policy":{"enum":["gap_end","shift"]},"input":{},
      "labels":{"type":["object","null"],"additionalProperties":{"type":"string"}},
      "jitter_ms":{"type":"integer","minimum":0},
      "overlap":{"enum":["skip","queue","allow","cancel_previous"]},
      "catch_up":{"enum":["one","all","none"]},"catch_up_ms":{"type":"integer","minimum":0},
      "start_at":{"type":["string","null"],"format":"date-time"},
      "end_at":{"type":["string","null"],"format":"date-time"},
      "max_runs":{"type":["integer","null"],"minimum":1},"paused":{"type":"boolean"}}})";
constexpr std::string_view schedule_change_schema =
    R"({"type":"object","description":"Any of the fields of a schedule; null is the default."})";
constexpr std::string_view schedule_schema =
    R"({"type":"object","required":["id","workflow_id","status","next","revision"],"properties":{
      "id":{"type":"string"},"workflow_id":{"type":"string"},"status":{"type":"string"},
      "next":{"type":["string","null"]},"revision":{"type":"integer"}}})";
constexpr std::string_view triggered_schema =
    R"({"type":"object","required":["execution_id","schedule_id"],"properties":{
      "execution_id":{"type":"string"},"schedule_id":{"type":"string"}}})";
constexpr std::string_view backfill_schema =
    R"({"type":"object","required":["from","to"],"additionalProperties":false,"properties":{
      "from":{"type":"string","format":"date-time"},"to":{"type":"string","format":"date-time"},
      "dry_run":{"type":"boolean"}}})";
constexpr std::string_view backfilled_schema =
    R"({"type":"object","required":["count","dry_run"],"properties":{
      "count":{"type":"integer"},"dry_run":{"type":"boolean"}}})";

// clang-format off
const Route schedule_table[] = {
    {.method = Method::post, .path = "/api/v1/schedules", .access = Access::editor,
     .work = Work::blocking, .handler = routes::create_schedule,
     .summary = "Make a schedule that starts executions by a rule.", .body = Body::json,
     .success = 201, .request_schema = schedule_request_schema,
     .response_schema = schedule_schema},
    {.method = Method::get, .path = "/api/v1/schedules", .access = Access::viewer,
     .work = Work::blocking, .handler = routes::list_schedules,
     .summary = "List schedules, newest first.", .query = "workflow_id status limit cursor",
     .response_schema = page_schema},
    {.method = Method::post, .path = "/api/v1/schedules/preview", .access = Access::viewer,
     .work = Work::quick, .handler = routes::preview_schedule,
     .summary = "Show when a rule fires next; stores nothing.", .body = Body::json,
     .request_schema = preview_schema, .response_schema = previewed_schema},
    {.method = Method::get, .path = "/api/v1/schedules/{schedule_id}", .access = Access::viewer,
     .work = Work::blocking, .handler = routes::get_schedule,
     .summary = "A schedule and what it expects.", .response_schema = schedule_schema},
    {.method = Method::put, .path = "/api/v1/schedules/{schedule_id}", .access = Access::editor,
     .work = Work::blocking, .handler = routes::put_schedule,
     .summary = "Make a schedule or replace it.", .body = Body::json,
     .request_schema = schedule_request_schema, .response_schema = schedule_schema},
    {.method = Method::patch, .path = "/api/v1/schedules/{schedule_id}", .access = Access::editor,
     .work = Work::blocking, .handler = routes::patch_schedule,
     .summary = "Change what the body names of a schedule.", .body = Body::json,
     .request_schema = schedule_change_schema, .response_schema = schedule_schema},
    {.method = Method::delete_, .path = "/api/v1/schedules/{schedule_id}",
     .access = Access::editor, .work = Work::command, .handler = routes::delete_schedule,
     .summary = "Remove a schedule; its executions go on.", .success = 204},
    {.method = Method::post, .path = "/api/v1/schedules/{schedule_id}/pause",
     .access = Access::operator_, .work = Work::command, .handler = routes::pause_schedule,
     .summary = "Let no occurrence start an execution.", .response_schema = schedule_schema},
    {.method = Method::post, .path = "/api/v1/schedules/{schedule_id}/resume",
     .access = Access::operator_, .work = Work::command, .handler = routes::resume_schedule,
     .summary = "Let occurrences from now on start executions again.",
     .response_schema = schedule_schema},
    {.method = Method::post, .path = "/api/v1/schedules/{schedule_id}/trigger",
     .access = Access::operator_, .work = Work::command, .handler = routes::trigger_schedule,
     .summary = "Start an execution now; the rule goes on as before.", .success = 201,
     .response_schema = triggered_schema},
    {.method = Method::post, .path = "/api/v1/schedules/{schedule_id}/backfill",
     .access = Access::operator_, .work = Work::blocking, .handler = routes::backfill_schedule,
     .summary = "Start executions for past occurrences of the rule.", .body = Body::json,
     .request_schema = backfill_schema, .response_schema = backfilled_schema},
    {.method = Method::get, .path = "/api/v1/schedules/{schedule_id}/preview",
     .access = Access::viewer, .work = Work::blocking, .handler = routes::get_schedule_preview,
     .summary = "The occurrences that come next.", .query = "n",
     .response_schema = previewed_schema},
    {.method = Method::get, .path = "/api/v1/schedules/{schedule_id}/occurrences",
     .access = Access::viewer, .work = Work::blocking, .handler = routes::list_occurrences,
     .summary = "What became of occurrences, newest first.", .query = "limit cursor",
     .response_schema = page_schema},
    {.method = Method::get, .path = "/api/v1/schedules/{schedule_id}/history",
     .access = Access::viewer, .work = Work::blocking, .handler = routes::get_schedule_history,
     .summary = "The events of a schedule, newest first.", .query = "limit cursor",
     .response_schema = page_schema},
};
// clang-format on

}  // namespace

std::span<const Route> schedule_routes() { return schedule_table; }

}  // namespace fermata::server
