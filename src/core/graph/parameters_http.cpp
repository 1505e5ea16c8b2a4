#include "core/graph/parameters.h"

namespace fermata::graph {
namespace {

using Kind = ParameterKind;

constexpr double http_timeout_s_max = 86'400;
constexpr double http_delay_s_max = 30 * 86'400;

constexpr Parameter http_parameters[] = {
    {.name = "method",
     .kind = Kind::choice,
     .standard = "\"GET\"",
     .choices = "GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS"},
    {.name = "url", .kind = Kind::text, .required = true},
    {.name = "query", .kind = Kind::object},
    {.name = "headers", .kind = Kind::object},
    {.name = "body"},
    {.name = "body_type",
     .kind = Kind::choice,
     .standard = "\"json\"",
     .choices = "json|form|text"},
    {.name = "response",
     .kind = Kind::choice,
     .standard = "\"auto\"",
     .choices = "auto|json|text|base64"},
    {.name = "retry", .kind = Kind::whole, .standard = "0", .least = 0, .most = 1'000},
    {.name = "retry_delay",
     .kind = Kind::number,
     .standard = "0",
     .least = 0,
     .most = http_delay_s_max},
    {.name = "timeout",
     .kind = Kind::number,
     .standard = "30",
     .least = 0,
     .most = http_timeout_s_max},
    {.name = "raise_on_status", .kind = Kind::text, .standard = "\"\""},
    {.name = "ignore_ssl", .kind = Kind::boolean, .standard = "false"},
    {.name = "follow_redirects", .kind = Kind::whole, .standard = "5", .least = 0, .most = 50},
    {.name = "at_most_once", .kind = Kind::boolean, .standard = "false"},
};

/// A status such as 503, or a group such as 4xx.
bool is_status_pattern(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  if (text.size() != 3 || text[0] < '1' || text[0] > '5') return false;
  auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  auto is_x = [](char c) { return c == 'x' || c == 'X'; };
  return (is_digit(text[1]) && is_digit(text[2])) || (is_x(text[1]) && is_x(text[2]));
}

void check_http(const NodeParameters& node, Findings& findings) {
  const Value* url = node.literal("url");
  if (url && url->is_string()) {
    std::string_view address = url->as_string();
    if (!address.starts_with("http://") && !address.starts_with("https://"))
      findings.error("parameter_invalid", node.written_at("/url"),
                     "\"url\" must begin with http:// or https://; it is " + shown(*url) + ".");
  }
  const Value* statuses = node.literal("raise_on_status");
  if (statuses == nullptr || !statuses->is_string() || statuses->as_string().empty()) return;
  for (std::string_view pattern : parts_of(statuses->as_string(), ','))
    if (!is_status_pattern(pattern))
      findings.error("parameter_invalid", node.written_at("/raise_on_status"),
                     quoted(pattern) + " is no status; write statuses and groups separated by " +
                         "commas, such as 4xx,503.");
}

}  // namespace

NodeSchema http_schema() { return {http_parameters, check_http}; }

}  // namespace fermata::graph
