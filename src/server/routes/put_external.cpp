#include "base/json.h"
#include "core/run/script_definition.h"
#include "front/callback_secrets.h"
#include "front/external_request.h"
#include "server/routes/callback_routes.h"
#include "server/routes/credential_parts.h"
#include "server/routes/store_definition.h"

namespace fermata::server::routes {
namespace {

/// What is to be kept of the secret: a new one, the one that was given, or nothing when there is
/// one already and none was given.
struct Secret {
  std::optional<CredentialPut> put;
  bool is_new = false;    ///< there was none before
  std::string generated;  ///< to be shown once
};

Outcome<Secret> secret_for(Api& api, const AccountId& account, const WorkflowId& workflow,
                           const std::string& given) {
  Secret out;
  std::string id = front::callback_credential_id(workflow);
  FERMATA_TRY(record, api.catalog().credential(account, id));
  bool known = record && !record->revoked_at;
  if (known && given.empty()) return out;
  Value values = Value::object();
  if (known) {
    FERMATA_TRY(before, api.vault().open(*record));
    if (before.get("secret") == Value(given)) return out;
    // Receivers that know the old one only are still served until it is taken out.
    values.set("previous", before.get("secret"));
  }
  out.is_new = !record;
  if (given.empty()) out.generated = new_callback_secret();
  values.set("secret", given.empty() ? out.generated : given);
  std::string type(front::callback_type);
  FERMATA_TRY(sealed, api.vault().seal(account, id, type, values));
  CredentialPut put;
  put.account = account;
  put.id = id;
  put.name = id;
  put.type = std::move(type);
  put.sealed = std::move(sealed);
  put.at = api.now();
  out.put = std::move(put);
  return out;
}

}  // namespace

bool asks_for_external(const Call& call) { return is_external(call.body); }

Outcome<ExternalStored> store_external(Api& api, const Call& call, WorkflowPut put,
                                       const Value& document) {
  FERMATA_TRY(request, front::read_external(document));
  graph::DefinitionRef definition = make_external_definition(request.canonical);
  put.hash = definition->hash;
  put.canonical = to_canonical_json(definition->canonical);
  FERMATA_TRY(secret, secret_for(api, put.account, put.id, request.secret));
  if (secret.put) {
    AuditLine line = credential_audit(api, call, "credential.create", *secret.put);
    line.reason = "signs callbacks of workflow " + put.id.text();
    if (secret.is_new) {
      put.credentials.push_back({*secret.put, std::move(line)});
    } else {
      FERMATA_TRY_VOID(api.catalog().put_credential(*secret.put, line));
    }
  }
  FERMATA_TRY(stored, finish_put(api, call, put));
  api.definitions().keep(definition);
  return ExternalStored{std::move(stored), definition->hash.text(), std::move(secret.generated)};
}

void put_external(Api& api, const Call& call) {
  auto put = begin_put(api, call);
  if (!put) return api.fail(call, put.error());
  auto done = store_external(api, call, *put, call.body);
  if (!done) return api.fail(call, done.error());
  Value body = workflow_value(done->stored.record);
  body.set("version", done->stored.version);
  body.set("current_version", done->stored.record.current_version);
  body.set("hash", done->hash);
  body.set("language", "external");
  body.set("created_version", done->stored.created_version);
  body.set("warnings", Value::array());
  if (!done->new_secret.empty()) body.set("callback_secret", done->new_secret);
  bool created = done->stored.created_version && done->stored.version == 1;
  call.send(workflow_response(created ? 201 : 200, done->stored.record, body));
}

}  // namespace fermata::server::routes
