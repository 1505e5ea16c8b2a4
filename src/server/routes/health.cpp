#include "server/problem.h"
#include "server/routes/common.h"
#include "server/routes/routes.h"

namespace fermata::server::routes {

void healthz(Api&, Call call) {
  static const http::Response ok = json_response(200, Value::object({{"status", "ok"}}));
  call.send(ok);
}

/// Ready when the store answers, the engine has recovered and nobody has asked it to stop.
void readyz(Api& api, Call call) {
  if (api.stopping())
    return api.fail(call, {ErrorCode::shutting_down, "The server is stopping.", {}});
  if (api.options().ready && !api.options().ready())
    return api.fail(call, {ErrorCode::store_unavailable, "The engine is still recovering.", {}});
  if (std::string why = api.options().unfit ? api.options().unfit() : ""; !why.empty())
    return call.send(clock_refusal(why));
  auto reached = api.reader().summary(RunId("ready"));
  if (!reached) return api.fail(call, reached.error());
  Value out = Value::object({{"status", "ready"}});
  if (api.options().replicas != nullptr) out.set("role", "leader");
  // What only a later release can run is left to a server of that release (F-46).
  if (size_t newer = api.definitions().newer(); newer > 0) out.set("newer_definitions", newer);
  if (api.options().degraded) {
    Value away = Value::array();
    for (const std::string& name : api.options().degraded()) away.push(name);
    if (away.size() > 0) out.set("degraded", std::move(away));
  }
  call.send_json(200, out);
}

void version(Api& api, Call call) {
  call.send_json(200, Value::object({{"name", "fermata"},
                                     {"version", api.options().version},
                                     {"tzdata", api.zones()->version()}}));
}

void openapi(Api& api, Call call) {
  http::Response response;
  response.body = api.openapi();
  call.send(std::move(response));
}

}  // namespace fermata::server::routes
