#include "core/flow/expression.h"
#include "core/graph/parameters.h"

namespace fermata::graph {
namespace {

using Kind = ParameterKind;

constexpr double barrier_seconds_max = 3'153'600'000;  // a hundred years

constexpr Parameter conditional_parameters[] = {
    {.name = "expression", .kind = Kind::condition, .required = true},
    {.name = "true_edge_id", .kind = Kind::edge},
    {.name = "false_edge_id", .kind = Kind::edge},
};

constexpr Parameter switch_rule_fields[] = {
    {.name = "value", .raw = true},
    {.name = "operator", .kind = Kind::plain},
    {.name = "compare", .raw = true},
    {.name = "when", .kind = Kind::condition},
};

constexpr Parameter switch_parameters[] = {
    {.name = "rules",
     .kind = Kind::list,
     .required = true,
     .raw = true,
     .fields = switch_rule_fields},
    {.name = "routes", .kind = Kind::edges, .standard = "[]"},
};

constexpr Parameter loop_parameters[] = {
    {.name = "while", .kind = Kind::condition, .required = true},
    {.name = "body_edge_id", .kind = Kind::edge},
    {.name = "done_edge_id", .kind = Kind::edge},
    {.name = "max_visits", .kind = Kind::whole, .standard = "1000", .least = 1, .most = 100'000},
};

constexpr Parameter split_parameters[] = {
    {.name = "input_array", .kind = Kind::array, .required = true},
    {.name = "batch_size", .kind = Kind::whole, .standard = "1", .least = 1},
    {.name = "max_parallel", .kind = Kind::whole, .standard = "0", .least = 0},
    {.name = "on_item_error",
     .kind = Kind::choice,
     .standard = "\"collect\"",
     .choices = "collect|halt"},
};

// The timeout is evaluated for the token that opens the scope, the others when it has closed.
constexpr Parameter aggregator_parameters[] = {
    {.name = "result", .raw = true},
    {.name = "drop_ended", .kind = Kind::boolean, .standard = "false"},
    {.name = "fail_on_errors", .kind = Kind::boolean, .standard = "false"},
    {.name = "timeout",
     .kind = Kind::number,
     .standard = "0",
     .least = 0,
     .most = barrier_seconds_max},
    {.name = "on_timeout", .kind = Kind::choice, .standard = "\"fail\"", .choices = "fail|partial"},
};

constexpr Parameter merge_parameters[] = {
    {.name = "wait_mode",
     .kind = Kind::choice,
     .standard = "\"wait_for_all\"",
     .choices = "wait_for_all|wait_for_any"},
    {.name = "mode",
     .kind = Kind::choice,
     .standard = "\"append\"",
     .choices = "append|combine_by_key|combine_by_position|union"},
    {.name = "timeout",
     .kind = Kind::number,
     .standard = "300",
     .least = 0,
     .most = barrier_seconds_max},
    {.name = "key", .kind = Kind::text},
    {.name = "join", .kind = Kind::choice, .standard = "\"outer\"", .choices = "outer|inner"},
    {.name = "flatten", .kind = Kind::boolean, .standard = "false"},
    {.name = "cancel_losers", .kind = Kind::boolean, .standard = "false"},
};

constexpr Parameter fail_parameters[] = {
    {.name = "code", .kind = Kind::text, .standard = "\"failed_by_node\""},
    {.name = "message"},
    {.name = "details"},
};

/// A rule is either a condition or a comparison whose operator is known (G-16, G-42).
void check_switch_rule(const NodeParameters& node, const Value& rule, const std::string& at,
                       Findings& findings) {
  bool compares = rule.find("value") || rule.find("operator") || rule.find("compare");
  if (rule.find("when") != nullptr) {
    if (compares)
      findings.error("parameter_invalid", node.written_at(at),
                     "A rule has either \"when\", or \"value\", \"operator\" and \"compare\".");
    return;
  }
  if (!compares) {
    findings.error("parameter_missing", node.written_at(at + "/when"),
                   "A rule needs \"when\", or \"value\", \"operator\" and \"compare\".");
    return;
  }
  if (rule.find("value") == nullptr)
    findings.error("parameter_missing", node.written_at(at + "/value"),
                   "The rule does not say which \"value\" it looks at.");
  check_rule_operator(node, rule, at, findings);
  bool alone = rule.get("operator").is_string() && rule.get("operator").as_string() == "exists";
  if (rule.find("compare") == nullptr && !alone)
    findings.error("parameter_missing", node.written_at(at + "/compare"),
                   "The rule does not say what its value is to \"compare\" with.");
}

void check_switch(const NodeParameters& node, Findings& findings) {
  const Value& rules = node.values.get("rules");
  if (!rules.is_array()) return;
  for (size_t i = 0; i < rules.size(); ++i)
    if (rules.items()[i].is_object())
      check_switch_rule(node, rules.items()[i], "/rules/" + std::to_string(i), findings);
  const Value& routes = node.values.get("routes");
  for (size_t i = rules.size() + 1; i < routes.size(); ++i)
    findings.error("parameter_invalid", node.written_at("/routes/" + std::to_string(i)),
                   "There are " + std::to_string(rules.size()) + " rules, so at most " +
                       std::to_string(rules.size() + 1) + " routes: one per rule, then the " +
                       "fallback. Remove this one.");
}

void check_merge(const NodeParameters& node, Findings& findings) {
  const Value& mode = node.values.get("mode");
  bool by_key = mode.is_string() && mode.as_string() == "combine_by_key";
  if (by_key && node.values.find("key") == nullptr)
    findings.error("parameter_missing", node.written_at("/key"),
                   "Mode combine_by_key needs \"key\": the path of the field to join by.");
}

}  // namespace

void check_rule_operator(const NodeParameters& node, const Value& rule, const std::string& at,
                         Findings& findings) {
  constexpr std::string_view known =
      "==|!=|>|<|>=|<=|contains|in|starts_with|ends_with|exists|is equal to|is not equal to|"
      "is greater than|is less than|is greater than or equal to|is less than or equal to";
  const Value* name = rule.find("operator");
  if (name == nullptr) {
    findings.error("parameter_missing", node.written_at(at + "/operator"),
                   "The rule needs an \"operator\": " + listed(known) + ".");
    return;
  }
  if (!name->is_string() || flow::is_rule_operator(name->as_string())) return;
  findings.error("parameter_invalid", node.written_at(at + "/operator"),
                 shown(*name) + " is no operator; use " + listed(known) + "." +
                     suggestion(name->as_string(), parts_of(known)));
}

NodeSchema flow_schema(NodeType type) {
  switch (type) {
    case NodeType::conditional: return {conditional_parameters};
    case NodeType::switch_: return {switch_parameters, check_switch};
    case NodeType::loop: return {loop_parameters};
    case NodeType::split: return {split_parameters};
    case NodeType::aggregator: return {aggregator_parameters};
    case NodeType::merge: return {merge_parameters, check_merge};
    case NodeType::fail: return {fail_parameters};
    default: return {};
  }
}

}  // namespace fermata::graph
