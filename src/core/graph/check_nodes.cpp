#include "base/json.h"
#include "core/graph/check_state.h"

namespace fermata::graph {
namespace {

constexpr int64_t node_ms_max = int64_t{1} << 53;
constexpr int64_t visits_max = 100'000;
constexpr int64_t attempts_max = 100'000;

RetryPolicy read_retry(const Value& written, const std::string& path, Findings& findings) {
  FieldReader fields(written, path, findings);
  fields.warn_unknown("max_attempts|backoff_ms|multiplier|max_backoff_ms|jitter|retry_on",
                      "a retry policy");
  RetryPolicy retry;
  retry.given = true;
  retry.max_attempts =
      static_cast<uint32_t>(fields.whole("max_attempts", 1, attempts_max).value_or(1));
  retry.backoff_ms = fields.whole("backoff_ms", 0, node_ms_max).value_or(retry.backoff_ms);
  retry.multiplier = fields.number("multiplier", 1, 1'000).value_or(retry.multiplier);
  retry.max_backoff_ms =
      fields.whole("max_backoff_ms", 0, node_ms_max).value_or(retry.max_backoff_ms);
  retry.jitter = fields.number("jitter", 0, 1).value_or(retry.jitter);
  const Value* codes = fields.find("retry_on");
  if (codes && codes->is_string() && codes->as_string() == "any") {
    retry.retry_on = {"any"};
  } else if (const Value* list = fields.array("retry_on")) {
    retry.retry_on.clear();
    for (size_t i = 0; i < list->size(); ++i) {
      const Value& code = list->items()[i];
      if (code.is_string())
        retry.retry_on.emplace_back(code.as_string());
      else
        findings.error("field_type", path + "/retry_on/" + std::to_string(i),
                       "An error code is text; this is " + shown(code) + ".");
    }
  }
  return retry;
}

/// A reference to a credential of the account. Values written beside it are for whoever seals them;
/// they never become part of the definition (G-4).
Value read_credentials(const Value& written, const std::string& path, Findings& findings) {
  FieldReader fields(written, path, findings);
  fields.warn_unknown("id|name|type|values", "a credential reference");
  std::string id = fields.text("id"), name = fields.text("name");
  fields.text("type");
  // What is wrong here may be the secret itself, so it is not quoted.
  if (const Value* values = fields.find("values"); values != nullptr && !values->is_object())
    findings.error("field_type", path + "/values", "\"values\" must be an object.");
  if (id.empty() && name.empty())
    findings.error("field_missing", path + "/id", "Name the credential by \"id\" or \"name\".");
  if (fields.find("values") && !id.empty())
    findings.warn("credential_inlined", path + "/values",
                  "A server stores the values sealed as credential " + quoted(id) +
                      " and leaves them out of the definition; send only the id from now on.");
  if (fields.find("values") && id.empty() && !name.empty())
    findings.error("field_missing", path + "/id",
                   "Values given here need an \"id\" to be stored under.");
  if (!id.empty()) return Value::object({{"id", id}});
  if (!name.empty()) return Value::object({{"name", name}});
  return {};
}

void read_error_policy(const Value& written, const std::string& path, Node& node, NodeDraft& draft,
                       Findings& findings) {
  FieldReader fields(written, path, findings);
  fields.warn_unknown("type|error_edge", "an error policy");
  std::string type = fields.choice("type", "halt|ignore|branch");
  node.on_error = type == "ignore"   ? ErrorPolicy::ignore
                  : type == "branch" ? ErrorPolicy::branch
                                     : ErrorPolicy::halt;
  draft.error_edge = fields.text("error_edge");
}

void read_node(CheckState& state, size_t index, Node& node, NodeDraft& draft) {
  Findings& findings = state.findings;
  FieldReader fields(*draft.written, node_path(index), findings);
  fields.warn_unknown(node_fields, "a node");
  node.id = fields.required_id("id");
  node.name = fields.text("name");
  if (node.name.empty()) node.name = node.id;
  node.trigger = fields.boolean("trigger");
  node.disabled = fields.boolean("disabled");
  node.webhook_guid = fields.text("webhook_guid");
  fields.object("parameters");
  node.timeout_ms = fields.whole("timeout_ms", 0, node_ms_max);
  if (auto visits = fields.whole("max_visits", 1, visits_max))
    node.max_visits = static_cast<uint32_t>(*visits);
  if (const Value* error = fields.object("error"))
    read_error_policy(*error, fields.at("error"), node, draft, findings);
  if (const Value* retry = fields.object("retry"))
    node.retry = read_retry(*retry, fields.at("retry"), findings);
  if (const Value* credentials = fields.object("credentials"))
    node.credentials = read_credentials(*credentials, fields.at("credentials"), findings);
}

}  // namespace

void read_nodes(CheckState& state) {
  const Value& nodes = state.document.get("nodes");
  state.definition.nodes.resize(nodes.size());
  state.drafts.resize(nodes.size());
  for (size_t i = 0; i < nodes.size(); ++i) {
    const Value& written = nodes.items()[i];
    if (!written.is_object()) {
      state.findings.error("field_type", node_path(i),
                           "A node is an object; this is " + shown(written) + ".");
      continue;
    }
    state.drafts[i].written = &written;
    read_node(state, i, state.definition.nodes[i], state.drafts[i]);
  }
}

}  // namespace fermata::graph
