#include "cli/standby.h"

#include "base/json.h"
#include "server/problem.h"

namespace fermata::cli {

void Standby::handle(const http::Request& request, http::Responder responder) {
  if (request.path == "/healthz")
    return responder.send(server::json_response(200, Value::object({{"status", "ok"}})));
  std::string who = leader_.empty() ? "another server" : leader_;
  Value problem =
      Value::object({{"type", "urn:fermata:error:standby"},
                     {"title", "This server stands by"},
                     {"status", 503},
                     {"detail", "The store is led by " + who +
                                    "; this server takes over when that "
                                    "one is gone."},
                     {"instance", std::string(request.path)},
                     {"code", "standby"},
                     {"hint", "Ask the server that leads, or repeat after Retry-After."}});
  http::Response response;
  response.status = 503;
  response.content_type = "application/problem+json";
  response.body = to_json(problem);
  response.headers.emplace_back("Cache-Control", "no-store");
  response.headers.emplace_back("Retry-After", "1");
  responder.send(std::move(response));
}

http::Response Standby::refuse(const Error& error) { return server::problem_response(error, ""); }

}  // namespace fermata::cli
