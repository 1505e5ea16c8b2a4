#include <algorithm>

#include "base/json.h"
#include "base/uuid.h"
#include "front/fields.h"
#include "server/problem.h"
#include "server/routes/common.h"
#include "server/routes/routes.h"

namespace fermata::server::routes {
namespace {

/// If-Match: "7" or If-None-Match: *; nothing when the write is unconditional.
Outcome<std::optional<uint64_t>> wanted_revision(const http::Request& request) {
  if (request.header("if-none-match") == "*") return std::optional<uint64_t>(0);
  std::string_view tag = request.header("if-match");
  if (tag.empty() || tag == "*") return std::optional<uint64_t>{};
  if (tag.starts_with('"') && tag.ends_with('"') && tag.size() > 2) {
    if (auto number = version_number(tag.substr(1, tag.size() - 2)))
      return std::optional<uint64_t>(*number);
  }
  return fail(ErrorCode::version_conflict, "If-Match is not an ETag this server gave.");
}

Outcome<void> check_content(const Call& call) {
  if (!front::is_valid_id(call.variable(0)) || call.variable(0) == "bulk" ||
      call.variable(0) == "executions")
    return fail(ErrorCode::invalid_id, "`" + call.variable(0) + "` cannot name a workflow.");
  if (call.body.get("language") == Value("flow"))
    return fail(
        ErrorCode::invalid_definition, "Flow scripts are not part of this build.",
        {{"language_unknown", "/language", "Only graphs (nodes and edges) are taken.", {}}});
  return {};
}

/// Values written beside a credential's name would have to be sealed; without a store for them
/// they would be lost, so they are refused instead.
std::vector<Finding> unsealable(const std::vector<Finding>& warnings) {
  std::vector<Finding> out;
  for (const Finding& warning : warnings) {
    if (warning.code != "credential_inlined") continue;
    Finding finding = warning;
    finding.message = "This server has no store for credentials yet; leave the values out.";
    out.push_back(std::move(finding));
  }
  return out;
}

/// The guid written in the document if it is free, else a fresh one; none without a webhook.
Outcome<std::string> webhook_guid(Api& api, const Call& call, const graph::Definition& definition) {
  if (definition.entry == graph::no_node) return std::string();
  const graph::Node& entry = definition.nodes[definition.entry];
  if (entry.type != graph::NodeType::webhook) return std::string();
  if (is_uuid(entry.webhook_guid)) {
    FERMATA_TRY(holder, api.catalog().workflow_by_webhook(entry.webhook_guid));
    if (!holder || (holder->account == call.who.account && holder->id.text() == call.variable(0)))
      return entry.webhook_guid;
  }
  return api.new_uuid_v4();
}

void refuse(Api& api, const Call& call, const graph::CheckedDefinition& checked) {
  size_t count = checked.errors.size();
  Error error{
      ErrorCode::invalid_definition,
      count == 1 ? checked.errors[0].message : "There are " + std::to_string(count) + " errors.",
      checked.errors};
  Value document = problem_value(error, "urn:uuid:" + api.new_uuid_v7());
  document.set("warnings", front::to_value(checked.warnings));
  call.send(problem_document(error, document));
}

Outcome<WorkflowStored> store(Api& api, const Call& call, const graph::CheckedDefinition& checked) {
  WorkflowPut put;
  put.account = call.who.account;
  put.id = WorkflowId(call.variable(0));
  put.hash = checked.definition->hash;
  put.canonical = to_canonical_json(checked.definition->canonical);
  put.layout = checked.layout;
  FERMATA_TRY(guid, webhook_guid(api, call, *checked.definition));
  put.webhook_guid = std::move(guid);
  FERMATA_TRY(revision, wanted_revision(call.request));
  put.if_revision = revision;
  put.at = api.now();
  put.actor = call.who.actor;
  AuditLine line = api.audit(call, "workflow.put", put.id.text());
  line.details = Value::object({{"hash", put.hash.text()}});
  return api.catalog().put_workflow(put, line);
}

}  // namespace

void put_workflow(Api& api, Call call) {
  if (auto content = check_content(call); !content) return api.fail(call, content.error());
  auto checked =
      graph::check_definition(call.body, call.request.body, api.options().definition_limits);
  auto unsealed = unsealable(checked.warnings);
  checked.errors.insert(checked.errors.end(), unsealed.begin(), unsealed.end());
  if (!checked.errors.empty()) return refuse(api, call, checked);
  auto stored = store(api, call, checked);
  if (!stored) return api.fail(call, stored.error());
  api.definitions().keep(checked.definition);
  Value body = workflow_value(stored->record);
  body.set("version", stored->version);
  body.set("hash", checked.definition->hash.text());
  body.set("created_version", stored->created_version);
  body.set("warnings", front::to_value(checked.warnings));
  bool created = stored->created_version && stored->version == 1;
  call.send(workflow_response(created ? 201 : 200, stored->record, body));
}

}  // namespace fermata::server::routes
