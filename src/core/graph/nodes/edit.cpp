#include "core/graph/check_words.h"
#include "core/graph/nodes/cast.h"
#include "core/graph/nodes/field_path.h"
#include "core/graph/nodes/parts.h"

namespace fermata::graph {
namespace {

struct Assignment {
  std::string text;  ///< the name as given, for messages
  DottedName name;
  CastType type = CastType::automatic;
  const Template* source = nullptr;
  std::optional<Value> constant;  ///< already cast, when it is the same for every element
};

struct EditPlan {
  bool keep_only = false;
  std::vector<Assignment> assignments;
};

Result<Value, NodeError> assigned_value(const Assignment& assignment, const flow::Roots& roots,
                                        const flow::EvalGiven& given) {
  auto value = evaluate(*assignment.source, roots, given);
  if (!value) return node_failure(value.error());
  return cast(*std::move(value), assignment.type, assignment.text);
}

Result<Assignment, NodeError> read_assignment(const NodeInput& input, const Value& fields,
                                              size_t index) {
  Assignment assignment;
  FERMATA_TRY(name, text_parameter(fields, "name", ""));
  FERMATA_TRY(type, choice_parameter(fields, "type", cast_choices));
  auto dotted = DottedName::parse(name);
  if (!dotted)
    return parameter_failure("name", "a field name, or several with a dot between them",
                             fields.get("name"));
  std::string at = "/assignments/" + std::to_string(index) + "/value";
  assignment.source = input.node.templated(at);
  if (assignment.source == nullptr) return parameter_failure("value", "given", {});
  assignment.text = name;
  assignment.name = *std::move(dotted);
  assignment.type = cast_type_of(type);
  if (!assignment.source->constant()) return assignment;
  FERMATA_TRY(value, assigned_value(assignment, input.roots, input.expression_given));
  assignment.constant = std::move(value);
  return assignment;
}

Result<EditPlan, NodeError> read_plan(const NodeInput& input) {
  EditPlan plan;
  FERMATA_TRY(mode, choice_parameter(input.parameters, "mode", "assignments|keep_only"));
  plan.keep_only = mode == "keep_only";
  const Value& list = input.parameters.get("assignments");
  for (size_t i = 0; i < list.size(); ++i) {
    FERMATA_TRY(assignment, read_assignment(input, list.items()[i], i));
    plan.assignments.push_back(std::move(assignment));
  }
  return plan;
}

/// Applies a plan to one value after the other.
class Editor {
 public:
  Editor(const NodeInput& input, const EditPlan& plan)
      : given_(input.expression_given),
        plan_(plan),
        roots_(input.roots, ElementRoots::As::json),
        dice_(input.expression_given.entropy) {}

  /// Every assignment sees the element as it was, so their order does not matter to what they read.
  Result<Value, NodeError> edited(const Value& element, size_t index = 0) {
    roots_.stand_on(element, index);
    Value result = plan_.keep_only || element.is_null() ? Value::object() : element;
    for (const Assignment& assignment : plan_.assignments) {
      FERMATA_TRY(value, value_of(assignment));
      if (assignment.name.assign(result, std::move(value))) continue;
      return node_failure("path_conflict",
                          quoted(assignment.text) + " leads through a value that is no object.",
                          Value::object({{"name", assignment.text}}));
    }
    return result;
  }

  Result<Value, NodeError> edited_each(const Value& array) {
    std::vector<Value> results;
    results.reserve(array.size());
    for (const Value& element : array.items()) {
      auto result = edited(element, results.size());
      if (!result) return at_element(std::move(result).error(), results.size());
      results.push_back(*std::move(result));
    }
    return Value::array(std::move(results));
  }

 private:
  Result<Value, NodeError> value_of(const Assignment& assignment) {
    if (assignment.constant) return *assignment.constant;
    return assigned_value(assignment, roots_, next_given(given_, dice_));
  }

  const flow::EvalGiven& given_;
  const EditPlan& plan_;
  ElementRoots roots_;
  Random dice_;
};

}  // namespace

NodeResult run_edit(const NodeInput& input) {
  FERMATA_TRY(plan, read_plan(input));
  FERMATA_TRY(path_text, text_parameter(input.parameters, "target_path", ""));
  auto path = FieldPath::parse(path_text);
  if (!path)
    return parameter_failure("target_path", "a path such as items or order.lines", path_text);
  Value json = input.roots.root("json").value_or(Value());
  const Value* target = path->find(json);
  if (target == nullptr) {
    std::string reference = "$json." + std::string(path_text);
    return node_failure(
        "unresolved_reference", "There is nothing at " + quoted(reference) + ".",
        Value::object({{"references", Value::array({Value::object(
                                          {{"reference", reference}, {"missing", path_text}})})}}));
  }
  Editor editor(input, plan);
  FERMATA_TRY(result, target->is_array() ? editor.edited_each(*target) : editor.edited(*target));
  NodeOutput done;
  done.output = Value::object();
  if (path->empty())
    json = std::move(result);
  else
    path->replace(json, std::move(result));
  done.json = std::move(json);
  return done;
}

}  // namespace fermata::graph
