#include "front/fields.h"
#include "server/problem.h"
#include "server/routes/common.h"
#include "server/routes/routes.h"
#include "server/routes/session_value.h"

namespace fermata::server::routes {
namespace {

constexpr size_t key_bytes_max = 200;

/// What a console must know before its first page: who asks, and which console this server has.
Value session_value(Api& api, const Principal& who, const std::string& csrf) {
  std::string console = api.console_tag();
  return Value::object({{"account_id", who.account.text()},
                        {"role", name_of(who.role)},
                        {"actor", who.actor},
                        {"access", access_text(api.options().access.mode)},
                        {"version", api.options().version},
                        {"console", console.empty() ? Value() : Value(console)},
                        {"now", to_rfc3339(api.now())},
                        {"virtual_clock", api.options().test_clock.has_value()},
                        {"csrf", csrf.empty() ? Value() : Value(csrf)}});
}

}  // namespace

/// Exchanges a key for a cookie, so that the browser need not keep the key.
void open_session(Api& api, Call call) {
  const http::Request& request = call.request;
  if (request.has_header("origin") && !is_same_origin(request.header("origin"), request.authority))
    return api.fail(
        call, {ErrorCode::origin_forbidden, "A web page from elsewhere may not sign in here.", {}});
  front::Fields fields(call.body);
  std::string key = fields.text("key", key_bytes_max).value_or("");
  fields.require("key");
  if (auto read = fields.finish(); !read) return api.fail(call, read.error());
  auto who = api.keys().verify(key, api.now());
  if (!who) return api.fail(call, who.error());
  if (who->role == Role::worker)
    return api.fail(call, {ErrorCode::forbidden, "A worker's key cannot sign in.", {}});
  Sessions::Opened opened = api.sessions().open(*who, std::chrono::steady_clock::now());
  http::Response response = json_response(200, session_value(api, *who, opened.csrf));
  response.headers.emplace_back(
      "Set-Cookie", Sessions::cookie(request, opened.token, api.options().secure_cookies));
  call.send(std::move(response));
}

void get_session(Api& api, Call call) {
  call.send_json(200, session_value(api, call.who, api.sessions().csrf_of(call.request)));
}

void close_session(Api& api, Call call) {
  api.sessions().close(call.request);
  http::Response response;
  response.status = 204;
  response.headers.emplace_back("Set-Cookie",
                                Sessions::cookie(call.request, "", api.options().secure_cookies));
  call.send(std::move(response));
}

}  // namespace fermata::server::routes
