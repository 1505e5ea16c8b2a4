#include <algorithm>

#include "base/check.h"
#include "base/json.h"
#include "front/flow_text.h"
#include "server/router.h"

namespace fermata::server {
namespace {

std::string_view role_text(Access access) {
  switch (access) {
    case Access::open: return "";
    case Access::viewer: return "viewer";
    case Access::operator_: return "operator";
    case Access::editor: return "editor";
    case Access::admin: return "admin";
    case Access::worker: return "worker";
    case Access::root: break;
  }
  return "root";
}

Value parameter(std::string_view name, std::string_view place) {
  return Value::object({{"name", name},
                        {"in", place},
                        {"required", place == "path"},
                        {"schema", Value::object({{"type", "string"}})}});
}

/// The snippets in the table are our own text, so a broken one is a defect.
Value schema_of(std::string_view snippet) {
  if (snippet.empty()) return Value::object();
  auto parsed = parse_json(snippet);
  check(static_cast<bool>(parsed));
  return *std::move(parsed);
}

Value parameters_of(const Route& route) {
  Value out = Value::array();
  std::string_view path = route.path;
  for (size_t open = path.find('{'); open != std::string_view::npos; open = path.find('{')) {
    size_t close = path.find('}');
    out.push(parameter(path.substr(open + 1, close - open - 1), "path"));
    path.remove_prefix(close + 1);
  }
  std::string_view query = route.query;
  while (!query.empty()) {
    size_t end = std::min(query.find(' '), query.size());
    out.push(parameter(query.substr(0, end), "query"));
    query.remove_prefix(std::min(end + 1, query.size()));
  }
  return out;
}

/// `GET /api/v1/workflows/{workflow_id}` becomes `get_workflows_workflow_id`.
std::string operation_id(const Route& route) {
  std::string out;
  for (char c : http::name_of(route.method))
    out.push_back(static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c));
  std::string_view path = route.path;
  if (path.starts_with("/api/v1"))
    path.remove_prefix(7);
  else
    out += "_root";
  for (char c : path) {
    if (c == '/')
      out.push_back('_');
    else if (c != '{' && c != '}' && c != '.')
      out.push_back(c);
  }
  return out;
}

Value operation_of(const Route& route) {
  Value content = Value::object(
      {{route.media_type, Value::object({{"schema", schema_of(route.response_schema)}})}});
  Value success = Value::object({{"description", "Done."}});
  if (route.success != 204) success.set("content", std::move(content));
  Value problem = Value::object(
      {{"description", "A problem document."},
       {"content",
        Value::object(
            {{"application/problem+json",
              Value::object(
                  {{"schema", Value::object({{"$ref", "#/components/schemas/Problem"}})}})}})}});
  Value out = Value::object({{"operationId", operation_id(route)},
                             {"summary", route.summary},
                             {"parameters", parameters_of(route)}});
  if (route.body != Body::none && route.body != Body::raw && route.body != Body::upload) {
    Value content_taken = Value::object(
        {{"application/json", Value::object({{"schema", schema_of(route.request_schema)}})}});
    if (route.body == Body::definition)
      content_taken.set(front::flow_media_type,
                        Value::object({{"schema", Value::object({{"type", "string"}})}}));
    out.set("requestBody", Value::object({{"required", route.body != Body::json_optional},
                                          {"content", std::move(content_taken)}}));
  }
  out.set("responses", Value::object({{std::to_string(route.success), std::move(success)},
                                      {"default", std::move(problem)}}));
  if (route.access == Access::open) {
    out.set("security", Value::array());
  } else {
    out.set("x-role", role_text(route.access));
  }
  return out;
}

Value problem_schema() {
  return schema_of(R"({"type":"object","required":["type","title","status","code"],"properties":{
    "type":{"type":"string"},"title":{"type":"string"},"status":{"type":"integer"},
    "detail":{"type":"string"},"instance":{"type":"string"},"code":{"type":"string"},
    "hint":{"type":"string"},"errors":{"type":"array","items":{"type":"object","properties":{
      "code":{"type":"string"},"path":{"type":"string"},"message":{"type":"string"},
      "line":{"type":"integer"},"column":{"type":"integer"}}}}}})");
}

}  // namespace

std::string openapi_of(std::span<const Route> routes, std::string_view version) {
  Value paths = Value::object();
  for (const Route& route : routes) {
    Value item = paths.get(route.path);
    if (item.is_null()) item = Value::object();
    std::string method = operation_id(route).substr(0, http::name_of(route.method).size());
    item.set(method, operation_of(route));
    paths.set(route.path, std::move(item));
  }
  Value schemes = schema_of(R"({"bearer":{"type":"http","scheme":"bearer"},
    "key":{"type":"apiKey","in":"header","name":"X-API-Key"}})");
  Value components = Value::object(
      {{"schemas", Value::object({{"Problem", problem_schema()}})}, {"securitySchemes", schemes}});
  return to_json(
      Value::object({{"openapi", "3.1.0"},
                     {"info", Value::object({{"title", "Fermata"}, {"version", version}})},
                     {"paths", std::move(paths)},
                     {"components", std::move(components)},
                     {"security", schema_of(R"([{"bearer":[]},{"key":[]}])")}}));
}

}  // namespace fermata::server
