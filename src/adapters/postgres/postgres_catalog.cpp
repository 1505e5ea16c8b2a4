#include <algorithm>

#include "adapters/postgres/asking.h"
#include "adapters/postgres/catalog_rows.h"
#include "adapters/postgres/store_parts.h"

/// Definitions and workflows. What is written is one transaction each; nobody else writes between
/// its reading and its writing, because the writer takes one at a time and only who leads writes.
namespace fermata {

using namespace postgres;

namespace {

Outcome<WorkflowRecord> need_workflow(Connection& c, const AccountId& account,
                                      const WorkflowId& id) {
  FERMATA_TRY(found, find_workflow(c, account, id));
  if (!found) return fail(ErrorCode::workflow_not_found, "no workflow `" + id.text() + "`");
  return *std::move(found);
}

Failure<Error> no_version(const WorkflowId& id, uint32_t version) {
  return fail(ErrorCode::version_not_found,
              "workflow `" + id.text() + "` has no version " + std::to_string(version));
}

Outcome<CredentialRecord> put_one_credential(Connection& c, Uses& uses, const CredentialPut& put) {
  FERMATA_TRY(known, find_credential(c, put.account, put.id));
  FERMATA_TRY(next, credential_after(put, known));
  FERMATA_TRY(named, find_credential_named(c, put.account, put.name));
  if (named && named->id != put.id) return credential_name_taken(put.name);
  uses.add_to(next);
  FERMATA_TRY_VOID(store_credential(c, next));
  return next;
}

Outcome<WorkflowStored> put_in_transaction(Connection& c, Uses& uses, const WorkflowPut& put) {
  FERMATA_TRY(known, find_workflow(c, put.account, put.id));
  uint64_t revision = known ? known->revision : 0;
  if (put.if_revision && *put.if_revision != revision)
    return fail(ErrorCode::version_conflict,
                "workflow `" + put.id.text() + "` is at revision " + std::to_string(revision));
  for (const InlinedCredential& inlined : put.credentials) {
    FERMATA_TRY_VOID(put_one_credential(c, uses, inlined.put));
    FERMATA_TRY_VOID(append_line(c, inlined.audit));
  }
  WorkflowRecord record = known.value_or(WorkflowRecord{});
  if (!known) {
    record.account = put.account;
    record.id = put.id;
    record.created_at = put.at;
  }
  FERMATA_TRY(versions, list_versions(c, put.account, put.id));
  auto same = std::ranges::find(versions, put.hash, &WorkflowVersion::hash);
  bool grows = same == versions.end();
  uint32_t version = grows ? ++record.latest_version : same->version;
  if (grows) FERMATA_TRY_VOID(store_version(c, put, version));
  bool moves = put.make_current || record.current_version == 0;
  bool changes =
      grows || (moves && (record.current_version != version || record.layout != put.layout));
  if (moves) {
    record.current_version = version;
    record.current_hash = put.hash;
    record.layout = put.layout;
  }
  bool names_webhook = record.webhook_guid.empty() && !put.webhook_guid.empty();
  if (names_webhook) record.webhook_guid = put.webhook_guid;
  if (changes || names_webhook) {
    record.updated_at = put.at;
    ++record.revision;
    FERMATA_TRY_VOID(store_workflow(c, record));
  }
  return WorkflowStored{record, version, grows};
}

}  // namespace

Outcome<WorkflowStored> PostgresStore::put_workflow(const WorkflowPut& put,
                                                    const AuditLine& audit) {
  return transacted<WorkflowStored>(parts_->writer, &audit, [&](Connection& c) {
    return put_in_transaction(c, parts_->uses, put);
  });
}

Outcome<std::optional<WorkflowRecord>> PostgresStore::workflow(const AccountId& account,
                                                               const WorkflowId& id) {
  return parts_->readers.read([&](Connection& c) { return find_workflow(c, account, id); });
}

Outcome<WorkflowPage> PostgresStore::workflows(const AccountId& account, size_t limit,
                                               const std::string& cursor) {
  return parts_->readers.read(
      [&](Connection& c) { return list_workflows(c, account, limit, cursor); });
}

Outcome<std::vector<WorkflowVersion>> PostgresStore::versions(const AccountId& account,
                                                              const WorkflowId& id) {
  return parts_->readers.read([&](Connection& c) { return list_versions(c, account, id); });
}

Outcome<WorkflowRecord> PostgresStore::set_current(const AccountId& account, const WorkflowId& id,
                                                   uint32_t version, const AuditLine& audit) {
  auto body = [&](Connection& c) -> Outcome<WorkflowRecord> {
    FERMATA_TRY(record, need_workflow(c, account, id));
    FERMATA_TRY(versions, list_versions(c, account, id));
    auto wanted = std::ranges::find(versions, version, &WorkflowVersion::version);
    if (wanted == versions.end()) return no_version(id, version);
    record.current_version = version;
    record.current_hash = wanted->hash;
    record.updated_at = audit.at;
    ++record.revision;
    FERMATA_TRY_VOID(store_workflow(c, record));
    return record;
  };
  return transacted<WorkflowRecord>(parts_->writer, &audit, body);
}

Outcome<WorkflowRecord> PostgresStore::set_active(const AccountId& account, const WorkflowId& id,
                                                  bool active, const AuditLine& audit) {
  auto body = [&](Connection& c) -> Outcome<WorkflowRecord> {
    FERMATA_TRY(record, need_workflow(c, account, id));
    record.active = active;
    record.updated_at = audit.at;
    ++record.revision;
    FERMATA_TRY_VOID(store_workflow(c, record));
    return record;
  };
  return transacted<WorkflowRecord>(parts_->writer, &audit, body);
}

Outcome<void> PostgresStore::remove_version(const AccountId& account, const WorkflowId& id,
                                            uint32_t version, const AuditLine& audit) {
  return parts_->writer.transact(&audit, [&](Connection& c) -> Outcome<void> {
    FERMATA_TRY(record, need_workflow(c, account, id));
    FERMATA_TRY(versions, list_versions(c, account, id));
    if (std::ranges::find(versions, version, &WorkflowVersion::version) == versions.end())
      return no_version(id, version);
    if (record.current_version == version)
      return fail(ErrorCode::version_in_use, "the workflow stands at this version");
    record.updated_at = audit.at;
    ++record.revision;
    FERMATA_TRY_VOID(store_workflow(c, record));
    return drop_version(c, account, id, version);
  });
}

Outcome<void> PostgresStore::remove_workflow(const AccountId& account, const WorkflowId& id,
                                             const AuditLine& audit) {
  return parts_->writer.transact(&audit, [&](Connection& c) -> Outcome<void> {
    FERMATA_TRY_VOID(need_workflow(c, account, id));
    return drop_workflow(c, account, id);
  });
}

Outcome<std::optional<WorkflowRecord>> PostgresStore::workflow_by_webhook(const std::string& guid) {
  return parts_->readers.read([&](Connection& c) { return find_webhook(c, guid); });
}

Outcome<std::optional<std::string>> PostgresStore::definition(const DefinitionHash& hash) {
  return parts_->readers.read([&](Connection& c) { return find_definition(c, hash); });
}

Outcome<CredentialRecord> PostgresStore::put_credential(const CredentialPut& put,
                                                        const AuditLine& audit) {
  auto body = [&](Connection& c) -> Outcome<CredentialRecord> {
    if (put.mark) {
      FERMATA_TRY(known, find_mark(c, put.mark->account, put.mark->key));
      if (known && known->expires_at.ms > parts_->uses.marks_seen_at_ms())
        return mark_taken(put.mark->key);
      FERMATA_TRY_VOID(store_mark(c, *put.mark));
    }
    return put_one_credential(c, parts_->uses, put);
  };
  return transacted<CredentialRecord>(parts_->writer, &audit, body);
}

}  // namespace fermata
