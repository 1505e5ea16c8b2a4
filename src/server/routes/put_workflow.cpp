#include "base/json.h"
#include "base/uuid.h"
#include "front/fields.h"
#include "front/inlined_credentials.h"
#include "server/problem.h"
#include "server/routes/credential_parts.h"
#include "server/routes/routes.h"

namespace fermata::server::routes {
namespace {

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

Outcome<WorkflowStored> store(Api& api, const Call& call, const graph::CheckedDefinition& checked,
                              const front::Inlining& inlining) {
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
  for (const CredentialPut& inlined : inlining.puts) {
    AuditLine line = credential_audit(api, call, "credential.create", inlined);
    line.reason = "given in workflow " + put.id.text();
    put.credentials.push_back({inlined, std::move(line)});
  }
  AuditLine line = api.audit(call, "workflow.put", put.id.text());
  line.details = Value::object({{"hash", put.hash.text()}});
  return api.catalog().put_workflow(put, line);
}

/// Stores the definition together with the credentials that its nodes give values for (G-4); what
/// they conflict with is added to the errors, and then nothing is stored.
Outcome<WorkflowStored> store_whole(Api& api, const Call& call, graph::CheckedDefinition& checked) {
  constexpr int tries_max = 4;
  for (int tries = 1;; ++tries) {
    FERMATA_TRY(inlining, front::inline_credentials(
                              api.vault(), api.catalog(), call.body,
                              {call.who.account, api.now(), api.options().credential_bytes_max}));
    checked.errors = std::move(inlining.errors);
    if (!checked.errors.empty()) return WorkflowStored{};
    auto stored = store(api, call, checked, inlining);
    // Another request made one of the credentials in between: it is compared with that one now.
    bool raced = !stored && stored.error().code == ErrorCode::credential_exists;
    if (!raced || tries == tries_max) return stored;
  }
}

}  // namespace

void put_workflow(Api& api, Call call) {
  if (auto content = check_content(call); !content) return api.fail(call, content.error());
  auto checked =
      graph::check_definition(call.body, call.request.body, api.options().definition_limits);
  if (!checked.errors.empty()) return refuse(api, call, checked);
  auto stored = store_whole(api, call, checked);
  if (!stored) return api.fail(call, stored.error());
  if (!checked.errors.empty()) return refuse(api, call, checked);
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
