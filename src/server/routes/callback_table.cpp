#include "server/routes/callback_routes.h"
#include "server/routes/schemas.h"
#include "server/routes/table.h"

namespace fermata::server {
namespace {

using http::Method;

constexpr std::string_view open_schema =
    R"({"type":"object","required":["step_id","wait_type"],"additionalProperties":false,
      "properties":{"step_id":{"type":"string"},
      "wait_type":{"enum":["fixed_time","until_date","until_time","for_event"]},
      "config":{"type":"object"},"contact_id":{"type":"string"},"callback":{"type":"object",
      "required":["url"],"properties":{"url":{"type":"string"},"credentials":{"type":"object"}}},
      "metadata":{"type":"object"},"register":{"type":"boolean"}}})";
constexpr std::string_view opened_schema =
    R"({"type":"object","required":["id","status","scheduled_at"],"properties":{
      "id":{"type":"string"},"status":{"type":"string"},
      "scheduled_at":{"type":["string","null"]}}})";
constexpr std::string_view registration_schema =
    R"({"type":"object","additionalProperties":false,"properties":{
      "contact_id":{"type":"string"},"labels":{"type":"object"},"callback":{"type":"object"},
      "metadata":{"type":"object"}}})";
constexpr std::string_view complete_schema =
    R"({"type":"object","additionalProperties":false,"properties":{"output":{}}})";
constexpr std::string_view delivery_schema =
    R"({"type":"object","required":["delivery_id","type","state"],"properties":{
      "delivery_id":{"type":"string"},"type":{"type":"string"},
      "state":{"enum":["pending","done","gone","dead"]}}})";

// clang-format off
const Route table[] = {
    {.method = Method::post,
     .path = "/api/v1/workflows/{workflow_id}/executions/{execution_id}/wait",
     .access = Access::operator_, .work = Work::blocking, .handler = routes::open_wait,
     .summary = "Open a wait; with `register` also its workflow and execution.",
     .body = Body::json, .success = 201, .request_schema = open_schema,
     .response_schema = opened_schema},
    {.method = Method::put, .path = "/api/v1/workflows/{workflow_id}/executions/{execution_id}",
     .access = Access::operator_, .work = Work::blocking, .handler = routes::register_execution,
     .summary = "Register an execution that another engine runs.", .body = Body::json_optional,
     .success = 201, .request_schema = registration_schema},
    {.method = Method::post, .path = "/api/v1/executions/{execution_id}/complete",
     .access = Access::operator_, .work = Work::blocking, .handler = routes::complete_execution,
     .summary = "End an execution that another engine runs.", .body = Body::json_optional,
     .request_schema = complete_schema,
     .remembers = true},
    {.method = Method::get, .path = "/api/v1/callbacks", .access = Access::viewer,
     .work = Work::blocking, .handler = routes::list_callbacks,
     .summary = "Callbacks with their attempts, newest first.",
     .query = "state execution_id limit cursor", .response_schema = page_schema},
    {.method = Method::post, .path = "/api/v1/callbacks/{delivery_id}/redeliver",
     .access = Access::operator_, .work = Work::command, .handler = routes::redeliver_callback,
     .summary = "Send a callback again that was given up.", .body = Body::json_optional,
     .success = 202, .response_schema = delivery_schema,
     .remembers = true},
};
// clang-format on

}  // namespace

std::span<const Route> callback_routes() { return table; }

}  // namespace fermata::server
