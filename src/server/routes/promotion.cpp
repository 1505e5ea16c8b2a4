#include "front/fields.h"
#include "server/api.h"
#include "server/routes/common.h"
#include "server/routes/table.h"

/// Moving the store to another while the server runs (C-105).
namespace fermata::server {
namespace {

using http::Method;

constexpr size_t url_bytes_max = 2'000;
constexpr size_t path_bytes_max = 1'000;

constexpr std::string_view promotion_request_schema =
    R"({"type":"object","additionalProperties":false,"required":["to"],"properties":{
      "to":{"type":"string"},"password_file":{"type":"string"}}})";
constexpr std::string_view promotion_schema =
    R"({"type":"object","required":["state","store"],"properties":{
      "state":{"enum":["none","running","moved","failed"]},"store":{"type":"string"},
      "step":{"type":"string"},"to":{"type":"string"},"things":{"type":"integer"},
      "rounds":{"type":"integer"},"held_ms":{"type":"integer"},"code":{"type":"string"},
      "message":{"type":"string"}}})";

/// With what the server stands on now: after a move that is the other store.
Value state_of(Api& api) {
  const ApiOptions& options = api.options();
  Value state =
      options.promotion.state ? options.promotion.state() : Value::object({{"state", "none"}});
  Value facts = options.store_facts ? options.store_facts() : Value::object();
  state.set("store", facts.get("kind").is_string() ? facts.get("kind") : Value("memory"));
  return state;
}

void get_promotion(Api& api, Call call) { call.send_json(200, state_of(api)); }

void begin_promotion(Api& api, Call call) {
  front::Fields fields(call.body);
  auto to = fields.text("to", url_bytes_max);
  fields.require("to");
  auto password_file = fields.text("password_file", path_bytes_max);
  if (auto read = fields.finish(); !read) return api.fail(call, read.error());
  if (!api.options().promotion.begin)
    return api.fail(
        call, {ErrorCode::wrong_state, "Only a store in a data directory can be promoted.", {}});
  auto begun = api.options().promotion.begin(*to, password_file.value_or(""));
  if (!begun) return api.fail(call, begun.error());
  call.send_json(202, state_of(api));
}

// clang-format off
const Route promotion_table[] = {
    {.method = Method::get, .path = "/api/v1/system/promotion", .access = Access::root,
     .work = Work::blocking, .handler = get_promotion,
     .summary = "How far the move to another store has come.",
     .response_schema = promotion_schema},
    {.method = Method::post, .path = "/api/v1/system/promotion", .access = Access::root,
     .work = Work::blocking, .handler = begin_promotion,
     .summary = "Move the store to PostgreSQL and go on there.", .body = Body::json,
     .success = 202, .request_schema = promotion_request_schema,
     .response_schema = promotion_schema},
};
// clang-format on

}  // namespace

std::span<const Route> promotion_routes() { return promotion_table; }

}  // namespace fermata::server
