#include "front/fields.h"
#include "front/start_request.h"
#include "server/routes/common.h"
#include "server/routes/idempotency.h"
#include "server/routes/key_value.h"
#include "server/routes/routes.h"

namespace fermata::server::routes {
namespace {

Outcome<KeyRecord> read_key(Api& api, const Call& call) {
  front::Fields fields(call.body);
  KeyRecord key;
  key.name = fields.text("name", 100).value_or("");
  std::string role = fields.text("role", 20).value_or("");
  fields.require("role");
  auto known = role_of(role);
  if (!role.empty() && !known)
    fields.wrong("role", "One of viewer, operator, editor, admin, root, worker is expected.");
  key.expires_at = fields.instant("expires_at");
  key.created_at = api.now();
  if (key.expires_at && *key.expires_at <= key.created_at)
    fields.wrong("expires_at", "The time has already passed.");
  FERMATA_TRY_VOID(fields.finish());
  key.role = *known;
  key.account = call.who.account;
  // Nobody may hand out more than they hold.
  if (key.role == Role::root && call.who.role != Role::root)
    return fail(ErrorCode::forbidden, "Only a root key may create a root key.");
  return key;
}

Outcome<bool> keep_new_key(Api& api, const Call& call) {
  FERMATA_TRY(record, read_key(api, call));
  std::string hash = front::request_hash("POST " + std::string(call.request.path), call.body);
  FERMATA_TRY(repeated, answer_repeat(api, call, [&](const std::string& kept) -> Outcome<bool> {
                return kept == hash;
              }));
  if (repeated) return true;
  NewKey made = make_key();
  record.id = made.id;
  record.secret_hash = made.secret_hash;
  AuditLine line = api.audit(call, "key.create", record.id);
  line.details = Value::object({{"role", name_of(record.role)}, {"name", record.name}});
  FERMATA_TRY_VOID(api.catalog().put_key(record, line));
  Value answer = key_value(record);
  // The secret is shown once and kept nowhere, so a repeated request gets the answer without it.
  answer.set("key", Value());
  if (auto mark = mark_of(api, call, hash, 201, answer))
    FERMATA_TRY_VOID(api.catalog().put_mark(*mark));
  answer.set("key", made.secret);
  call.send_json(201, answer);
  return true;
}

}  // namespace

void create_key(Api& api, Call call) {
  if (auto created = keep_new_key(api, call); !created) api.fail(call, created.error());
}

}  // namespace fermata::server::routes
