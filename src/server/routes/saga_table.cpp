#include "server/routes/saga_routes.h"
#include "server/routes/schemas.h"
#include "server/routes/table.h"

namespace fermata::server {
namespace {

using http::Method;

constexpr std::string_view saga_schema =
    R"({"type":"object","required":["execution_id","status","entries"],"properties":{
      "execution_id":{"type":"string"},"workflow_id":{"type":"string"},
      "status":{"enum":["none","open","rolling_back","parked","rolled_back","closed"]},
      "trigger":{"enum":["failed_fatal","rollback","on_failure","cancel"]},
      "by":{"type":"string"},"entries":{"type":"array","items":{"type":"object",
      "required":["seq","job_id","status","request","idempotency_key","attempts","at"]}},
      "stopping":{"type":"array"},"open_jobs":{"type":"array"},"undone_by":{"type":"string"},
      "started_at":{"type":["string","null"]},"ended_at":{"type":["string","null"]}}})";
constexpr std::string_view skip_undo_schema =
    R"({"type":"object","required":["reason"],"additionalProperties":false,"properties":{
      "reason":{"type":"string"}}})";

// clang-format off
const Route table[] = {
    {.method = Method::get, .path = "/api/v1/sagas", .access = Access::viewer,
     .work = Work::blocking, .handler = routes::list_sagas,
     .summary = "Executions with something to undo, newest first.",
     .query = "status limit cursor", .response_schema = page_schema},
    {.method = Method::get, .path = "/api/v1/executions/{execution_id}/saga",
     .access = Access::viewer, .work = Work::blocking, .handler = routes::get_saga,
     .summary = "What an execution has done that can be undone, last first.",
     .response_schema = saga_schema},
    {.method = Method::post, .path = "/api/v1/executions/{execution_id}/rollback",
     .access = Access::operator_, .work = Work::blocking, .handler = routes::rollback_execution,
     .summary = "Undo what an execution has done; of an ended one by an execution of its own.",
     .body = Body::json_optional, .request_schema = reason_schema,
     .response_schema = started_schema},
    {.method = Method::post, .path = "/api/v1/executions/{execution_id}/saga/close",
     .access = Access::operator_, .work = Work::command, .handler = routes::close_saga,
     .summary = "End a saga of jobs outside an execution well.", .body = Body::json_optional,
     .response_schema = started_schema},
    {.method = Method::post, .path = "/api/v1/executions/{execution_id}/saga/{seq}/retry",
     .access = Access::operator_, .work = Work::blocking, .handler = routes::retry_undo,
     .summary = "Try once more to undo a parked entry.", .body = Body::json_optional,
     .response_schema = saga_schema},
    {.method = Method::post, .path = "/api/v1/executions/{execution_id}/saga/{seq}/skip",
     .access = Access::operator_, .work = Work::blocking, .handler = routes::skip_undo,
     .summary = "Leave a parked entry as it is and go on with the older ones.",
     .body = Body::json, .request_schema = skip_undo_schema, .response_schema = saga_schema},
};
// clang-format on

}  // namespace

std::span<const Route> saga_routes() { return table; }

}  // namespace fermata::server
