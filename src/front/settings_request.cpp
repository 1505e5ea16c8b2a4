#include "front/settings_request.h"

#include "front/fields.h"

namespace fermata::front {
namespace {

constexpr size_t secret_bytes_min = 16;
constexpr size_t secret_bytes_max = 500;
constexpr const char* secret_id = "account.callbacks";
constexpr const char* secret_type = "callback_secret";

/// Members of `change` take the place of what they are named like; objects are merged, null takes
/// a member away.
Value merged(const Value& known, const Value& change) {
  if (!known.is_object() || !change.is_object()) return change;
  Value out = Value::object();
  for (const Value::Member& member : known.members())
    if (change.find(member.key.as_string()) == nullptr)
      out.set(member.key.as_string(), member.value);
  for (const Value::Member& member : change.members()) {
    std::string_view name = member.key.as_string();
    if (!member.value.is_null()) out.set(name, merged(known.get(name), member.value));
  }
  return out;
}

/// What is only shown may be sent back.
Value without_shown(const Value& body) {
  Value out = Value::object();
  for (const Value::Member& member : body.members()) {
    std::string_view name = member.key.as_string();
    if (name != "account_id" && name != "revision" && name != "updated_at")
      out.set(name, member.value);
  }
  return out;
}

Failure<Error> refused(std::vector<Finding> findings) {
  auto code = error_code_of(findings.front().code).value_or(ErrorCode::invalid_setting);
  std::string message = findings.front().path + ": " + findings.front().message;
  return fail(code, std::move(message), std::move(findings));
}

Outcome<std::string> next_secret(Vault& vault, const AccountRecord& known, const Value& body) {
  const Value& callbacks = body.get("callbacks");
  const Value* given = callbacks.is_object() ? callbacks.find("secret") : nullptr;
  if (given == nullptr) return known.sealed_secret;
  if (given->is_null()) return std::string();
  bool fits = given->is_string() && given->as_string().size() >= secret_bytes_min &&
              given->as_string().size() <= secret_bytes_max;
  if (!fits)
    return refused({{"invalid_setting",
                     "/callbacks/secret",
                     "A secret has 16 to 500 bytes; null takes it away.",
                     {}}});
  return vault.seal(known.account, secret_id, secret_type, Value::object({{"secret", *given}}));
}

}  // namespace

Outcome<AccountRecord> changed_settings(Vault& vault, const AccountRecord& known,
                                        const SettingsChange& change, const ZoneTable& zones) {
  if (change.if_revision && *change.if_revision != known.revision)
    return fail(ErrorCode::version_conflict,
                "the settings are at revision " + std::to_string(known.revision));
  if (!change.body.is_object())
    return refused({{"invalid_setting", "", "Settings must be an object.", {}}});
  Value body = without_shown(change.body);
  Value document =
      change.replaces || known.settings.is_null() ? body : merged(known.settings, body);
  auto settings = read_account_settings(document, &zones);
  if (!settings) return refused(std::move(settings).error());
  FERMATA_TRY(secret, next_secret(vault, known, body));
  settings->callbacks.sealed_secret = secret;
  AccountRecord next = known;
  next.settings = account_settings_value(*settings);
  next.sealed_secret = std::move(secret);
  next.updated_at = change.now;
  ++next.revision;
  return next;
}

Value settings_view(const AccountRecord& record) {
  Value out =
      record.settings.is_null() ? account_settings_value(AccountSettings{}) : record.settings;
  out.set("account_id", record.account.text());
  out.set("revision", record.revision);
  out.set("updated_at", record.revision == 0 ? Value() : Value(to_rfc3339(record.updated_at)));
  return out;
}

Outcome<std::string> callback_secret(Vault& vault, const AccountId& account,
                                     const std::string& sealed) {
  if (sealed.empty()) return std::string();
  CredentialRecord record;
  record.account = account;
  record.id = secret_id;
  record.type = secret_type;
  record.sealed = sealed;
  FERMATA_TRY(values, vault.open(record));
  const Value& secret = values.get("secret");
  return secret.is_string() ? std::string(secret.as_string()) : std::string();
}

}  // namespace fermata::front
