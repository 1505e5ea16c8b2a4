#include "adapters/sqlite/catalog_queries.h"

namespace fermata::sqlite {
namespace {

constexpr std::string_view mismatch = "its checksum does not match";

/// The one row of a query as a record, if there is one.
template <class Decode>
auto take_one(Database& database, std::string_view table, Rows rows, Decode decode)
    -> Outcome<std::optional<Numbered<typename decltype(decode({}, 0))::value_type>>> {
  using Found = Numbered<typename decltype(decode({}, 0))::value_type>;
  if (!rows.next()) {
    if (rows.failed()) return database.failure("reading the table " + std::string(table));
    return std::optional<Found>{};
  }
  uint64_t number = rows.natural(0);
  auto record = decode(rows.blob(1), number);
  if (!record) return damaged(table, number, mismatch);
  return std::optional(Found{number, *std::move(record)});
}

template <class Decode>
auto take_all(Database& database, std::string_view table, Rows rows, Decode decode)
    -> Outcome<std::vector<typename decltype(decode({}, 0))::value_type>> {
  std::vector<typename decltype(decode({}, 0))::value_type> out;
  while (rows.next()) {
    auto record = decode(rows.blob(1), rows.natural(0));
    if (!record) return damaged(table, rows.natural(0), mismatch);
    out.push_back(*std::move(record));
  }
  if (rows.failed()) return database.failure("reading the table " + std::string(table));
  return out;
}

}  // namespace

Outcome<std::optional<Numbered<WorkflowRecord>>> CatalogQueries::workflow(const AccountId& account,
                                                                          const WorkflowId& id) {
  return take_one(database_, "workflow", workflow_.query(account.text(), id.text()),
                  decode_workflow);
}

Outcome<WorkflowPage> CatalogQueries::workflows(const AccountId& account, size_t limit,
                                                const std::string& cursor) {
  FERMATA_TRY(items,
              take_all(database_, "workflow", workflows_.query(account.text(), cursor, limit + 1),
                       decode_workflow));
  WorkflowPage page{std::move(items), ""};
  if (page.items.size() > limit) {
    page.items.resize(limit);
    if (!page.items.empty()) page.next_cursor = page.items.back().id.text();
  }
  return page;
}

Outcome<std::vector<WorkflowVersion>> CatalogQueries::versions(uint64_t workflow) {
  return take_all(database_, "version", versions_.query(workflow), decode_version);
}

Outcome<std::optional<Numbered<WorkflowRecord>>> CatalogQueries::workflow_by_webhook(
    const std::string& guid) {
  return take_one(database_, "workflow", webhook_.query(guid), decode_workflow);
}

Outcome<std::optional<std::string>> CatalogQueries::definition(const DefinitionHash& hash) {
  FERMATA_TRY(found, take_one(database_, "definition", definition_.query(hash.text()),
                              [](std::string_view record, uint64_t number) {
                                auto body = unseal(record, number);
                                return body ? std::optional(std::string(*body)) : std::nullopt;
                              }));
  if (!found) return std::optional<std::string>{};
  return std::optional(std::move(found->record));
}

Outcome<std::optional<Numbered<KeyRecord>>> CatalogQueries::key(const std::string& id) {
  return take_one(database_, "key", key_.query(id), decode_key);
}

Outcome<std::vector<KeyRecord>> CatalogQueries::keys(const AccountId& account) {
  return take_all(database_, "key", keys_.query(account.text()), decode_key);
}

Outcome<bool> CatalogQueries::any_key() {
  Rows rows = any_key_.query();
  bool any = rows.next();
  if (rows.failed()) return database_.failure("reading the table key");
  return any;
}

Outcome<std::optional<Numbered<CredentialRecord>>> CatalogQueries::credential(
    const AccountId& account, const std::string& id) {
  return take_one(database_, "credential", credential_.query(account.text(), id),
                  decode_credential);
}

Outcome<std::optional<Numbered<CredentialRecord>>> CatalogQueries::credential_named(
    const AccountId& account, const std::string& name) {
  return take_one(database_, "credential", credential_named_.query(account.text(), name),
                  decode_credential);
}

Outcome<CredentialPage> CatalogQueries::credentials(const AccountId& account, size_t limit,
                                                    const std::string& cursor) {
  FERMATA_TRY(items,
              take_all(database_, "credential",
                       credentials_.query(account.text(), cursor, limit + 1), decode_credential));
  CredentialPage page{std::move(items), ""};
  if (page.items.size() > limit) {
    page.items.resize(limit);
    if (!page.items.empty()) page.next_cursor = page.items.back().id;
  }
  return page;
}

Outcome<std::vector<AccountId>> CatalogQueries::credential_accounts() {
  std::vector<AccountId> accounts;
  Rows rows = credential_accounts_.query();
  while (rows.next()) accounts.emplace_back(std::string(rows.text(0)));
  if (rows.failed()) return database_.failure("reading the table credential");
  return accounts;
}

Outcome<std::optional<Numbered<IdempotencyMark>>> CatalogQueries::mark(const AccountId& account,
                                                                       const std::string& key) {
  return take_one(database_, "mark", mark_.query(account.text(), key), decode_mark);
}

}  // namespace fermata::sqlite
