#include "front/vault.h"

#include "base/bytes.h"
#include "base/json.h"

namespace fermata::front {
namespace {

constexpr size_t page_size = 200;

/// A sealed text that is moved to another credential, or made one of another type, does not open.
std::string bond(const AccountId& account, const std::string& id, const std::string& type) {
  ByteWriter out;
  out.text("fermata credential");
  out.text(account.text());
  out.text(id);
  out.text(type);
  return out.take();
}

Failure<Error> unreadable_because(std::string why) {
  return fail(ErrorCode::credential_unreadable, std::move(why));
}

}  // namespace

KeySource given_keys(SealingKeys keys) {
  return {[keys]() -> Outcome<std::optional<SealingKeys>> { return std::optional(keys); }, {}, {}};
}

Outcome<void> Vault::prepare() {
  std::lock_guard lock(mutex_);
  if (keys_) return {};
  FERMATA_TRY(loaded, source_.load());
  keys_ = std::move(loaded);
  return {};
}

Outcome<SealingKeys> Vault::keys(Need need) {
  std::lock_guard lock(mutex_);
  if (keys_) return *keys_;
  FERMATA_TRY(loaded, source_.load());
  if (!loaded) {
    FERMATA_TRY(accounts, catalog_.credential_accounts());
    if (need == Need::to_open || !accounts.empty() || !source_.make)
      return unreadable_because("The sealing key is missing: " + source_.where + ".");
    FERMATA_TRY(made, source_.make());
    loaded = std::move(made);
  }
  keys_ = std::move(loaded);
  return *keys_;
}

Outcome<std::string> Vault::seal(const AccountId& account, const std::string& id,
                                 const std::string& type, const Value& values) {
  FERMATA_TRY(found, keys(Need::to_seal));
  return found.seal(to_canonical_json(values), bond(account, id, type));
}

Outcome<Value> Vault::open(const CredentialRecord& record) {
  FERMATA_TRY(found, keys(Need::to_open));
  auto opened = found.open(record.sealed, bond(record.account, record.id, record.type));
  if (!opened && opened.error() == SealFault::unknown_key)
    return unreadable_because("The credential `" + record.id + "` is sealed under key " +
                              SealingKeys::key_id_of(record.sealed) + ", which is not given.");
  auto values = opened ? parse_json(*opened) : Outcome<Value>(Value());
  if (!opened || !values)
    return unreadable_because("The sealed values of credential `" + record.id +
                              "` were altered or belong to another one.");
  return *std::move(values);
}

Outcome<Credential> Vault::find(const AccountId& account, const Value& reference, Instant now) {
  auto text = [&](std::string_view key) {
    const Value& value = reference.get(key);
    return value.is_string() ? std::string(value.as_string()) : std::string();
  };
  std::string id = text("id");
  std::string shown = id.empty() ? text("name") : id;
  FERMATA_TRY(record, id.empty() ? catalog_.credential_named(account, shown)
                                 : catalog_.credential(account, id));
  if (!record) return no_credential(shown);
  if (record->revoked_at)
    return fail(ErrorCode::credential_not_found, "The credential `" + shown + "` is revoked.");
  FERMATA_TRY(values, open(*record));
  catalog_.credential_used(account, record->id, now);
  return Credential{std::move(record->id), std::move(record->type), std::move(values)};
}

Outcome<std::string> Vault::print_of(std::string_view text) {
  FERMATA_TRY(found, keys(Need::to_seal));
  return found.print_of(text);
}

Outcome<bool> Vault::is_print(std::string_view print, std::string_view text) {
  FERMATA_TRY(found, keys(Need::to_open));
  return found.is_print(print, text);
}

Outcome<void> Vault::visit(const std::function<Outcome<void>(const CredentialRecord&)>& each) {
  FERMATA_TRY(accounts, catalog_.credential_accounts());
  for (const AccountId& account : accounts) {
    std::string cursor;
    do {
      FERMATA_TRY(page, catalog_.credentials(account, page_size, cursor));
      for (const CredentialRecord& record : page.items)
        if (!record.revoked_at) FERMATA_TRY_VOID(each(record));
      cursor = page.next_cursor;
    } while (!cursor.empty());
  }
  return {};
}

Outcome<Resealed> Vault::reseal(Instant now, const std::string& actor) {
  Resealed out;
  FERMATA_TRY_VOID(visit([&](const CredentialRecord& record) -> Outcome<void> {
    FERMATA_TRY(found, keys(Need::to_open));
    std::string before = SealingKeys::key_id_of(record.sealed);
    if (before == found.first_id()) {
      ++out.kept;
      return {};
    }
    auto values = open(record);
    if (!values) {
      out.unreadable.push_back(record.id);
      return {};
    }
    FERMATA_TRY(sealed, seal(record.account, record.id, record.type, *values));
    AuditLine line{record.account,
                   now,
                   actor,
                   "credential.reseal",
                   record.id,
                   {},
                   Value::object({{"from_key", before}, {"to_key", found.first_id()}})};
    FERMATA_TRY(done,
                catalog_.reseal_credential(record.account, record.id, record.sealed, sealed, line));
    // Whoever changed it in between has sealed it under the first key.
    ++(done ? out.resealed : out.kept);
    return {};
  }));
  return out;
}

Outcome<std::vector<std::string>> Vault::unreadable() {
  std::vector<std::string> ids;
  FERMATA_TRY_VOID(visit([&](const CredentialRecord& record) -> Outcome<void> {
    if (!open(record)) ids.push_back(record.id);
    return {};
  }));
  return ids;
}

}  // namespace fermata::front
