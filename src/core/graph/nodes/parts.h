#pragma once
#include <string_view>

#include "base/random.h"
#include "core/graph/nodes/node.h"

/// What several node types share: reading parameters, conditions, elements of arrays.
namespace fermata::graph {

// Positions in Node::routes, and what `max_visits` may be at most (G-6).
constexpr size_t conditional_true = 0;
constexpr size_t conditional_false = 1;
constexpr size_t loop_body = 0;
constexpr size_t loop_done = 1;
constexpr size_t approval_approve = 0;
constexpr size_t approval_reject = 1;
constexpr int64_t loop_visits_max = 100'000;
/// The edge of a route; no_edge where the definition names none.
EdgeIndex route_edge(const Node& node, size_t route);

/// `parameter_invalid`: what the parameter must be and what it came out as.
Failure<NodeError> parameter_failure(std::string_view name, std::string_view expected,
                                     const Value& value);
/// A parameter that is text; null and absent give `standard`.
Result<std::string_view, NodeError> text_parameter(const Value& parameters, std::string_view name,
                                                   std::string_view standard);
/// A parameter that is one of `choices` ("a|b|c"); the first is the default. An expression may have
/// put anything there, so the check at save is not enough.
Result<std::string_view, NodeError> choice_parameter(const Value& parameters, std::string_view name,
                                                     std::string_view choices);

/// The truth of the raw condition at `pointer`.
Result<bool, NodeError> condition_parameter(const NodeInput& input, std::string_view pointer);

/// The roots of a token with one element of an array in place of `$json`, or of `$item` and
/// `$index`. The element is borrowed and must outlive the evaluation.
class ElementRoots final : public flow::Roots {
 public:
  enum class As : uint8_t { json, item };
  ElementRoots(const flow::Roots& outer, As as) : outer_(outer), as_(as) {}
  void stand_on(const Value& element, size_t index) {
    element_ = &element;
    index_ = index;
  }
  std::optional<Value> root(std::string_view name) const override;

 private:
  const flow::Roots& outer_;
  As as_;
  const Value* element_ = nullptr;
  size_t index_ = 0;
};

/// The same limits with fresh entropy: a node that evaluates one text for many elements must not
/// draw the same random number for each.
flow::EvalGiven next_given(const flow::EvalGiven& given, Random& dice);

/// A failure with the position of the element it happened at.
Failure<NodeError> at_element(NodeError error, size_t index);

}  // namespace fermata::graph
