#include "cli/offline_credentials.h"

#include "cli/sealing_keys.h"
#include "front/credential_request.h"
#include "front/fields.h"
#include "server/principal.h"

namespace fermata::cli {

Outcome<OfflineCredentials> OfflineCredentials::open(const Settings& settings,
                                                     const Arguments& arguments,
                                                     Surroundings& around) {
  OfflineCredentials out;
  FERMATA_TRY(store, around.world.open_data(settings.data, {}));
  out.store_ = std::move(store);
  auto tell = [terminal = &around.terminal](LogLevel, const std::string& message) {
    terminal->err(message + "\n");
  };
  out.vault_ = std::make_unique<front::Vault>(out.store_->catalog(), sealing_keys(settings, tell));
  out.account_ = AccountId(arguments.get("account").value_or(server::default_account.text()));
  out.now_ = around.world.system_clock()->now();
  out.bytes_max_ = settings.credential_bytes_max;
  return std::move(out);
}

AuditLine OfflineCredentials::audit(std::string action, const std::string& id,
                                    std::string reason) const {
  if (reason.empty()) reason = "command line";
  return {account_, now_, "local", std::move(action), id, std::move(reason), Value()};
}

Outcome<Value> OfflineCredentials::list() {
  Value items = Value::array();
  std::string cursor;
  do {
    FERMATA_TRY(page, store_->catalog().credentials(account_, 1000, cursor));
    for (const CredentialRecord& record : page.items) items.push(front::to_value(record));
    cursor = page.next_cursor;
  } while (!cursor.empty());
  return Value::object({{"items", items}});
}

Outcome<std::string> OfflineCredentials::type_of(const std::string& id) {
  FERMATA_TRY(known, store_->catalog().credential(account_, id));
  if (!known) return fail(ErrorCode::usage, "A new credential needs --type.");
  return known->type;
}

Outcome<Value> OfflineCredentials::set(const std::string& id, const Value& body) {
  if (!front::is_valid_id(id))
    return fail(ErrorCode::invalid_id, "'" + id + "' cannot name a credential.");
  FERMATA_TRY(request, front::read_credential_request(body));
  FERMATA_TRY(known, store_->catalog().credential(account_, id));
  FERMATA_TRY(put,
              front::credential_put(*vault_, request, {account_, id, known, now_, bytes_max_}));
  std::string action = known ? "credential.replace" : "credential.create";
  FERMATA_TRY(stored, store_->catalog().put_credential(put, audit(std::move(action), id, "")));
  return front::to_value(stored);
}

Outcome<Value> OfflineCredentials::revoke(const std::string& id, const std::string& reason) {
  FERMATA_TRY(revoked, store_->catalog().revoke_credential(account_, id, now_,
                                                           audit("credential.revoke", id, reason)));
  return front::to_value(revoked);
}

Outcome<Value> OfflineCredentials::remove(const std::string& id) {
  FERMATA_TRY_VOID(
      store_->catalog().remove_credential(account_, id, audit("credential.delete", id, "")));
  return Value::object({{"id", id}});
}

Outcome<Value> OfflineCredentials::reseal() {
  FERMATA_TRY(done, vault_->reseal(now_, "local"));
  return front::to_value(done);
}

}  // namespace fermata::cli
