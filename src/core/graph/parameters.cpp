#include "core/graph/parameters.h"

#include <algorithm>
#include <cmath>

#include "base/json.h"

namespace fermata::graph {
namespace {

std::vector<std::string_view> parameter_names(std::span<const Parameter> table) {
  std::vector<std::string_view> names;
  for (const Parameter& parameter : table) names.push_back(parameter.name);
  return names;
}

/// Null means absent except where any value is welcome and nothing stands in for it.
bool counts_as_absent(const Parameter& parameter, const Value& value) {
  bool welcome = parameter.kind == ParameterKind::any && parameter.standard.empty();
  return value.is_null() && !welcome;
}

/// Holds values against tables and fills in what was left out. `at` is a pointer inside the
/// canonical parameters.
class ParameterWalk {
 public:
  ParameterWalk(NodeParameters& node, Findings& findings) : node_(node), findings_(findings) {}

  Value object(std::span<const Parameter> table, const Value& written, const std::string& at) {
    Value result = Value::object();
    for (const auto& [key, value] : written.members()) {
      std::string name(key.as_string());
      std::string here = at + "/" + escape_pointer(name);
      const Parameter* parameter = parameter_named(table, name);
      if (parameter && counts_as_absent(*parameter, value)) continue;
      if (parameter == nullptr && !name.ends_with("edge_id")) unknown(table, name, here);
      result.set(name, parameter ? checked(*parameter, value, here) : value);
    }
    for (const Parameter& parameter : table) {
      if (result.find(parameter.name) != nullptr) continue;
      if (!parameter.standard.empty())
        result.set(parameter.name, parse_json(parameter.standard).value());
      else if (parameter.required)
        missing(parameter, at + "/" + escape_pointer(parameter.name));
    }
    return result;
  }

 private:
  Value checked(const Parameter& parameter, const Value& value, const std::string& at) {
    if (holds_expression(value) && !never_evaluated(parameter.kind)) {
      bool plain = parameter.literal || parameter.kind == ParameterKind::list;
      if (plain) invalid(at, parameter, value);
      return value;
    }
    if (!fits(parameter, value)) invalid(at, parameter, value);
    if (parameter.fields.empty() || !value.is_array()) return value;
    Value items = Value::array();
    for (size_t i = 0; i < value.size(); ++i) {
      const Value& item = value.items()[i];
      std::string here = at + "/" + std::to_string(i);
      if (!item.is_object())
        findings_.error("parameter_invalid", node_.written_at(here),
                        "Each element of " + quoted(parameter.name) + " is an object; this is " +
                            shown(item) + ".");
      items.push(item.is_object() ? object(parameter.fields, item, here) : item);
    }
    return items;
  }

  static bool fits(const Parameter& parameter, const Value& value) {
    switch (parameter.kind) {
      case ParameterKind::any: return true;
      case ParameterKind::text:
      case ParameterKind::edge:
      case ParameterKind::condition:
      case ParameterKind::fragment:
      case ParameterKind::plain: return value.is_string();
      case ParameterKind::boolean: return value.is_bool();
      case ParameterKind::object: return value.is_object();
      case ParameterKind::array:
      case ParameterKind::list:
      case ParameterKind::edges: return value.is_array();
      case ParameterKind::choice:
        return value.is_string() && is_one_of(value.as_string(), parameter.choices);
      case ParameterKind::number:
      case ParameterKind::whole: break;
    }
    auto number = number_in(value);
    if (!number || *number < parameter.least || *number > parameter.most) return false;
    return parameter.kind == ParameterKind::number || std::floor(*number) == *number;
  }

  static std::string expected(const Parameter& parameter) {
    switch (parameter.kind) {
      case ParameterKind::text:
      case ParameterKind::plain: return "text";
      case ParameterKind::edge: return "the id of an edge that leaves this node";
      case ParameterKind::edges: return "an array of edge ids or null";
      case ParameterKind::condition: return "a condition as text";
      case ParameterKind::fragment: return "code as text";
      case ParameterKind::boolean: return "true or false";
      case ParameterKind::object: return "an object";
      case ParameterKind::list: return "an array";
      case ParameterKind::array: return "an array or an expression that yields one";
      case ParameterKind::choice: return listed(parameter.choices);
      case ParameterKind::any: return "a value";
      case ParameterKind::number:
      case ParameterKind::whole: break;
    }
    std::string text = parameter.kind == ParameterKind::whole ? "a whole number" : "a number";
    bool bounded_below = std::isfinite(parameter.least),
         bounded_above = std::isfinite(parameter.most);
    if (bounded_below && bounded_above)
      return text + " from " + number_to_text(parameter.least) + " to " +
             number_to_text(parameter.most);
    if (bounded_below) return text + " of at least " + number_to_text(parameter.least);
    return text;
  }

  void invalid(const std::string& at, const Parameter& parameter, const Value& value) {
    std::vector<std::string_view> choices;
    if (!parameter.choices.empty()) choices = parts_of(parameter.choices);
    bool expression = holds_expression(value) && parameter.kind != ParameterKind::plain;
    findings_.error(
        "parameter_invalid", node_.written_at(at),
        quoted(parameter.name) + " must be " + expected(parameter) + "; it is " + shown(value) +
            (expression ? ", and no expression is possible here." : ".") +
            (value.is_string() ? suggestion(value.as_string(), choices) : std::string()));
  }

  void unknown(std::span<const Parameter> table, const std::string& name, const std::string& at) {
    auto names = parameter_names(table);
    findings_.warn("parameter_unknown", node_.written_at(at),
                   quoted(name) + " is no parameter of a " + std::string(wire_name(node_.type)) +
                       " node and has no effect." + suggestion(name, names));
  }

  void missing(const Parameter& parameter, const std::string& at) {
    findings_.error("parameter_missing", node_.written_at(at),
                    "A " + std::string(wire_name(node_.type)) + " node needs " +
                        quoted(parameter.name) + ": " + expected(parameter) + ".");
  }

  NodeParameters& node_;
  Findings& findings_;
};

/// Renames aliases and lifts the members of a wait's `config`, noting where each came from.
Value with_moves(NodeParameters& node, std::span<const Parameter> table, const Value& written,
                 Findings& findings) {
  Value flat = written;
  auto move_to = [&](std::string_view name, const Value& value, std::string from) {
    if (written.find(name) != nullptr) {
      findings.error("parameter_invalid", node.path + from,
                     quoted(name) + " is given twice; remove one of them.",
                     {node.path + "/" + escape_pointer(name)});
      return;
    }
    flat.set(name, value);
    node.moved.emplace_back(std::string(name), std::move(from));
  };
  for (const Parameter& parameter : table) {
    const Value* value = parameter.alias.empty() ? nullptr : written.find(parameter.alias);
    if (value == nullptr) continue;
    flat.erase(parameter.alias);
    move_to(parameter.name, *value, "/" + escape_pointer(parameter.alias));
  }
  const Value* config = node.type == NodeType::wait ? written.find("config") : nullptr;
  if (config == nullptr) return flat;
  flat.erase("config");
  if (!config->is_object() && !config->is_null())
    findings.error("parameter_invalid", node.path + "/config",
                   "\"config\" must be an object; it is " + shown(*config) + ".");
  if (config->is_object())
    for (const auto& [key, value] : config->members())
      move_to(key.as_string(), value, "/config/" + escape_pointer(key.as_string()));
  return flat;
}

}  // namespace

std::string NodeParameters::written_at(std::string_view pointer) const {
  std::string_view first = pointer.substr(0, pointer.find('/', 1));
  for (const auto& [name, from] : moved)
    if (first == "/" + escape_pointer(name))
      return path + from + std::string(pointer.substr(first.size()));
  return path + std::string(pointer);
}

const Value* NodeParameters::literal(std::string_view name) const {
  const Value* value = values.find(name);
  return value == nullptr || holds_expression(*value) ? nullptr : value;
}

NodeSchema schema_of(NodeType type, const Value& written) {
  switch (type) {
    case NodeType::manual:
    case NodeType::webhook:
    case NodeType::schedule: return trigger_schema(type);
    case NodeType::http: return http_schema();
    case NodeType::smtp: return smtp_schema();
    case NodeType::job:
    case NodeType::subworkflow:
    case NodeType::signal: return work_schema(type);
    case NodeType::wait: return wait_schema(written);
    case NodeType::wait_for_signal: return wait_for_signal_schema();
    case NodeType::approval: return approval_schema();
    case NodeType::conditional:
    case NodeType::switch_:
    case NodeType::loop:
    case NodeType::split:
    case NodeType::aggregator:
    case NodeType::merge:
    case NodeType::fail:
    case NodeType::noop: return flow_schema(type);
    case NodeType::code:
    case NodeType::edit:
    case NodeType::filter:
    case NodeType::sort:
    case NodeType::limit:
    case NodeType::log: return data_schema(type);
    case NodeType::date_time_now:
    case NodeType::date_time_add:
    case NodeType::date_time_subtract:
    case NodeType::date_time_format:
    case NodeType::date_time_parse: return date_schema(type);
  }
  return {};
}

NodeParameters check_parameters(NodeType type, const Value& written, std::string path,
                                Findings& findings) {
  NodeParameters node;
  node.type = type;
  node.path = std::move(path);
  NodeSchema schema = schema_of(type, written);
  Value flat = with_moves(node, schema.parameters, written, findings);
  node.values = ParameterWalk(node, findings).object(schema.parameters, flat, "");
  if (schema.rules) schema.rules(node, findings);
  return node;
}

}  // namespace fermata::graph
