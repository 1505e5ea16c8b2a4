#include "core/graph/parameters.h"
#include "core/wait/zone_table.h"

namespace fermata::graph {
namespace {

using Kind = ParameterKind;

constexpr std::string_view date_units = "seconds|minutes|hours|days|weeks|months|years";

constexpr Parameter date_now_parameters[] = {
    {.name = "timezone", .kind = Kind::text, .standard = "\"UTC\""},
    {.name = "format", .kind = Kind::text},
};

// Without a date these count from the present, which is no fixed default.
constexpr Parameter date_shift_parameters[] = {
    {.name = "date"},
    {.name = "amount", .kind = Kind::number, .required = true},
    {.name = "unit", .kind = Kind::choice, .standard = "\"days\"", .choices = date_units},
    {.name = "timezone", .kind = Kind::text, .standard = "\"UTC\""},
    {.name = "format", .kind = Kind::text},
};

constexpr Parameter date_text_parameters[] = {
    {.name = "date", .required = true},
    {.name = "timezone", .kind = Kind::text, .standard = "\"UTC\""},
    {.name = "format", .kind = Kind::text},
};

/// A run fails where the zone is not known; that is worth a word before.
void warn_of_zone(const NodeParameters& node, Findings& findings) {
  check_zone(node, "timezone", "", true, findings);
}

}  // namespace

void check_zone(const NodeParameters& node, std::string_view name, std::string_view code,
                bool offsets, Findings& findings) {
  const Value* zone = node.literal(name);
  if (findings.zones == nullptr || zone == nullptr || !zone->is_string()) return;
  std::string_view written = zone->as_string();
  if (findings.zones->find(written) || (offsets && written.empty())) return;
  if (offsets && zone_or_offset(*findings.zones, written)) return;
  std::string path = node.written_at("/" + std::string(name));
  std::string message = findings.zones->refusal(written);
  if (!code.empty()) return findings.error(code, std::move(path), std::move(message));
  findings.warn("parameter_invalid", std::move(path),
                message + " Every run fails here with timezone_unknown.");
}

NodeSchema date_schema(NodeType type) {
  switch (type) {
    case NodeType::date_time_now: return {date_now_parameters, warn_of_zone};
    case NodeType::date_time_add:
    case NodeType::date_time_subtract: return {date_shift_parameters, warn_of_zone};
    case NodeType::date_time_format:
    case NodeType::date_time_parse: return {date_text_parameters, warn_of_zone};
    default: return {};
  }
}

}  // namespace fermata::graph
