#include "adapters/sqlite/catalog_writer.h"

#include <algorithm>

namespace fermata::sqlite {

Outcome<uint64_t> CatalogWriter::next_number(const char* sql) {
  FERMATA_TRY(last, database_.number(sql));
  return static_cast<uint64_t>(last) + 1;
}

Outcome<CatalogWriter::Found> CatalogWriter::need_workflow(const AccountId& account,
                                                           const WorkflowId& id) {
  FERMATA_TRY(found, writer_.catalog().workflow(account, id));
  if (!found) return fail(ErrorCode::workflow_not_found, "no workflow `" + id.text() + "`");
  return *std::move(found);
}

bool CatalogWriter::store(const Found& workflow) {
  const WorkflowRecord& record = workflow.record;
  std::string bytes = encode_workflow(record, workflow.number);
  const std::string& webhook = record.webhook_guid;
  if (webhook.empty()) {
    return put_workflow_.execute(workflow.number, record.account.text(), record.id.text(),
                                 std::nullopt, Blob{bytes});
  }
  return put_workflow_.execute(workflow.number, record.account.text(), record.id.text(), webhook,
                               Blob{bytes});
}

Outcome<WorkflowStored> CatalogWriter::put_workflow(const WorkflowPut& put,
                                                    const AuditLine& audit) {
  WorkflowStored stored;
  FERMATA_TRY_VOID(writer_.transact(&audit, [&]() -> Outcome<void> {
    FERMATA_TRY(made, put_in_transaction(put));
    stored = std::move(made);
    return {};
  }));
  return stored;
}

Outcome<WorkflowStored> CatalogWriter::put_in_transaction(const WorkflowPut& put) {
  FERMATA_TRY(known, writer_.catalog().workflow(put.account, put.id));
  uint64_t revision = known ? known->record.revision : 0;
  if (put.if_revision && *put.if_revision != revision) {
    return fail(ErrorCode::version_conflict,
                "workflow `" + put.id.text() + "` is at revision " + std::to_string(revision));
  }
  for (const InlinedCredential& inlined : put.credentials) {
    FERMATA_TRY_VOID(put_credential_in_transaction(inlined.put));
    FERMATA_TRY_VOID(writer_.append(inlined.audit));
  }
  Found next;
  if (known) {
    next = *std::move(known);
  } else {
    FERMATA_TRY(number, next_number("SELECT max(number) FROM workflow"));
    next.number = number;
    next.record.account = put.account;
    next.record.id = put.id;
    next.record.created_at = put.at;
  }
  WorkflowRecord& record = next.record;
  FERMATA_TRY(versions, writer_.catalog().versions(next.number));
  auto same = std::ranges::find(versions, put.hash, &WorkflowVersion::hash);
  bool grows = same == versions.end();
  uint32_t version = grows ? ++record.latest_version : same->version;
  if (grows && !add_version(next, put)) return database_.failure("writing a version");
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
    if (!store(next)) return database_.failure("writing a workflow");
  }
  return WorkflowStored{record, version, grows};
}

bool CatalogWriter::add_version(const Found& workflow, const WorkflowPut& put) {
  auto definition = next_number("SELECT max(number) FROM definition");
  auto number = next_number("SELECT max(number) FROM version");
  if (!definition || !number) return false;
  std::string canonical = seal(put.canonical, *definition);
  uint32_t version = workflow.record.latest_version;
  std::string bytes = encode_version({version, put.hash, put.at, put.actor}, *number);
  return put_definition_.execute(*definition, put.hash.text(), Blob{canonical}) &&
         put_version_.execute(*number, workflow.number, version, Blob{bytes});
}

static Failure<Error> no_version(const WorkflowId& id, uint32_t version) {
  return fail(ErrorCode::version_not_found,
              "workflow `" + id.text() + "` has no version " + std::to_string(version));
}

Outcome<WorkflowRecord> CatalogWriter::set_current(const AccountId& account, const WorkflowId& id,
                                                   uint32_t version, const AuditLine& audit) {
  WorkflowRecord out;
  FERMATA_TRY_VOID(writer_.transact(&audit, [&]() -> Outcome<void> {
    FERMATA_TRY(found, need_workflow(account, id));
    FERMATA_TRY(versions, writer_.catalog().versions(found.number));
    auto wanted = std::ranges::find(versions, version, &WorkflowVersion::version);
    if (wanted == versions.end()) return no_version(id, version);
    found.record.current_version = version;
    found.record.current_hash = wanted->hash;
    found.record.updated_at = audit.at;
    ++found.record.revision;
    if (!store(found)) return database_.failure("writing a workflow");
    out = std::move(found.record);
    return {};
  }));
  return out;
}

Outcome<WorkflowRecord> CatalogWriter::set_active(const AccountId& account, const WorkflowId& id,
                                                  bool active, const AuditLine& audit) {
  WorkflowRecord out;
  FERMATA_TRY_VOID(writer_.transact(&audit, [&]() -> Outcome<void> {
    FERMATA_TRY(found, need_workflow(account, id));
    found.record.active = active;
    found.record.updated_at = audit.at;
    ++found.record.revision;
    if (!store(found)) return database_.failure("writing a workflow");
    out = std::move(found.record);
    return {};
  }));
  return out;
}

Outcome<void> CatalogWriter::remove_version(const AccountId& account, const WorkflowId& id,
                                            uint32_t version, const AuditLine& audit) {
  return writer_.transact(&audit, [&]() -> Outcome<void> {
    FERMATA_TRY(found, need_workflow(account, id));
    FERMATA_TRY(versions, writer_.catalog().versions(found.number));
    if (std::ranges::find(versions, version, &WorkflowVersion::version) == versions.end())
      return no_version(id, version);
    if (found.record.current_version == version)
      return fail(ErrorCode::version_in_use, "the workflow stands at this version");
    found.record.updated_at = audit.at;
    ++found.record.revision;
    if (!store(found) || !remove_version_.execute(found.number, version))
      return database_.failure("removing a version");
    return {};
  });
}

Outcome<void> CatalogWriter::remove_workflow(const AccountId& account, const WorkflowId& id,
                                             const AuditLine& audit) {
  return writer_.transact(&audit, [&]() -> Outcome<void> {
    FERMATA_TRY(found, need_workflow(account, id));
    if (!remove_versions_.execute(found.number) || !remove_workflow_.execute(found.number)) {
      return database_.failure("removing a workflow");
    }
    return {};
  });
}

Outcome<void> CatalogWriter::store_key(uint64_t number, const KeyRecord& key) {
  std::string bytes = encode_key(key, number);
  if (!put_key_.execute(number, key.id, key.account.text(), Blob{bytes})) {
    return database_.failure("writing a key");
  }
  return {};
}

Outcome<void> CatalogWriter::put_key(const KeyRecord& key, const AuditLine& audit) {
  return writer_.transact(&audit, [&]() -> Outcome<void> {
    FERMATA_TRY(known, writer_.catalog().key(key.id));
    if (known) return store_key(known->number, key);
    FERMATA_TRY(number, next_number("SELECT max(number) FROM key"));
    return store_key(number, key);
  });
}

Outcome<void> CatalogWriter::revoke_key(const std::string& id, Instant at, const AuditLine& audit) {
  return writer_.transact(&audit, [&]() -> Outcome<void> {
    FERMATA_TRY(found, writer_.catalog().key(id));
    if (!found) return fail(ErrorCode::key_not_found, "no key `" + id + "`");
    if (found->record.revoked_at) return {};
    found->record.revoked_at = at;
    add_last_use(found->record);
    return store_key(found->number, found->record);
  });
}

void CatalogWriter::key_used(const std::string& id, Instant at) {
  std::lock_guard lock(uses_mutex_);
  Instant& last = uses_.try_emplace(id, at).first->second;
  last = std::max(last, at);
}

void CatalogWriter::add_last_use(KeyRecord& key) {
  std::lock_guard lock(uses_mutex_);
  auto found = uses_.find(key.id);
  if (found == uses_.end()) return;
  if (!key.last_used_at || *key.last_used_at < found->second) key.last_used_at = found->second;
}

void CatalogWriter::write_uses() {
  {
    std::lock_guard lock(uses_mutex_);
    if (uses_.empty() && credential_uses_.empty()) return;
  }
  // A use that is not written is only forgotten; the writer has reported why.
  (void)writer_.transact(nullptr, [&] { return store_uses(); });
}

Outcome<void> CatalogWriter::store_uses() {
  std::lock_guard lock(uses_mutex_);
  for (const auto& [id, at] : uses_) {
    FERMATA_TRY(found, writer_.catalog().key(id));
    if (!found || (found->record.last_used_at && *found->record.last_used_at >= at)) continue;
    found->record.last_used_at = at;
    FERMATA_TRY_VOID(store_key(found->number, found->record));
  }
  return store_credential_uses();
}

void CatalogWriter::marks_seen_at(Instant now) {
  int64_t seen = marks_seen_at_ms_.load(std::memory_order_relaxed);
  while (seen < now.ms && !marks_seen_at_ms_.compare_exchange_weak(seen, now.ms)) {
  }
}

Outcome<IdempotencyMark> CatalogWriter::put_mark(const IdempotencyMark& mark) {
  IdempotencyMark kept = mark;
  FERMATA_TRY_VOID(writer_.transact(nullptr, [&]() -> Outcome<void> {
    int64_t seen_at_ms = marks_seen_at_ms_.load(std::memory_order_relaxed);
    FERMATA_TRY(known, writer_.catalog().mark(mark.account, mark.key));
    if (known && known->record.expires_at.ms > seen_at_ms) {
      kept = std::move(known->record);
      return {};
    }
    return add_mark(mark);
  }));
  return kept;
}

Outcome<void> CatalogWriter::add_mark(const IdempotencyMark& mark) {
  int64_t seen_at_ms = marks_seen_at_ms_.load(std::memory_order_relaxed);
  if (!drop_marks_.execute(seen_at_ms)) return database_.failure("dropping old marks");
  FERMATA_TRY(number, next_number("SELECT max(number) FROM mark"));
  std::string bytes = encode_mark(mark, number);
  if (!put_mark_.execute(number, mark.account.text(), mark.key, mark.expires_at.ms, Blob{bytes})) {
    return database_.failure("writing a mark");
  }
  return {};
}

}  // namespace fermata::sqlite
