#include "core/graph/check_words.h"
#include "core/graph/nodes/field_path.h"
#include "core/graph/nodes/list.h"
#include "core/graph/nodes/parts.h"

namespace fermata::graph {
namespace {

struct FilterRule {
  std::string field_text;
  FieldPath field;
  std::string operator_name;
  const Template* source = nullptr;
  /// What the field is compared with, when it is the same for every element.
  std::optional<Value> fixed;
};

bool mentions_element(const Template& value) {
  for (const std::string& root : value.roots())
    if (root == "item" || root == "index") return true;
  return false;
}

Result<FilterRule, NodeError> read_rule(const NodeInput& input, const Value& fields, size_t index) {
  FilterRule rule;
  FERMATA_TRY(field, text_parameter(fields, "field", ""));
  FERMATA_TRY(name, text_parameter(fields, "operator", "=="));
  auto path = FieldPath::parse(field);
  if (!path) return parameter_failure("field", "a path into the element", fields.get("field"));
  if (!flow::is_rule_operator(name))
    return parameter_failure("operator", "a comparison", fields.get("operator"));
  rule.field_text = field;
  rule.field = *std::move(path);
  rule.operator_name = name;
  rule.source = input.node.templated("/rules/" + std::to_string(index) + "/value");
  if (rule.source == nullptr) rule.fixed = Value();
  if (rule.fixed || mentions_element(*rule.source)) return rule;
  auto value = evaluate(*rule.source, input.roots, input.expression_given);
  if (!value) return node_failure(value.error());
  rule.fixed = *std::move(value);
  return rule;
}

/// A field that is missing or null can be equal, unequal and not exist, but it has no order and
/// contains nothing.
bool takes_null(std::string_view name) {
  return is_one_of(name, "==|!=|is equal to|is not equal to|exists");
}

/// Decides for one element after the other whether it stays.
class Sieve {
 public:
  Sieve(const NodeInput& input, std::vector<FilterRule> rules, bool any)
      : where_(input.node.expression("/where")),
        given_(input.expression_given),
        rules_(std::move(rules)),
        any_(any),
        roots_(input.roots, ElementRoots::As::item),
        dice_(input.expression_given.entropy) {}

  Result<bool, NodeError> keeps(const Value& element, size_t index) {
    roots_.stand_on(element, index);
    if (where_ != nullptr) {
      auto truth = flow::holds(*where_, roots_, next_given(given_, dice_));
      if (!truth) return node_failure(truth.error());
      return *truth;
    }
    for (const FilterRule& rule : rules_) {
      FERMATA_TRY(matches, rule_matches(rule, element));
      if (matches == any_) return any_;
    }
    return !any_;
  }

 private:
  Result<bool, NodeError> rule_matches(const FilterRule& rule, const Value& element) {
    const Value* found = rule.field.find(element);
    Value left = found ? *found : Value();
    if (left.is_null() && !takes_null(rule.operator_name)) return false;
    FERMATA_TRY(right, compared_with(rule));
    auto matches = flow::compare_by_rule(left, rule.operator_name, right);
    if (matches) return *matches;
    return node_failure(
        "not_comparable", matches.error().message,
        Value::object({{"field", rule.field_text}, {"operator", rule.operator_name}}));
  }

  Result<Value, NodeError> compared_with(const FilterRule& rule) {
    if (rule.fixed) return *rule.fixed;
    auto value = evaluate(*rule.source, roots_, next_given(given_, dice_));
    if (!value) return node_failure(value.error());
    return *std::move(value);
  }

  const flow::Expression* where_;
  const flow::EvalGiven& given_;
  std::vector<FilterRule> rules_;
  bool any_;
  ElementRoots roots_;
  Random dice_;
};

}  // namespace

NodeResult run_filter(const NodeInput& input) {
  FERMATA_TRY(array, list_input(input));
  FERMATA_TRY(mode, choice_parameter(input.parameters, "match_mode", "all|any"));
  const Value& list = input.node.raw.get("rules");
  std::vector<FilterRule> rules;
  for (size_t i = 0; i < list.size(); ++i) {
    FERMATA_TRY(rule, read_rule(input, list.items()[i], i));
    rules.push_back(std::move(rule));
  }
  Sieve sieve(input, std::move(rules), mode == "any");
  std::vector<Value> kept;
  for (size_t i = 0; i < array.size(); ++i) {
    const Value& element = array.items()[i];
    auto stays = sieve.keeps(element, i);
    if (!stays) return at_element(std::move(stays).error(), i);
    if (*stays) kept.push_back(element);
  }
  size_t total = array.size();
  if (kept.size() == total) return list_output(std::move(array), total);
  return list_output(Value::array(std::move(kept)), total);
}

}  // namespace fermata::graph
