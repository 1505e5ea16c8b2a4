#include "server/routes/look_routes.h"
#include "server/routes/schemas.h"
#include "server/routes/table.h"

namespace fermata::server {
namespace {

using http::Method;

constexpr std::string_view calendar_schema =
    R"({"type":"object","required":["zone","truncated","buckets"],"properties":{
      "zone":{"type":"string"},"truncated":{"type":"boolean"},"buckets":{"type":"array","items":{
      "type":"object","required":["start","total","by_kind"]}}}})";
constexpr std::string_view search_schema =
    R"({"type":"object","required":["items"],"properties":{"items":{"type":"array","items":{
      "type":"object","required":["kind","id"],"properties":{"kind":{"enum":["execution","job",
      "wait","schedule","workflow","contact"]},"id":{"type":"string"},"name":{"type":"string"},
      "status":{"type":"string"}}}}}})";
constexpr std::string_view stats_schema =
    R"({"type":"object","required":["group_by","groups","counted","more"],"properties":{
      "group_by":{"type":"string"},"groups":{"type":"array"},"counted":{"type":"integer"},
      "more":{"type":"boolean"}}})";
constexpr std::string_view load_schema =
    R"({"type":"object","required":["versions","waiting","counted","more"],"properties":{
      "versions":{"type":"array"},"waiting":{"type":"object"},"at":{"type":"object"},
      "counted":{"type":"integer"},
      "more":{"type":"boolean"},"measured_since":{"type":"string"},"measures":{"type":"object"},
      "nodes":{"type":"object"}}})";
constexpr std::string_view state_schema =
    R"({"type":"object","required":["sequence","status","values","waiting"]})";
constexpr std::string_view tree_schema =
    R"({"type":"object","required":["execution_id","root","count","truncated"],"properties":{
      "execution_id":{"type":"string"},"root":{"type":"object"},"count":{"type":"integer"},
      "truncated":{"type":"boolean"}}})";
constexpr std::string_view diff_schema =
    R"({"type":"object","required":["from","to","same","nodes","edges","fields","lines"],
      "properties":{"from":{"type":"object"},"to":{"type":"object"},"same":{"type":"boolean"},
      "nodes":{"type":"object"},"edges":{"type":"object"},"fields":{"type":"array"},
      "lines":{"type":"array","items":{"type":"object","required":["op","from","to","text"],
      "properties":{"op":{"enum":["=","-","+"]},"from":{"type":["integer","null"]},
      "to":{"type":["integer","null"]},"text":{"type":"string"}}}}}})";
constexpr std::string_view verified_schema =
    R"({"type":"object","required":["unbroken","lines","first","last"],"properties":{
      "unbroken":{"type":"boolean"},"lines":{"type":"integer"},"first":{"type":"integer"},
      "last":{"type":"integer"},"broken_at":{"type":["integer","null"]}}})";
constexpr std::string_view view_request_schema =
    R"({"type":"object","additionalProperties":false,"properties":{"page":{"type":"string"},
      "name":{"type":"string"},"query":{"type":"object","additionalProperties":{"type":"string"}},
      "shared":{"type":"boolean"}}})";
constexpr std::string_view view_schema =
    R"({"type":"object","required":["id","page","name","query","shared","owner"],"properties":{
      "id":{"type":"string"},"page":{"type":"string"},"name":{"type":"string"},
      "query":{"type":"object"},"shared":{"type":"boolean"},"owner":{"type":"string"},
      "may_change":{"type":"boolean"},"created_at":{"type":"string"},
      "updated_at":{"type":"string"},"revision":{"type":"integer"}}})";
constexpr std::string_view cluster_schema =
    R"({"type":"object","required":["shared","items"],"properties":{"shared":{"type":"boolean"},
      "items":{"type":"array","items":{"type":"object","required":["id","name","role","version",
      "alive"],"properties":{"id":{"type":"string"},"name":{"type":"string"},
      "role":{"enum":["leader","follower"]},"version":{"type":"string"},
      "formats":{"type":"string"},"settings":{"type":"string"},
      "settings_differ":{"type":"boolean"},"clock_skew_ms":{"type":["integer","null"]},
      "started_at":{"type":"string"},"seen_at":{"type":"string"},"alive":{"type":"boolean"},
      "leads":{"type":"boolean"}}}}}})";
constexpr std::string_view system_schema =
    R"({"type":"object","required":["version","store","lateness","configuration"],"properties":{
      "version":{"type":"string"},"store":{"type":"object"},"lateness":{"type":"object"},
      "configuration":{"type":"array","items":{"type":"object","required":["name","value","source"],
      "properties":{"name":{"type":"string"},"value":{"type":"string"},"source":{"type":"string"},
      "secret":{"type":"boolean"}}}}}})";

// clang-format off
const Route table[] = {
    {.method = Method::get, .path = "/api/v1/search", .access = Access::viewer,
     .work = Work::blocking, .handler = routes::search,
     .summary = "Things by id, or by a part of their name.", .query = "q",
     .response_schema = search_schema},
    {.method = Method::get, .path = "/api/v1/calendar", .access = Access::viewer,
     .work = Work::blocking, .handler = routes::calendar,
     .summary = "All that will fire, in each hour or day to come.",
     .query = "from to bucket zone kinds", .response_schema = calendar_schema},
    {.method = Method::get, .path = "/api/v1/executions/stats", .access = Access::viewer,
     .work = Work::blocking, .handler = routes::execution_stats,
     .summary = "How many executions a filter selects, by one of their fields.",
     .query = "group_by status workflow_id label contact_id parent from to q version error_code "
              "node wait_kind retrying attention",
     .response_schema = stats_schema},
    {.method = Method::get, .path = "/api/v1/executions/{execution_id}/state",
     .access = Access::viewer, .work = Work::blocking, .handler = routes::execution_state,
     .summary = "An execution and its values as they were after an event.", .query = "at",
     .response_schema = state_schema},
    {.method = Method::get, .path = "/api/v1/executions/{execution_id}/tree",
     .access = Access::viewer, .work = Work::blocking, .handler = routes::execution_tree,
     .summary = "An execution among those that started it and that it started.",
     .response_schema = tree_schema},
    {.method = Method::get, .path = "/api/v1/workflows/{workflow_id}/diff",
     .access = Access::viewer, .work = Work::blocking, .handler = routes::workflow_diff,
     .summary = "What is not the same in two versions, by node, by edge and by line.",
     .query = "from to", .response_schema = diff_schema},
    {.method = Method::get, .path = "/api/v1/workflows/{workflow_id}/load",
     .access = Access::viewer, .work = Work::blocking, .handler = routes::workflow_load,
     .summary = "Live executions by version, where they wait, and how the nodes did.",
     .response_schema = load_schema},
    {.method = Method::get, .path = "/api/v1/cluster", .access = Access::viewer,
     .work = Work::blocking, .handler = routes::cluster,
     .summary = "The servers on this store: who leads, versions, clocks, settings that differ.",
     .response_schema = cluster_schema},
    {.method = Method::get, .path = "/api/v1/system", .access = Access::admin,
     .work = Work::blocking, .handler = routes::system_facts,
     .summary = "What the server is, where things are kept, and where each setting came from.",
     .response_schema = system_schema},
    {.method = Method::get, .path = "/api/v1/views", .access = Access::viewer,
     .work = Work::blocking, .handler = routes::list_views,
     .summary = "Saved views: the caller's own and those that are shared.", .query = "page",
     .response_schema = page_schema},
    {.method = Method::post, .path = "/api/v1/views", .access = Access::viewer,
     .work = Work::blocking, .handler = routes::create_view,
     .summary = "Save a view of a list; sharing it needs the role operator.", .body = Body::json,
     .success = 201, .request_schema = view_request_schema, .response_schema = view_schema},
    {.method = Method::get, .path = "/api/v1/views/{view_id}", .access = Access::viewer,
     .work = Work::blocking, .handler = routes::get_view, .summary = "A saved view.",
     .response_schema = view_schema},
    {.method = Method::put, .path = "/api/v1/views/{view_id}", .access = Access::viewer,
     .work = Work::blocking, .handler = routes::change_view, .summary = "Change a saved view.",
     .body = Body::json, .request_schema = view_request_schema, .response_schema = view_schema},
    {.method = Method::delete_, .path = "/api/v1/views/{view_id}", .access = Access::viewer,
     .work = Work::blocking, .handler = routes::remove_view, .summary = "Remove a saved view.",
     .success = 204},
    {.method = Method::post, .path = "/api/v1/audit/verify", .access = Access::admin,
     .work = Work::blocking, .handler = routes::verify_audit,
     .summary = "Check that each line of the audit seals the one before it.",
     .body = Body::json_optional, .response_schema = verified_schema},
};
// clang-format on

}  // namespace

std::span<const Route> look_routes() { return table; }

}  // namespace fermata::server
