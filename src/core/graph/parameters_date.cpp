#include "core/graph/parameters.h"

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

}  // namespace

NodeSchema date_schema(NodeType type) {
  switch (type) {
    case NodeType::date_time_now:
      return {date_now_parameters};
    case NodeType::date_time_add:
    case NodeType::date_time_subtract:
      return {date_shift_parameters};
    case NodeType::date_time_format:
    case NodeType::date_time_parse:
      return {date_text_parameters};
    default:
      return {};
  }
}

}  // namespace fermata::graph
