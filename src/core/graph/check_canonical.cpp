#include "base/hash.h"
#include "base/json.h"
#include "core/graph/check_state.h"

namespace fermata::graph {
namespace {

std::string_view policy_name(ErrorPolicy policy) {
  switch (policy) {
    case ErrorPolicy::ignore: return "ignore";
    case ErrorPolicy::branch: return "branch";
    case ErrorPolicy::halt: break;
  }
  return "halt";
}

Value canonical_retry(const RetryPolicy& retry) {
  Value codes = Value::array();
  for (const std::string& code : retry.retry_on) codes.push(code);
  return Value::object({{"backoff_ms", retry.backoff_ms},
                        {"jitter", retry.jitter},
                        {"max_attempts", retry.max_attempts},
                        {"max_backoff_ms", retry.max_backoff_ms},
                        {"multiplier", retry.multiplier},
                        {"retry_on", std::move(codes)}});
}

Value canonical_node(const Node& node, const NodeDraft& draft) {
  Value error = Value::object({{"type", policy_name(node.on_error)}});
  if (!draft.error_edge.empty()) error.set("error_edge", draft.error_edge);
  Value form = Value::object({{"disabled", node.disabled},
                              {"error", std::move(error)},
                              {"id", node.id},
                              {"name", node.name},
                              {"parameters", node.raw},
                              {"trigger", node.trigger},
                              {"type", wire_name(node.type)}});
  if (!node.credentials.is_null()) form.set("credentials", node.credentials);
  if (node.retry.given) form.set("retry", canonical_retry(node.retry));
  if (node.timeout_ms) form.set("timeout_ms", *node.timeout_ms);
  // A loop's limit may come from its parameters, which are part of the form already.
  if (!draft.written->get("max_visits").is_null()) form.set("max_visits", *node.max_visits);
  if (!node.webhook_guid.empty()) form.set("webhook_guid", node.webhook_guid);
  return form;
}

/// Members that `known` does not name, and those in `also`.
Value extra_fields(const Value& object, std::string_view known, std::string_view also) {
  Value extra = Value::object();
  for (const auto& [key, value] : object.members())
    if (!is_one_of(key.as_string(), known) || is_one_of(key.as_string(), also))
      extra.set(key.as_string(), value);
  return extra;
}

/// Extra fields of each element of an array, by the element's id.
Value extra_by_id(const Value& elements, std::string_view known, std::string_view also) {
  Value all = Value::object();
  if (!elements.is_array()) return all;
  for (const Value& element : elements.items()) {
    if (!element.is_object() || !element.get("id").is_string()) continue;
    Value extra = extra_fields(element, known, also);
    if (extra.size() > 0) all.set(element.get("id").as_string(), std::move(extra));
  }
  return all;
}

}  // namespace

void make_canonical(CheckState& state) {
  Definition& definition = state.definition;
  Value nodes = Value::array(), edges = Value::array();
  for (NodeIndex i = 0; i < definition.nodes.size(); ++i)
    nodes.push(canonical_node(definition.nodes[i], state.drafts[i]));
  for (const Edge& edge : definition.edges)
    edges.push(Value::object({{"dst", definition.nodes[edge.dst].id},
                              {"id", edge.id},
                              {"src", definition.nodes[edge.src].id}}));
  Value form = Value::object({{"edges", std::move(edges)},
                              {"nodes", std::move(nodes)},
                              {"on_failure", "keep"},
                              {"timeout_ms", definition.timeout_ms}});
  const Value& on_failure = state.document.get("on_failure");
  if (!on_failure.is_null()) form.set("on_failure", on_failure);
  for (std::string_view name : {"entry", "on_deactivate", "result"}) {
    const Value& value = state.document.get(name);
    if (!value.is_null() && !(value == Value(""))) form.set(name, value);
  }
  definition.canonical = sorted_keys(form);
  definition.hash = DefinitionHash(sha256_hex(to_canonical_json(definition.canonical)));
}

Value layout_of(const CheckState& state) {
  Value layout = Value::object();
  if (!state.document.is_object()) return layout;
  auto add = [&](std::string_view name, Value value) {
    if (value.size() > 0) layout.set(name, std::move(value));
  };
  add("notes", state.document.get("notes"));
  add("nodes", extra_by_id(state.document.get("nodes"), node_fields, "position"));
  add("edges", extra_by_id(state.document.get("edges"), edge_fields, ""));
  add("fields", extra_fields(state.document, workflow_fields, ""));
  return layout;
}

}  // namespace fermata::graph
