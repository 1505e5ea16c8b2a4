#include <algorithm>
#include <map>

#include "base/json.h"
#include "core/graph/check_state.h"
#include "core/job/request.h"

namespace fermata::graph {
namespace {

constexpr std::string_view reserved_names = "json|item|index|trigger|input|run|error";
constexpr std::string_view served_family = "integration.";

/// A node that workers serve is a job whose topic is the type (G-26).
bool is_served(std::string_view type, const std::vector<std::string>& job_types) {
  return type == "agent" || (type.starts_with(served_family) && type != served_family) ||
         std::find(job_types.begin(), job_types.end(), type) != job_types.end();
}

bool takes_timeout(NodeType type) {
  return type == NodeType::http || type == NodeType::smtp || type == NodeType::wait_for_signal ||
         type == NodeType::job || type == NodeType::approval;
}

/// The type of a node, and whether it is one that workers serve.
struct TypeRead {
  std::optional<NodeType> type;
  bool served = false;
};

TypeRead read_type(const Value& written, const std::string& path,
                   const std::vector<std::string>& job_types, Findings& findings) {
  FieldReader fields(written, path, findings);
  std::string name = fields.text("type");
  if (fields.find("type") == nullptr) {
    findings.error("field_missing", fields.at("type"), "\"type\" is required; add it.");
    return {};
  }
  if (!fields.find("type")->is_string()) return {};
  auto type = node_type_of(name);
  if (type) return {type};
  if (is_served(name, job_types) && job::is_valid_topic(job::full_topic(name))) {
    findings.warn("served_by_worker", fields.at("type"),
                  "Nodes of type " + quoted(name) + " are jobs of topic " +
                      quoted(job::full_topic(name)) +
                      " with the parameters as input; they wait until a worker serves it.");
    return {NodeType::job, true};
  }
  if (is_served(name, job_types))
    findings.error("node_type_unknown", fields.at("type"),
                   quoted(name) +
                       " cannot be the topic of a job: words of letters, digits, _ and " +
                       "- separated by dots are expected.");
  else
    findings.error("node_type_unknown", fields.at("type"),
                   quoted(name) + " is no node type." + suggestion(name, wire_names()));
  return {};
}

/// The parameters of a node that workers serve are the input of its job. The canonical form has the
/// job, so what the definition means does not change with a setting or a later version.
NodeParameters served_parameters(const Value& written, std::string path, Findings& findings) {
  const Value& parameters = written.get("parameters");
  Value job = Value::object({{"topic", written.get("type")},
                             {"input", parameters.is_object() ? parameters : Value::object()}});
  NodeParameters read = check_parameters(NodeType::job, job, std::move(path), findings);
  read.moved.emplace_back("input", "");
  return read;
}

/// Fields that depend on the type of their node.
void check_node_fields(const Node& node, const NodeDraft& draft, const std::string& path,
                       Findings& findings) {
  std::string type(wire_name(node.type));
  if (node.disabled && (is_structural(node.type) || node.trigger))
    findings.error("disabled_not_allowed", path + "/disabled",
                   "A " + (node.trigger ? std::string("trigger") : type + " node") +
                       " cannot be disabled, since what follows depends on it; remove it and " +
                       "connect its neighbours instead.");
  if (node.retry.given && !has_effect(node.type))
    findings.warn("retry_on_pure", path + "/retry",
                  "A " + type + " node does nothing outside, so a retry gives the same result.");
  if (node.timeout_ms && !takes_timeout(node.type))
    findings.warn("field_unknown", path + "/timeout_ms",
                  "\"timeout_ms\" has no effect on a " + type + " node.");
  const Value& parameters = draft.parameters.values;
  if (node.type == NodeType::http && node.retry.given) {
    const Value& count = parameters.get("retry");
    if (holds_expression(count) || number_in(count).value_or(0) > 0)
      findings.warn("retry_twice", draft.parameters.written_at("/retry"),
                    "The node has a \"retry\" policy too, which wins; remove this one.",
                    {path + "/retry"});
  }
  const Value& auth = parameters.get("auth");
  bool needs_credential =
      node.type == NodeType::webhook && auth.is_string() && auth.as_string() != "none";
  if (needs_credential && node.credentials.is_null())
    findings.error("field_missing", path + "/credentials",
                   "\"auth\": " + quoted(auth.as_string()) + " needs the credential to check by.");
  if (node.type == NodeType::smtp && node.credentials.is_null())
    findings.error("field_missing", path + "/credentials",
                   "An smtp node needs a credential of type smtp: the server to send by.");
}

/// A loop's own limit bounds it like the node's field, when it is a plain number.
void take_loop_limit(Node& node, const NodeParameters& parameters) {
  if (node.type != NodeType::loop || node.max_visits) return;
  const Value* limit = parameters.literal("max_visits");
  auto number = limit ? number_in(*limit) : std::nullopt;
  if (number && *number >= 1 && *number <= 100'000)
    node.max_visits = static_cast<uint32_t>(*number);
}

}  // namespace

void check_node_types(CheckState& state) {
  for (size_t i = 0; i < state.drafts.size(); ++i) {
    NodeDraft& draft = state.drafts[i];
    Node& node = state.definition.nodes[i];
    TypeRead read;
    if (draft.written)
      read = read_type(*draft.written, node_path(i), state.limits.job_types, state.findings);
    draft.known = read.type.has_value();
    if (!draft.known) state.types_known = false;
    if (!draft.known) continue;
    node.type = *read.type;
    std::string path = node_path(i) + "/parameters";
    const Value& written = draft.written->get("parameters");
    draft.parameters =
        read.served ? served_parameters(*draft.written, std::move(path), state.findings)
                    : check_parameters(node.type, written.is_object() ? written : Value::object(),
                                       std::move(path), state.findings);
    draft.parameters.values = sorted_keys(draft.parameters.values);
    take_loop_limit(node, draft.parameters);
    check_node_fields(node, draft, node_path(i), state.findings);
  }
}

void check_names(CheckState& state) {
  std::map<std::string_view, size_t> ids, names;
  std::map<std::string, std::pair<size_t, const Value*>> credentials;
  for (size_t i = 0; i < state.drafts.size(); ++i) {
    const Node& node = state.definition.nodes[i];
    if (state.drafts[i].written == nullptr || node.id.empty()) continue;
    auto [id, new_id] = ids.try_emplace(node.id, i);
    if (!new_id)
      state.findings.error("node_id_duplicate", node_path(i) + "/id",
                           "The id " + quoted(node.id) + " is already in use; choose another.",
                           {node_path(id->second) + "/id"});
    auto [name, new_name] = names.try_emplace(node.name, i);
    bool same_fault = !new_id && node.name == node.id;
    if (!new_name && !same_fault)
      state.findings.error("node_name_duplicate", node_path(i) + "/name",
                           "The name " + quoted(node.name) + " is already in use; choose another.",
                           {node_path(name->second) + "/name"});
    if (is_one_of(node.name, reserved_names))
      state.findings.error("node_name_reserved", node_path(i) + "/name",
                           quoted(node.name) + " has a meaning of its own in expressions; choose " +
                               "another name.");
    const Value& inlined = state.drafts[i].written->get("credentials").get("values");
    if (inlined.is_null() || node.credentials.is_null()) continue;
    auto [first, fresh] = credentials.try_emplace(to_canonical_json(node.credentials), i, &inlined);
    if (!fresh && !(*first->second.second == inlined))
      state.findings.error("credential_conflict", node_path(i) + "/credentials/values",
                           "The same credential is given other values elsewhere.",
                           {node_path(first->second.first) + "/credentials/values"});
  }
  for (const Node& node : state.definition.nodes) {
    state.definition.names.push_back(node.name);
    state.node_ids.push_back(node.id);
  }
}

}  // namespace fermata::graph
