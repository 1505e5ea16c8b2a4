#include "server/routes/schemas.h"
#include "server/routes/table.h"
#include "server/routes/wait_routes.h"

namespace fermata::server {
namespace {

using http::Method;

constexpr std::string_view wait_schema =
    R"({"type":"object","required":["id","execution_id","step_id","occurrence","wait_type","status",
      "due_at","parked"],"properties":{"id":{"type":"string"},"account_id":{"type":"string"},
      "workflow_id":{"type":"string"},"execution_id":{"type":"string"},
      "contact_id":{"type":["string","null"]},"step_id":{"type":"string"},
      "occurrence":{"type":"integer"},"source":{"enum":["api","graph","flow"]},
      "wait_type":{"enum":["fixed_time","until_date","until_time","for_event"]},"config":{},
      "status":{"enum":["scheduled","waiting","resumed","timeout","cancelled","error"]},
      "scheduled_at":{"type":["string","null"]},"event_timeout_at":{"type":["string","null"]},
      "due_at":{"type":"string"},"on_hold":{"type":"boolean"},
      "hold_reason":{"type":["string","null"]},"parked":{"type":"boolean"},
      "listeners":{"type":"array"},"resumed_at":{"type":["string","null"]},
      "ended_at":{"type":["string","null"]},"resumed_by":{"type":["string","null"]},
      "overdue_s":{"type":"integer"}}})";
constexpr std::string_view cancelled_schema =
    R"({"type":"object","required":["success"],"properties":{"success":{"type":"boolean"},
      "id":{"type":"string"},"status":{"type":"string"},"cancelled":{"type":"integer"}}})";
constexpr std::string_view resume_schema =
    R"({"type":"object","additionalProperties":false,"properties":{
      "occurrence":{"anyOf":[{"type":"integer","minimum":1},{"enum":["all"]}]},
      "reason":{"type":"string"},"output":{},
      "branch":{"type":"string"},"dry_run":{"type":"boolean"}}})";
constexpr std::string_view resume_by_id_schema =
    R"({"type":"object","additionalProperties":false,"properties":{"reason":{"type":"string"},
      "output":{},"branch":{"type":"string"},"dry_run":{"type":"boolean"}}})";
constexpr std::string_view change_schema =
    R"({"type":"object","additionalProperties":false,"properties":{"config":{"type":"object"},
      "from":{"enum":["start","now"]},
      "occurrence":{"anyOf":[{"type":"integer","minimum":1},{"enum":["all"]}]},
      "wait_type":{"type":"string"}}})";
constexpr std::string_view preview_wait_schema =
    R"({"type":"object","required":["wait_type"],"additionalProperties":false,"properties":{
      "wait_type":{"enum":["fixed_time","until_date","until_time"]},"config":{"type":"object"},
      "now":{"type":"string"},"contact_id":{"type":"string"},
      "contact_timezone":{"type":"string"},
      "account_timezone":{"type":"string"},"count":{"type":"integer","minimum":1,"maximum":20}}})";
constexpr std::string_view previewed_wait_schema =
    R"({"type":"object","required":["scheduled_at","past","explain","next"],"properties":{
      "scheduled_at":{"type":"string"},"local_target":{"type":["string","null"]},
      "timezone":{"type":["string","null"]},"timezone_source":{"type":["string","null"]},
      "adjusted":{"enum":["gap","overlap",null]},"past":{"type":"boolean"},
      "explain":{"type":"object"},"next":{"type":"array"}}})";

constexpr std::string_view calendar_schema =
    R"({"type":"object","required":["zone","buckets"],"properties":{"zone":{"type":"string"},
      "buckets":{"type":"array","items":{"type":"object","required":["start","total"]}}}})";
constexpr std::string_view stats_schema =
    R"({"type":"object","required":["as_of","active","opened","upcoming","average_duration_s",
      "overdue","listeners","on_hold","delayed"],"properties":{"as_of":{"type":"string"},
      "tzdata":{"type":"string"},"active":{"type":"object"},"opened":{"type":"object"},
      "upcoming":{"type":"object"},"average_duration_s":{"type":"object"},
      "overdue":{"type":"object"},"listeners":{"type":"object"},"on_hold":{"type":"integer"},
      "delayed":{"type":"integer"}}})";
constexpr std::string_view bulk_waits_schema =
    R"({"type":"object","additionalProperties":false,"properties":{
      "action":{"enum":["resume","cancel","recompute","hold","release"]},
      "filter":{"type":"object"},"ids":{"type":"array","items":{"type":"string"}},
      "all":{"type":"boolean"},"reason":{"type":"string"},"branch":{"type":"string"},
      "per_second":{"type":"integer"},"per_minute":{"type":"integer"},
      "dry_run":{"type":"boolean"},"token":{"type":"string"}}})";
constexpr std::string_view calendar_query = "from to bucket zone workflow_id wait_type";

constexpr std::string_view filters =
    "wait_type workflow_id execution_id contact_id step_id event_type on_hold due_from due_to "
    "limit offset cursor";
constexpr std::string_view overdue_filters =
    "older_than_s wait_type workflow_id execution_id contact_id step_id event_type due_from due_to "
    "limit offset cursor";

// clang-format off
const Route table[] = {
    {.method = Method::post, .path = "/api/v1/waits/preview", .access = Access::viewer,
     .work = Work::blocking, .handler = routes::preview_wait,
     .summary = "Show when a wait would resume; stores nothing.", .body = Body::json,
     .request_schema = preview_wait_schema, .response_schema = previewed_wait_schema},
    {.method = Method::get, .path = "/api/v1/waits", .access = Access::viewer,
     .work = Work::blocking, .handler = routes::list_waits,
     .summary = "List waits by due time.",
     .query = "status source overdue q wait_type workflow_id execution_id contact_id step_id "
              "event_type on_hold due_from due_to limit offset cursor",
     .response_schema = page_schema},
    {.method = Method::get, .path = "/api/v1/waits/overdue", .access = Access::viewer,
     .work = Work::blocking, .handler = routes::list_overdue_waits,
     .summary = "Waits that should have resumed, oldest first.", .query = overdue_filters,
     .response_schema = page_schema},
    {.method = Method::get, .path = "/api/v1/waits/stats", .access = Access::viewer,
     .work = Work::blocking, .handler = routes::wait_stats,
     .summary = "Numbers of waits, from kept counters.", .query = "workflow_id",
     .response_schema = stats_schema},
    {.method = Method::get, .path = "/api/v1/admin/workflows/waits/stats",
     .access = Access::admin, .work = Work::blocking, .handler = routes::wait_stats,
     .summary = "Numbers of waits, from kept counters.", .query = "workflow_id",
     .response_schema = stats_schema},
    {.method = Method::get, .path = "/api/v1/waits/calendar", .access = Access::viewer,
     .work = Work::blocking, .handler = routes::wait_calendar,
     .summary = "How many waits resume in each hour or day to come.", .query = calendar_query,
     .response_schema = calendar_schema},
    {.method = Method::get, .path = "/api/v1/admin/workflows/waits/calendar",
     .access = Access::admin, .work = Work::blocking, .handler = routes::wait_calendar,
     .summary = "How many waits resume in each hour or day to come.", .query = calendar_query,
     .response_schema = calendar_schema},
    {.method = Method::post, .path = "/api/v1/waits/bulk", .access = Access::operator_,
     .work = Work::blocking, .handler = routes::bulk_waits,
     .summary = "Act on a selection of waits, or show what would happen.", .body = Body::json,
     .success = 202, .request_schema = bulk_waits_schema, .response_schema = bulk_begun_schema},
    {.method = Method::get, .path = "/api/v1/waits/{wait_id}", .access = Access::viewer,
     .work = Work::blocking, .handler = routes::get_wait_by_id, .summary = "A wait.",
     .response_schema = wait_schema},
    {.method = Method::post, .path = "/api/v1/waits/{wait_id}/resume",
     .access = Access::operator_, .work = Work::blocking, .handler = routes::resume_wait_by_id,
     .summary = "Let a wait go on now.", .body = Body::json_optional,
     .request_schema = resume_by_id_schema, .response_schema = wait_schema,
     .remembers = true},
    {.method = Method::post, .path = "/api/v1/waits/{wait_id}/skip",
     .access = Access::operator_, .work = Work::blocking, .handler = routes::resume_wait_by_id,
     .summary = "The same as resume.", .body = Body::json_optional,
     .request_schema = resume_by_id_schema, .response_schema = wait_schema,
     .remembers = true},
    {.method = Method::post, .path = "/api/v1/waits/{wait_id}/cancel",
     .access = Access::operator_, .work = Work::blocking, .handler = routes::cancel_wait_by_id,
     .summary = "End a wait; its token stays parked.", .body = Body::json_optional,
     .request_schema = reason_schema, .response_schema = cancelled_schema,
     .remembers = true},
    {.method = Method::get, .path = "/api/v1/workflows/executions/{execution_id}/wait/{step_id}",
     .access = Access::viewer, .work = Work::blocking, .handler = routes::get_wait,
     .summary = "The wait at a step of an execution.", .query = "occurrence",
     .response_schema = wait_schema},
    {.method = Method::delete_,
     .path = "/api/v1/workflows/executions/{execution_id}/wait/{step_id}",
     .access = Access::operator_, .work = Work::blocking, .handler = routes::cancel_wait,
     .summary = "End a wait; its token stays parked.", .query = "occurrence reason",
     .response_schema = cancelled_schema},
    {.method = Method::patch,
     .path = "/api/v1/workflows/executions/{execution_id}/wait/{step_id}",
     .access = Access::operator_, .work = Work::blocking, .handler = routes::change_wait,
     .summary = "Give a pending wait another instant.", .body = Body::json,
     .request_schema = change_schema, .response_schema = wait_schema},
    {.method = Method::post,
     .path = "/api/v1/workflows/executions/{execution_id}/wait/{step_id}/resume",
     .access = Access::operator_, .work = Work::blocking, .handler = routes::resume_wait,
     .summary = "Let a wait go on now.", .body = Body::json_optional,
     .request_schema = resume_schema, .response_schema = wait_schema,
     .remembers = true},
    {.method = Method::post,
     .path = "/api/v1/workflows/executions/{execution_id}/wait/{step_id}/skip",
     .access = Access::operator_, .work = Work::blocking, .handler = routes::resume_wait,
     .summary = "The same as resume.", .body = Body::json_optional,
     .request_schema = resume_schema, .response_schema = wait_schema,
     .remembers = true},
    {.method = Method::get, .path = "/api/v1/admin/workflows/waits/pending",
     .access = Access::admin, .work = Work::blocking, .handler = routes::list_pending_waits,
     .summary = "Waits that have not ended, by due time.", .query = filters,
     .response_schema = page_schema},
    {.method = Method::get, .path = "/api/v1/admin/workflows/waits/overdue",
     .access = Access::admin, .work = Work::blocking, .handler = routes::list_overdue_waits,
     .summary = "Waits that should have resumed, oldest first.", .query = overdue_filters,
     .response_schema = page_schema},
};
// clang-format on

}  // namespace

std::span<const Route> wait_routes() { return table; }

}  // namespace fermata::server
