#include "core/graph/token_roots.h"

#include "core/run/tokens.h"

namespace fermata::graph {

namespace {

Value or_null(const std::string& text) { return text.empty() ? Value() : Value(text); }

/// What the run may know of the person it is about (W-47).
Value about_contact(const Contact& contact) {
  return Value::object({{"id", contact.id},
                        {"timezone", or_null(contact.timezone)},
                        {"phone", or_null(contact.phone)},
                        {"email", or_null(contact.email)},
                        {"fields", contact.fields.is_null() ? Value::object() : contact.fields},
                        {"labels", contact.labels.is_null() ? Value::object() : contact.labels}});
}

}  // namespace

std::optional<Value> TokenRoots::root(std::string_view name) const {
  auto from_context = [&](Context::Key key) -> std::optional<Value> {
    const Context::Entry* entry = context_.find(key);
    if (!entry) return std::nullopt;
    return entry->value;
  };
  if (name == "json") return from_context(Context::json_key);
  if (name == "error") return from_context(Context::error_key);
  if (name == "input") return run_.input;
  if (name == "trigger") return run_.trigger;
  if (name == "run") return about_run();
  if (name == "item" || name == "index") {
    if (lineage_.outside()) return std::nullopt;
    if (name == "index") return Value(static_cast<int64_t>(lineage_.item));
    return item_of(run_.scopes.at(lineage_.scope), lineage_.item);
  }
  return node_output(name);
}

std::optional<Value> TokenRoots::node_output(std::string_view name) const {
  auto node = run_.definition->node_by_name(name);
  if (!node) return std::nullopt;
  const Context::Entry* entry = context_.find(Context::of_node(*node));
  if (!entry) return std::nullopt;
  // Inside its branches a split also shows the item: `$Each.item`, `$Each.index` (G-44).
  for (Lineage at = lineage_; !at.outside();) {
    const Scope& scope = run_.scopes.at(at.scope);
    if (scope.split == *node) {
      Value output = entry->value;
      output.set("item", item_of(scope, at.item));
      output.set("index", static_cast<int64_t>(at.item));
      return output;
    }
    at = scope.outer;
  }
  return entry->value;
}

Value TokenRoots::about_run() const {
  return Value::object({
      {"id", run_.id.text()},
      {"workflow_id", run_.workflow.text()},
      {"version", run_.workflow_version},
      {"started_at", to_rfc3339(run_.started_at)},
      {"now", to_rfc3339(now_)},
      {"labels", run_.labels.is_null() ? Value::object() : run_.labels},
      {"contact_id", or_null(run_.contact_id)},
      {"contact", contact_ ? about_contact(*contact_) : Value()},
      {"parent", or_null(run_.parent.text())},
      {"trigger", run_.trigger_kind},
  });
}

}  // namespace fermata::graph
