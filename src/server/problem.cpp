#include "server/problem.h"

#include "base/json.h"
#include "front/fields.h"

namespace fermata::server {

Value problem_value(const Error& error, const std::string& instance) {
  std::string type = "urn:fermata:error:" + std::string(name_of(error.code));
  Value out = Value::object({{"type", type},
                             {"title", title_of(error.code)},
                             {"status", http_status_of(error.code)},
                             {"detail", error.message},
                             {"instance", instance},
                             {"code", name_of(error.code)},
                             {"hint", hint_of(error.code)}});
  if (!error.findings.empty()) out.set("errors", front::to_value(error.findings));
  return out;
}

http::Response problem_document(const Error& error, const Value& document) {
  http::Response response;
  response.status = http_status_of(error.code);
  response.content_type = "application/problem+json";
  response.body = to_json(document);
  response.headers.emplace_back("Cache-Control", "no-store");
  if (response.status == 503 || response.status == 429)
    response.headers.emplace_back("Retry-After", "1");
  if (response.status == 401) response.headers.emplace_back("WWW-Authenticate", "Bearer");
  return response;
}

http::Response problem_response(const Error& error, const std::string& instance) {
  return problem_document(error, problem_value(error, instance));
}

http::Response clock_refusal(const std::string& why) {
  http::Response response;
  response.status = 503;
  response.content_type = "application/problem+json";
  response.body =
      to_json(Value::object({{"type", "urn:fermata:error:clock_skew"},
                             {"title", "This machine's clock is wrong"},
                             {"status", 503},
                             {"detail", why},
                             {"code", "clock_skew"},
                             {"hint", "Set the clock of this machine, or ask another server."}}));
  response.headers.emplace_back("Cache-Control", "no-store");
  response.headers.emplace_back("Retry-After", "1");
  return response;
}

http::Response json_response(int status, const Value& body) {
  http::Response response;
  response.status = status;
  append_json(response.body, body);
  response.headers.emplace_back("Cache-Control", "no-store");
  return response;
}

}  // namespace fermata::server
