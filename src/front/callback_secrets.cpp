#include "front/callback_secrets.h"

#include "base/uuid.h"
#include "front/settings_request.h"

namespace fermata::front {
namespace {

CallSecrets signing_of(const Credential& credential) {
  CallSecrets out;
  for (const char* field : {"secret", "previous"}) {
    const Value& value = credential.values.get(field);
    if (!value.is_string() || value.as_string().empty()) continue;
    out.signing.emplace_back(value.as_string());
    out.hidden.emplace_back(value.as_string());
  }
  return out;
}

/// The secret that stands in the settings of the account (W-81).
Result<CallSecrets, SecretsRefusal> in_settings(Vault& vault, Accounts& accounts,
                                                const AccountId& account) {
  auto record = accounts.account(account);
  if (!record) return Failure{SecretsRefusal{"credential_unreadable", record.error().message}};
  if (!*record || (*record)->sealed_secret.empty()) return CallSecrets{};
  auto secret = callback_secret(vault, account, (*record)->sealed_secret);
  if (!secret) return Failure{SecretsRefusal{"credential_unreadable", secret.error().message}};
  CallSecrets out;
  out.signing.push_back(*secret);
  out.hidden.push_back(*std::move(secret));
  return out;
}

}  // namespace

std::string callback_credential_id(const WorkflowId& workflow) {
  constexpr size_t id_bytes_max = 100;
  std::string id = "callback." + workflow.text();
  return id.size() <= id_bytes_max ? id : "callback." + uuid_v5(workflow.text());
}

FindSecrets callback_secrets_from(Vault& vault, const Clock& clock, Accounts* accounts) {
  return [&vault, &clock, accounts](const AccountId& account,
                                    const Value& wanted) -> Result<CallSecrets, SecretsRefusal> {
    const Value& named = wanted.get("named");
    const Value& workflow = wanted.get("workflow");
    WorkflowId id(workflow.is_string() ? std::string(workflow.as_string()) : std::string());
    std::vector<Value> places;
    if (named.is_object()) places.push_back(named);
    places.push_back(Value::object({{"id", callback_credential_id(id)}}));
    places.push_back(Value::object({{"id", account_callback_credential}}));
    for (const Value& place : places) {
      auto found = vault.find(account, place, clock.now());
      if (found) return signing_of(*found);
      bool missing = found.error().code == ErrorCode::credential_not_found;
      // One that was named must be there: what is not signed as promised is not sent.
      if (missing && named.is_object())
        return Failure{SecretsRefusal{"credential_missing", found.error().message}};
      if (!missing) return Failure{SecretsRefusal{"credential_unreadable", found.error().message}};
    }
    if (!accounts) return CallSecrets{};
    return in_settings(vault, *accounts, account);
  };
}

}  // namespace fermata::front
