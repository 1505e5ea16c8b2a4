#include "base/json.h"
#include "front/run_query.h"
#include "front/webhook.h"
#include "server/problem.h"
#include "server/routes/common.h"
#include "server/routes/routes.h"

namespace fermata::server::routes {
namespace {

constexpr uint64_t delay_ms_max = 5'000;

Value echo_of(Api& api, const Call& call) {
  front::NamedTexts headers;
  for (const auto& field : call.request.headers) headers.emplace_back(field.name, field.value);
  Value body(call.request.body);
  if (call.request.body.empty()) body = Value();
  if (auto parsed = parse_json(call.request.body, {.nesting_max = api.options().json_nesting_max}))
    body = *std::move(parsed);
  Value out =
      front::webhook_input(std::move(body), headers, call.query, call.request.method_text, "");
  out.set("path", call.request.path);
  out.set("at", to_rfc3339(api.now()));
  return out;
}

}  // namespace

/// Answers what it was sent, so that examples can call something without leaving the machine.
void demo_echo(Api& api, Call call) {
  auto delay = front::read_number(call.query, "delay_ms");
  if (!delay) return api.fail(call, delay.error());
  if (delay->value_or(0) > delay_ms_max) {
    auto bad = front::bad_query("delay_ms", "At most 5000 is allowed.");
    return api.fail(call, bad.value);
  }
  http::Response response = json_response(200, echo_of(api, call));
  if (!*delay) return call.send(std::move(response));
  api.deadlines().after(std::chrono::milliseconds(**delay),
                        [call, response]() mutable { call.send(std::move(response)); });
}

}  // namespace fermata::server::routes
