#include "adapters/postgres/catalog_rows.h"

#include "adapters/postgres/asking.h"
#include "ports/record/record.h"

namespace fermata::postgres {
namespace {

uint64_t workflow_salt(const AccountId& account, const WorkflowId& id) {
  return salt_of("workflow_records", joined_key(account.text(), id.text()));
}
std::string version_key(const AccountId& account, const WorkflowId& id, uint32_t version) {
  return joined_key(joined_key(account.text(), id.text()), std::to_string(version));
}

constexpr const char* workflow_columns =
    "select account || E'\\n' || id, record from workflow_records ";
constexpr const char* credential_columns =
    "select account || E'\\n' || id, record from credentials ";

std::optional<std::string> decode_definition(std::string_view record, uint64_t salt) {
  auto body = record::unseal(record, salt);
  return body ? std::optional(std::string(*body)) : std::nullopt;
}

Outcome<std::vector<WorkflowRecord>> workflows_in(Connection& connection, const std::string& where,
                                                  const Arguments& asked) {
  FERMATA_TRY(rows, connection.ask("reading workflows", workflow_columns + where, asked));
  return decode_all(std::move(rows), "workflow_records", record::decode_workflow);
}

Outcome<std::vector<CredentialRecord>> credentials_in(Connection& connection,
                                                      const std::string& where,
                                                      const Arguments& asked) {
  FERMATA_TRY(rows, connection.ask("reading credentials", credential_columns + where, asked));
  return decode_all(std::move(rows), "credentials", record::decode_credential);
}

}  // namespace

Outcome<std::optional<WorkflowRecord>> find_workflow(Connection& connection,
                                                     const AccountId& account,
                                                     const WorkflowId& id) {
  Arguments asked;
  asked.text(account.text()).text(id.text());
  FERMATA_TRY(found, workflows_in(connection, "where account = $1 and id = $2", asked));
  return first_of(std::move(found));
}

Outcome<WorkflowPage> list_workflows(Connection& connection, const AccountId& account, size_t limit,
                                     const std::string& cursor) {
  Arguments asked;
  asked.text(account.text()).text(cursor).number(uint64_t{limit + 1});
  FERMATA_TRY(items, workflows_in(connection, "where account = $1 and id > $2 order by id limit $3",
                                  asked));
  WorkflowPage page{std::move(items), ""};
  if (page.items.size() > limit) {
    page.items.resize(limit);
    if (!page.items.empty()) page.next_cursor = page.items.back().id.text();
  }
  return page;
}

Outcome<std::vector<WorkflowVersion>> list_versions(Connection& connection,
                                                    const AccountId& account,
                                                    const WorkflowId& id) {
  Arguments asked;
  asked.text(account.text()).text(id.text());
  FERMATA_TRY(rows, connection.ask("reading versions",
                                   "select account || E'\\n' || workflow || E'\\n' || version, "
                                   "record from workflow_versions where account = $1 and "
                                   "workflow = $2 order by version",
                                   asked));
  return decode_all(std::move(rows), "workflow_versions", record::decode_version);
}

Outcome<std::optional<WorkflowRecord>> find_webhook(Connection& connection,
                                                    const std::string& guid) {
  Arguments asked;
  asked.text(guid);
  FERMATA_TRY(found, workflows_in(connection, "where webhook = $1 limit 1", asked));
  return first_of(std::move(found));
}

Outcome<std::optional<std::string>> find_definition(Connection& connection,
                                                    const DefinitionHash& hash) {
  Arguments asked;
  asked.text(hash.text());
  FERMATA_TRY(rows, connection.ask("reading a definition",
                                   "select hash, record from definitions where hash = $1", asked));
  FERMATA_TRY(found, decode_all(std::move(rows), "definitions", decode_definition));
  return first_of(std::move(found));
}

Outcome<std::optional<KeyRecord>> find_key(Connection& connection, const std::string& id) {
  Arguments asked;
  asked.text(id);
  FERMATA_TRY(rows, connection.ask("reading a key", "select id, record from api_keys where id = $1",
                                   asked));
  FERMATA_TRY(found, decode_all(std::move(rows), "api_keys", record::decode_key));
  return first_of(std::move(found));
}

Outcome<std::vector<KeyRecord>> list_keys(Connection& connection, const AccountId& account) {
  Arguments asked;
  std::string sql = "select id, record from api_keys ";
  if (!account.empty()) {
    asked.text(account.text());
    sql += "where account = $1 ";
  }
  FERMATA_TRY(rows, connection.ask("reading keys", sql + "order by id", asked));
  return decode_all(std::move(rows), "api_keys", record::decode_key);
}

Outcome<bool> any_key(Connection& connection) {
  FERMATA_TRY(rows, connection.ask("looking for keys", "select 1 from api_keys limit 1"));
  return rows.count() > 0;
}

Outcome<std::optional<CredentialRecord>> find_credential(Connection& connection,
                                                         const AccountId& account,
                                                         const std::string& id) {
  Arguments asked;
  asked.text(account.text()).text(id);
  FERMATA_TRY(found, credentials_in(connection, "where account = $1 and id = $2", asked));
  return first_of(std::move(found));
}

Outcome<std::optional<CredentialRecord>> find_credential_named(Connection& connection,
                                                               const AccountId& account,
                                                               const std::string& name) {
  Arguments asked;
  asked.text(account.text()).text(name);
  FERMATA_TRY(found, credentials_in(connection, "where account = $1 and name = $2", asked));
  return first_of(std::move(found));
}

Outcome<CredentialPage> list_credentials(Connection& connection, const AccountId& account,
                                         size_t limit, const std::string& cursor) {
  Arguments asked;
  asked.text(account.text()).text(cursor).number(uint64_t{limit + 1});
  FERMATA_TRY(items, credentials_in(connection,
                                    "where account = $1 and id > $2 order by id limit $3", asked));
  CredentialPage page{std::move(items), ""};
  if (page.items.size() > limit) {
    page.items.resize(limit);
    if (!page.items.empty()) page.next_cursor = page.items.back().id;
  }
  return page;
}

Outcome<std::vector<AccountId>> accounts_with_credentials(Connection& connection) {
  FERMATA_TRY(rows, connection.ask("reading credentials",
                                   "select distinct account from credentials order by account"));
  std::vector<AccountId> out;
  while (rows.next()) out.emplace_back(std::string(rows.text(0)));
  return out;
}

Outcome<std::optional<IdempotencyMark>> find_mark(Connection& connection, const AccountId& account,
                                                  const std::string& key) {
  Arguments asked;
  asked.text(account.text()).text(key);
  FERMATA_TRY(rows, connection.ask("reading a mark",
                                   "select account || E'\\n' || key, record from marks where "
                                   "account = $1 and key = $2",
                                   asked));
  FERMATA_TRY(found, decode_all(std::move(rows), "marks", record::decode_mark));
  return first_of(std::move(found));
}

Outcome<void> store_workflow(Connection& connection, const WorkflowRecord& workflow) {
  Arguments put;
  put.text(workflow.account.text()).text(workflow.id.text());
  workflow.webhook_guid.empty() ? put.none(Type::text) : put.text(workflow.webhook_guid);
  put.flag(workflow.active);
  put.bytes(record::encode_workflow(workflow, workflow_salt(workflow.account, workflow.id)));
  return order(connection, "writing a workflow",
               "insert into workflow_records (account, id, webhook, active, record) values "
               "($1, $2, $3, $4, $5) on conflict (account, id) do update set webhook = "
               "excluded.webhook, active = excluded.active, record = excluded.record",
               put);
}

Outcome<void> store_version(Connection& connection, const WorkflowPut& put, uint32_t version) {
  Arguments text;
  text.text(put.hash.text());
  text.bytes(record::seal(put.canonical, salt_of("definitions", put.hash.text())));
  FERMATA_TRY_VOID(order(connection, "writing a definition",
                         "insert into definitions (hash, record) values ($1, $2) on conflict do "
                         "nothing",
                         text));
  uint64_t salt = salt_of("workflow_versions", version_key(put.account, put.id, version));
  Arguments made;
  made.text(put.account.text()).text(put.id.text()).number(int64_t{version}).text(put.hash.text());
  made.bytes(record::encode_version({version, put.hash, put.at, put.actor}, salt));
  return order(connection, "writing a version",
               "insert into workflow_versions (account, workflow, version, hash, record) values "
               "($1, $2, $3, $4, $5)",
               made);
}

Outcome<void> drop_version(Connection& connection, const AccountId& account, const WorkflowId& id,
                           uint32_t version) {
  Arguments asked;
  asked.text(account.text()).text(id.text()).number(int64_t{version});
  return order(connection, "removing a version",
               "delete from workflow_versions where account = $1 and workflow = $2 and "
               "version = $3",
               asked);
}

Outcome<void> drop_workflow(Connection& connection, const AccountId& account,
                            const WorkflowId& id) {
  Arguments asked;
  asked.text(account.text()).text(id.text());
  FERMATA_TRY_VOID(order(connection, "removing a workflow",
                         "delete from workflow_versions where account = $1 and workflow = $2",
                         asked));
  return order(connection, "removing a workflow",
               "delete from workflow_records where account = $1 and id = $2", asked);
}

Outcome<void> store_key(Connection& connection, const KeyRecord& key) {
  Arguments put;
  put.text(key.id).text(key.account.text());
  put.bytes(record::encode_key(key, salt_of("api_keys", key.id)));
  return order(connection, "writing a key",
               "insert into api_keys (id, account, record) values ($1, $2, $3) on conflict (id) "
               "do update set account = excluded.account, record = excluded.record",
               put);
}

Outcome<void> store_credential(Connection& connection, const CredentialRecord& credential) {
  std::string key = joined_key(credential.account.text(), credential.id);
  Arguments put;
  put.text(credential.account.text()).text(credential.id).text(credential.name);
  put.bytes(record::encode_credential(credential, salt_of("credentials", key)));
  return order(connection, "writing a credential",
               "insert into credentials (account, id, name, record) values ($1, $2, $3, $4) on "
               "conflict (account, id) do update set name = excluded.name, "
               "record = excluded.record",
               put);
}

Outcome<void> drop_credential(Connection& connection, const AccountId& account,
                              const std::string& id) {
  Arguments asked;
  asked.text(account.text()).text(id);
  return order(connection, "removing a credential",
               "delete from credentials where account = $1 and id = $2", asked);
}

Outcome<void> store_mark(Connection& connection, const IdempotencyMark& mark) {
  std::string key = joined_key(mark.account.text(), mark.key);
  Arguments put;
  put.text(mark.account.text()).text(mark.key).number(mark.expires_at.ms);
  put.bytes(record::encode_mark(mark, salt_of("marks", key)));
  return order(connection, "writing a mark",
               "insert into marks (account, key, expires_at, record) values ($1, $2, $3, $4) on "
               "conflict (account, key) do update set expires_at = excluded.expires_at, "
               "record = excluded.record",
               put);
}

}  // namespace fermata::postgres
