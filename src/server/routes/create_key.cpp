#include "base/json.h"
#include "front/fields.h"
#include "front/start_request.h"
#include "server/problem.h"
#include "server/routes/common.h"
#include "server/routes/key_value.h"
#include "server/routes/routes.h"

namespace fermata::server::routes {
namespace {

constexpr int64_t mark_kept_ms = int64_t{25} * 3600 * 1000;

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

/// The secret is shown once and kept nowhere, so a repeated request gets the first answer without
/// it. True when the request was a repeat and has been answered.
Outcome<bool> answer_repeat(Api& api, const Call& call, const std::string& hash) {
  std::string idempotency_key(call.request.header("idempotency-key"));
  if (idempotency_key.empty()) return false;
  FERMATA_TRY(mark, api.catalog().mark(call.who.account, idempotency_key, api.now()));
  if (!mark) return false;
  if (mark->body_hash != hash)
    return fail(ErrorCode::idempotency_key_reused,
                "This Idempotency-Key came with another request before.");
  http::Response response;
  response.status = mark->status;
  response.body = mark->answer;
  response.headers.emplace_back("Idempotent-Replay", "true");
  call.send(std::move(response));
  return true;
}

Outcome<void> keep_mark(Api& api, const Call& call, const std::string& hash, Value answer) {
  std::string key(call.request.header("idempotency-key"));
  if (key.empty()) return {};
  answer.set("key", Value());
  IdempotencyMark mark{
      call.who.account, key, hash, 201, to_json(answer), api.now() + Duration{mark_kept_ms}};
  auto kept = api.catalog().put_mark(mark);
  if (!kept) return Failure{std::move(kept).error()};
  return {};
}

Outcome<bool> create(Api& api, const Call& call) {
  FERMATA_TRY(record, read_key(api, call));
  std::string hash = front::request_hash("POST " + std::string(call.request.path), call.body);
  FERMATA_TRY(repeated, answer_repeat(api, call, hash));
  if (repeated) return true;
  NewKey made = make_key();
  record.id = made.id;
  record.secret_hash = made.secret_hash;
  AuditLine line = api.audit(call, "key.create", record.id);
  line.details = Value::object({{"role", name_of(record.role)}, {"name", record.name}});
  FERMATA_TRY_VOID(api.catalog().put_key(record, line));
  Value answer = key_value(record);
  FERMATA_TRY_VOID(keep_mark(api, call, hash, answer));
  answer.set("key", made.secret);
  call.send_json(201, answer);
  return true;
}

}  // namespace

void create_key(Api& api, Call call) {
  if (auto created = create(api, call); !created) api.fail(call, created.error());
}

}  // namespace fermata::server::routes
