#include "core/graph/nodes/parts.h"

#include "core/graph/check_words.h"

namespace fermata::graph {

EdgeIndex route_edge(const Node& node, size_t route) {
  return route < node.routes.size() ? node.routes[route] : no_edge;
}

Failure<NodeError> parameter_failure(std::string_view name, std::string_view expected,
                                     const Value& value) {
  return node_failure(
      "parameter_invalid",
      quoted(name) + " must be " + std::string(expected) + "; it is " + shown(value) + ".",
      Value::object({{"parameter", name}}));
}

Result<std::string_view, NodeError> text_parameter(const Value& parameters, std::string_view name,
                                                   std::string_view standard) {
  const Value& value = parameters.get(name);
  if (value.is_null()) return standard;
  if (!value.is_string()) return parameter_failure(name, "text", value);
  return value.as_string();
}

Result<std::string_view, NodeError> choice_parameter(const Value& parameters, std::string_view name,
                                                     std::string_view choices) {
  const Value& value = parameters.get(name);
  if (value.is_null()) return choices.substr(0, choices.find('|'));
  if (!value.is_string() || !is_one_of(value.as_string(), choices))
    return parameter_failure(name, listed(choices), value);
  return value.as_string();
}

Result<bool, NodeError> condition_parameter(const NodeInput& input, std::string_view pointer) {
  const flow::Expression* condition = input.node.expression(pointer);
  if (condition == nullptr) return parameter_failure(pointer.substr(1), "a condition", {});
  auto truth = flow::holds(*condition, input.roots, input.expression_given);
  if (!truth) return node_failure(truth.error());
  return *truth;
}

std::optional<Value> ElementRoots::root(std::string_view name) const {
  if (name == (as_ == As::json ? "json" : "item")) return *element_;
  if (as_ == As::item && name == "index") return Value(index_);
  return outer_.root(name);
}

flow::EvalGiven next_given(const flow::EvalGiven& given, Random& dice) {
  flow::EvalGiven next = given;
  next.entropy = dice.next();
  return next;
}

Failure<NodeError> at_element(NodeError error, size_t index) {
  if (error.details.is_null()) error.details = Value::object();
  if (error.details.is_object()) error.details.set("index", index);
  return {std::move(error)};
}

}  // namespace fermata::graph
