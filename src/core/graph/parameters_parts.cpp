#include "base/json.h"
#include "core/graph/parameters.h"

namespace fermata::graph {

const Parameter* parameter_named(std::span<const Parameter> table, std::string_view name) {
  for (const Parameter& parameter : table)
    if (parameter.name == name) return &parameter;
  return nullptr;
}

bool never_evaluated(ParameterKind kind) {
  return kind == ParameterKind::edge || kind == ParameterKind::edges ||
         kind == ParameterKind::condition || kind == ParameterKind::fragment ||
         kind == ParameterKind::plain;
}

namespace {

/// Puts each parameter where whoever evaluates it will look for it.
class PartSorter {
 public:
  ParameterParts sorted(std::span<const Parameter> table, const Value& values) {
    parts_.evaluated = rest_of(table, values, "");
    return std::move(parts_);
  }

 private:
  /// The members of an object that are evaluated with the node; the others go to `parts_`. What the
  /// table does not know has no effect, so it is not evaluated either.
  Value rest_of(std::span<const Parameter> table, const Value& object, const std::string& at) {
    Value rest = Value::object();
    for (const auto& [key, value] : object.members()) {
      const Parameter* parameter = parameter_named(table, key.as_string());
      if (parameter == nullptr) continue;
      std::string here = at + "/" + escape_pointer(key.as_string());
      bool nested = !parameter->fields.empty() && value.is_array();
      Value left = nested ? rest_of_items(parameter->fields, value, here) : value;
      if (is_evaluated(*parameter, value, here)) rest.set(key.as_string(), std::move(left));
    }
    return rest;
  }

  Value rest_of_items(std::span<const Parameter> fields, const Value& list, const std::string& at) {
    Value items = Value::array();
    for (size_t i = 0; i < list.size(); ++i) {
      const Value& item = list.items()[i];
      std::string here = at + "/" + std::to_string(i);
      items.push(item.is_object() ? rest_of(fields, item, here) : Value::object());
    }
    return items;
  }

  bool is_evaluated(const Parameter& parameter, const Value& value, const std::string& at) {
    bool parsed =
        parameter.kind == ParameterKind::condition || parameter.kind == ParameterKind::fragment;
    if (parsed && value.is_string()) parts_.expressions.push_back({at, parameter.kind, value});
    if (parameter.raw && !parameter.literal && parameter.kind == ParameterKind::any)
      parts_.templates.push_back({at, parameter.kind, value});
    return !parameter.raw && !never_evaluated(parameter.kind);
  }

  ParameterParts parts_;
};

}  // namespace

ParameterParts take_apart(const NodeParameters& node) {
  NodeSchema schema = schema_of(node.type, node.values);
  return PartSorter().sorted(schema.parameters, node.values);
}

}  // namespace fermata::graph
