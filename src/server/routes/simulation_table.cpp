#include "server/routes/look_routes.h"
#include "server/routes/routes.h"
#include "server/routes/schemas.h"
#include "server/routes/simulation_routes.h"
#include "server/routes/table.h"

namespace fermata::server {
namespace {

using http::Method;

constexpr std::string_view simulate_schema =
    R"({"type":"object","additionalProperties":false,"properties":{
      "name":{"type":"string"},"workflow_id":{"type":"string"},
      "version":{"type":"integer","minimum":1},"definition":{"type":"object"},"input":{},
      "labels":{"type":"object"},"contact_id":{"type":"string"},
      "start_at":{"type":"string","format":"date-time"},
      "horizon_ms":{"type":"integer","minimum":86400000,"maximum":315619200000},
      "seeds":{"type":"integer","minimum":1,"maximum":10000},"first_seed":{"type":"integer"},
      "calls":{"type":"array","items":{"type":"object","required":["name"],"properties":{
      "name":{"type":"string"},"latency_min_ms":{"type":"integer"},
      "latency_max_ms":{"type":"integer"},"failure":{"type":"number"},
      "status":{"type":"integer"},"body":{}}}},
      "jobs":{"type":"array","items":{"type":"object","required":["name"],"properties":{
      "name":{"type":"string"},"latency_min_ms":{"type":"integer"},
      "latency_max_ms":{"type":"integer"},"failure":{"type":"number"},"output":{}}}},
      "signals":{"type":"array","items":{"type":"object","required":["name"],"properties":{
      "name":{"type":"string"},"latency_min_ms":{"type":"integer"},
      "latency_max_ms":{"type":"integer"},"missing":{"type":"number"},"payload":{}}}},
      "approvals":{"type":"object","properties":{"latency_min_ms":{"type":"integer"},
      "latency_max_ms":{"type":"integer"},"reject":{"type":"number"}}},
      "faults":{"type":"object","properties":{"late_ms_max":{"type":"integer"},
      "restart":{"type":"number"},"twice":{"type":"number"}}},
      "promises":{"type":"array","items":{"oneOf":[{"enum":["ends","completes"]},
      {"type":"object","required":["name","condition"],"properties":{"name":{"type":"string"},
      "condition":{"type":"string"}}}]}}}})";
constexpr std::string_view simulation_schema =
    R"({"type":"object","required":["id","state","seeds","first_seed","start_at","horizon_ms"],
      "properties":{"id":{"type":"string"},"name":{"type":"string"},
      "state":{"enum":["waiting","running","done","stopped","failed"]},
      "workflow_id":{"type":["string","null"]},"version":{"type":["integer","null"]},
      "seeds":{"type":"integer"},"first_seed":{"type":"integer"},
      "start_at":{"type":"string"},"horizon_ms":{"type":"integer"},
      "problem":{"type":["string","null"]},"result":{"type":"object"},
      "definition":{"type":"object"},"request":{"type":"object"}}})";

// clang-format off
const Route simulation_table[] = {
    {.method = Method::post, .path = "/api/v1/simulations", .access = Access::operator_,
     .work = Work::blocking, .handler = routes::begin_simulation,
     .summary = "Try a workflow in a world apart: nothing is called, stored or timed.",
     .body = Body::json, .success = 202, .request_schema = simulate_schema,
     .response_schema = simulation_schema},
    {.method = Method::get, .path = "/api/v1/simulations", .access = Access::viewer,
     .work = Work::quick, .handler = routes::list_simulations,
     .summary = "Simulations since the server started, newest first.",
     .response_schema = page_schema},
    {.method = Method::get, .path = "/api/v1/simulations/{simulation_id}",
     .access = Access::viewer, .work = Work::blocking, .handler = routes::get_simulation,
     .summary = "A simulation and what it has come to.", .response_schema = simulation_schema},
    {.method = Method::post, .path = "/api/v1/simulations/{simulation_id}/stop",
     .access = Access::operator_, .work = Work::blocking, .handler = routes::stop_simulation,
     .summary = "End a simulation; what was counted stays.", .body = Body::json_optional,
     .response_schema = simulation_schema},
    {.method = Method::delete_, .path = "/api/v1/simulations/{simulation_id}",
     .access = Access::operator_, .work = Work::blocking, .handler = routes::delete_simulation,
     .summary = "Forget a simulation.", .success = 204},
    {.method = Method::get, .path = "/api/v1/simulations/{simulation_id}/seeds/{seed}",
     .access = Access::viewer, .work = Work::blocking, .handler = routes::simulated_execution,
     .summary = "One seed, lived again, as an execution."},
    {.method = Method::get, .path = "/api/v1/simulations/{simulation_id}/seeds/{seed}/history",
     .access = Access::viewer, .work = Work::blocking, .handler = routes::get_history,
     .summary = "The events of a seed.", .query = "limit cursor after",
     .response_schema = page_schema},
    {.method = Method::get, .path = "/api/v1/simulations/{simulation_id}/seeds/{seed}/nodes",
     .access = Access::viewer, .work = Work::blocking, .handler = routes::get_nodes,
     .summary = "The nodes of a seed by status.", .query = "at"},
    {.method = Method::get,
     .path = "/api/v1/simulations/{simulation_id}/seeds/{seed}/nodes/{node_id}",
     .access = Access::viewer, .work = Work::blocking, .handler = routes::get_node,
     .summary = "One node of a seed.", .query = "at item"},
    {.method = Method::get,
     .path = "/api/v1/simulations/{simulation_id}/seeds/{seed}/nodes/{node_id}/items",
     .access = Access::viewer, .work = Work::blocking, .handler = routes::get_node_items,
     .summary = "What became of a node of a seed, item by item.",
     .query = "at status limit cursor"},
    {.method = Method::get, .path = "/api/v1/simulations/{simulation_id}/seeds/{seed}/state",
     .access = Access::viewer, .work = Work::blocking, .handler = routes::execution_state,
     .summary = "A seed and its values as they were after an event.", .query = "at"},
};
// clang-format on

}  // namespace

std::span<const Route> simulation_routes() { return simulation_table; }

}  // namespace fermata::server
