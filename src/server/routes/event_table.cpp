#include "server/routes/event_routes.h"
#include "server/routes/schemas.h"
#include "server/routes/table.h"

namespace fermata::server {
namespace {

using http::Method;

constexpr std::string_view events_schema =
    R"({"type":"object","additionalProperties":false,"properties":{
      "event_id":{"type":"string","minLength":1,"maxLength":100},"event_type":{"type":"string"},
      "contact_id":{"type":"string"},"phone":{"type":"string"},"email":{"type":"string"},
      "execution_id":{"type":"string"},"correlation_id":{"type":"string"},
      "timestamp":{"type":"string","format":"date-time"},"account_id":{"type":"string"},
      "data":{"type":"object"},
      "events":{"type":"array","minItems":1,"maxItems":1000,"items":{"type":"object"}}}})";
constexpr std::string_view receipt_schema =
    R"({"type":"object","properties":{"event_id":{"type":"string"},
      "status":{"enum":["accepted","duplicate"]},"received_at":{"type":"string"},
      "contact_id":{"type":["string","null"]},"matched":{"type":"object","properties":{
      "goals":{"type":"array"},"waits":{"type":"array"},"triggers":{"type":"array"}}},
      "matched_total":{"type":"integer"},"pending":{"type":"integer"},
      "ignored":{"type":"array"},"warnings":{"type":"array"},"results":{"type":"array"}}})";
constexpr std::string_view event_schema =
    R"({"type":"object","required":["event_id","event_type","received_at","matched"],
      "properties":{"event_id":{"type":"string"},"event_type":{"type":"string"},
      "contact_id":{"type":["string","null"]},"execution_id":{"type":["string","null"]},
      "correlation_id":{"type":["string","null"]},"timestamp":{"type":["string","null"]},
      "received_at":{"type":"string"},"expires_at":{"type":"string"},"data":{},
      "matched":{"type":"object"},"matched_total":{"type":"integer"},
      "ignored":{"type":"array"},"warnings":{"type":"array"}}})";

// clang-format off
const Route table[] = {
    {.method = Method::post, .path = "/api/v1/events", .access = Access::operator_,
     .work = Work::command, .handler = routes::receive_events,
     .summary = "Tell what has happened; waits that listen to it go on.", .query = "wait",
     .body = Body::json, .request_schema = events_schema, .response_schema = receipt_schema},
    {.method = Method::get, .path = "/api/v1/events", .access = Access::viewer,
     .work = Work::blocking, .handler = routes::list_events,
     .summary = "Events that are kept, newest first, with what each reached.",
     .query = "event_type contact_id from to matched limit cursor",
     .response_schema = page_schema},
    {.method = Method::get, .path = "/api/v1/events/{event_id}", .access = Access::viewer,
     .work = Work::blocking, .handler = routes::get_event,
     .summary = "An event and what it reached.", .response_schema = event_schema},
    {.method = Method::get, .path = "/api/v1/waits/listeners", .access = Access::viewer,
     .work = Work::blocking, .handler = routes::list_listeners,
     .summary = "What waits listen to at present, with age.",
     .query = "event_type contact_id execution_id workflow_id step_id limit cursor",
     .response_schema = page_schema},
};
// clang-format on

}  // namespace

std::span<const Route> event_routes() { return table; }

}  // namespace fermata::server
