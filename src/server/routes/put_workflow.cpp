#include "base/json.h"
#include "base/uuid.h"
#include "front/fields.h"
#include "front/inlined_credentials.h"
#include "server/routes/callback_routes.h"
#include "server/routes/common.h"
#include "server/routes/credential_parts.h"
#include "server/routes/routes.h"
#include "server/routes/store_definition.h"

namespace fermata::server::routes {
namespace {

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

Outcome<WorkflowStored> store(Api& api, const Call& call, WorkflowPut put,
                              const graph::CheckedDefinition& checked,
                              const front::Inlining& inlining) {
  put.hash = checked.definition->hash;
  put.canonical = to_canonical_json(checked.definition->canonical);
  put.layout = checked.layout;
  FERMATA_TRY(guid, webhook_guid(api, call, *checked.definition));
  put.webhook_guid = std::move(guid);
  for (const CredentialPut& inlined : inlining.puts) {
    AuditLine line = credential_audit(api, call, "credential.create", inlined);
    line.reason = "given in workflow " + put.id.text();
    put.credentials.push_back({inlined, std::move(line)});
  }
  return finish_put(api, call, put);
}

/// Stores the definition together with the credentials that its nodes give values for (G-4); what
/// they conflict with is added to the errors, and then nothing is stored.
Outcome<WorkflowStored> store_whole(Api& api, const Call& call, const WorkflowPut& put,
                                    graph::CheckedDefinition& checked) {
  constexpr int tries_max = 4;
  for (int tries = 1;; ++tries) {
    FERMATA_TRY(inlining, front::inline_credentials(
                              api.vault(), api.catalog(), call.body,
                              {call.who.account, api.now(), api.options().credential_bytes_max}));
    checked.errors = std::move(inlining.errors);
    if (!checked.errors.empty()) return WorkflowStored{};
    auto stored = store(api, call, put, checked, inlining);
    // Another request made one of the credentials in between: it is compared with that one now.
    bool raced = !stored && stored.error().code == ErrorCode::credential_exists;
    if (!raced || tries == tries_max) return stored;
  }
}

}  // namespace

void put_workflow(Api& api, Call call) {
  if (asks_for_flow(call)) return put_flow(api, call);
  if (asks_for_external(call)) return put_external(api, call);
  auto put = begin_put(api, call);
  if (!put) return api.fail(call, put.error());
  auto checked = graph::check_definition(call.body, call.request.body, definition_limits(api, call),
                                         api.zones().get());
  auto refuse = [&] {
    refuse_definition(api, call, checked.errors, front::to_value(checked.errors),
                      front::to_value(checked.warnings));
  };
  if (!checked.errors.empty()) return refuse();
  auto stored = store_whole(api, call, *put, checked);
  if (!stored) return api.fail(call, stored.error());
  if (!checked.errors.empty()) return refuse();
  api.definitions().keep(checked.definition);
  answer_put(api, call, *stored, checked.definition->hash, "graph",
             front::to_value(checked.warnings));
}

}  // namespace fermata::server::routes
