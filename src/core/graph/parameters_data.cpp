#include "core/graph/parameters.h"

namespace fermata::graph {
namespace {

using Kind = ParameterKind;

constexpr Parameter code_parameters[] = {
    {.name = "source", .kind = Kind::fragment, .required = true},
};

constexpr Parameter assignment_fields[] = {
    {.name = "name", .kind = Kind::text, .required = true},
    {.name = "value", .required = true, .raw = true},
    {.name = "type",
     .kind = Kind::choice,
     .standard = "\"auto\"",
     .choices = "auto|string|number|boolean|json"},
};

constexpr Parameter edit_parameters[] = {
    {.name = "mode",
     .kind = Kind::choice,
     .standard = "\"assignments\"",
     .choices = "assignments|keep_only"},
    {.name = "assignments", .kind = Kind::list, .standard = "[]", .fields = assignment_fields},
    {.name = "target_path", .kind = Kind::text, .alias = "array_path"},
};

constexpr Parameter filter_rule_fields[] = {
    {.name = "field", .kind = Kind::plain, .required = true},
    {.name = "operator", .kind = Kind::plain},
    {.name = "value", .raw = true},
};

constexpr Parameter filter_parameters[] = {
    {.name = "input_array", .kind = Kind::array, .standard = "\"$json\""},
    {.name = "match_mode", .kind = Kind::choice, .standard = "\"all\"", .choices = "all|any"},
    {.name = "rules", .kind = Kind::list, .raw = true, .fields = filter_rule_fields},
    {.name = "where", .kind = Kind::condition},
};

constexpr Parameter sort_rule_fields[] = {
    {.name = "field", .kind = Kind::plain, .required = true},
    {.name = "direction", .kind = Kind::choice, .standard = "\"asc\"", .choices = "asc|desc"},
    {.name = "type",
     .kind = Kind::choice,
     .standard = "\"auto\"",
     .choices = "auto|text|number|date"},
};

constexpr Parameter sort_parameters[] = {
    {.name = "input_array", .kind = Kind::array, .standard = "\"$json\""},
    {.name = "rules", .kind = Kind::list, .required = true, .fields = sort_rule_fields},
};

constexpr Parameter limit_parameters[] = {
    {.name = "input_array", .kind = Kind::array, .standard = "\"$json\""},
    {.name = "count", .kind = Kind::whole, .least = 0, .required = true},
};

constexpr Parameter log_parameters[] = {
    {.name = "message", .required = true},
    {.name = "level",
     .kind = Kind::choice,
     .standard = "\"info\"",
     .choices = "debug|info|warn|error"},
};

void check_filter(const NodeParameters& node, Findings& findings) {
  const Value* rules = node.values.find("rules");
  const Value* where = node.values.find("where");
  if (rules && where)
    findings.error("parameter_invalid", node.written_at("/where"),
                   "A filter has either \"rules\" or \"where\"; remove one of them.",
                   {node.written_at("/rules")});
  if (!rules && !where)
    findings.error("parameter_missing", node.written_at("/rules"),
                   "A filter needs \"rules\" or a condition \"where\".");
  if (!rules || !rules->is_array()) return;
  for (size_t i = 0; i < rules->size(); ++i) {
    const Value& rule = rules->items()[i];
    if (!rule.is_object()) continue;
    std::string at = "/rules/" + std::to_string(i);
    check_rule_operator(node, rule, at, findings);
    bool alone = rule.get("operator").is_string() && rule.get("operator").as_string() == "exists";
    if (rule.find("value") == nullptr && !alone)
      findings.error("parameter_missing", node.written_at(at + "/value"),
                     "The rule does not say which \"value\" its field is compared with.");
  }
}

void check_sort(const NodeParameters& node, Findings& findings) {
  const Value& rules = node.values.get("rules");
  if (rules.is_array() && rules.size() == 0)
    findings.error("parameter_invalid", node.written_at("/rules"),
                   "\"rules\" needs at least one {\"field\", \"direction\"}.");
}

}  // namespace

NodeSchema data_schema(NodeType type) {
  switch (type) {
    case NodeType::code: return {code_parameters};
    case NodeType::edit: return {edit_parameters};
    case NodeType::filter: return {filter_parameters, check_filter};
    case NodeType::sort: return {sort_parameters, check_sort};
    case NodeType::limit: return {limit_parameters};
    case NodeType::log: return {log_parameters};
    default: return {};
  }
}

}  // namespace fermata::graph
