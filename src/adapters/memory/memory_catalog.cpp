#include <algorithm>

#include "adapters/memory/memory_store.h"

namespace fermata {
namespace {

Failure<Error> no_workflow(const WorkflowId& id) {
  return fail(ErrorCode::workflow_not_found, "no workflow `" + id.text() + "`");
}

}  // namespace

MemoryStore::Workflow* MemoryStore::workflow_at(const AccountId& account, const WorkflowId& id) {
  auto found = workflows_.find({account, id});
  return found == workflows_.end() ? nullptr : &found->second;
}

Outcome<WorkflowStored> MemoryStore::put_workflow(const WorkflowPut& put, const AuditLine& audit) {
  std::lock_guard lock(mutex_);
  Workflow* known = workflow_at(put.account, put.id);
  uint64_t revision = known == nullptr ? 0 : known->record.revision;
  if (put.if_revision && *put.if_revision != revision) {
    return fail(ErrorCode::version_conflict,
                "workflow `" + put.id.text() + "` is at revision " + std::to_string(revision));
  }
  // All are looked at before the first is written, so that all are stored or none.
  std::vector<CredentialRecord> inlined;
  for (const InlinedCredential& one : put.credentials) {
    FERMATA_TRY(record, next_credential(one.put));
    inlined.push_back(std::move(record));
  }
  for (size_t i = 0; i < inlined.size(); ++i) {
    credentials_[{inlined[i].account, inlined[i].id}] = inlined[i];
    append(put.credentials[i].audit);
  }
  Workflow& workflow = workflows_[{put.account, put.id}];
  WorkflowRecord next = workflow.record;
  if (known == nullptr) {
    next.account = put.account;
    next.id = put.id;
    next.created_at = put.at;
  }
  auto same = std::ranges::find(workflow.versions, put.hash, &WorkflowVersion::hash);
  bool grows = same == workflow.versions.end();
  uint32_t version = grows ? ++next.latest_version : same->version;
  if (grows) {
    workflow.versions.push_back({version, put.hash, put.at, put.actor});
    definitions_.emplace(put.hash, put.canonical);
  }
  bool moves = put.make_current || known == nullptr;
  bool changes = grows || (moves && (next.current_version != version || next.layout != put.layout));
  if (moves) {
    next.current_version = version;
    next.current_hash = put.hash;
    next.layout = put.layout;
  }
  bool names_webhook = next.webhook_guid.empty() && !put.webhook_guid.empty();
  if (names_webhook) next.webhook_guid = put.webhook_guid;
  if (changes || names_webhook) {
    next.updated_at = put.at;
    ++next.revision;
  }
  workflow.record = next;
  append(audit);
  return WorkflowStored{next, version, grows};
}

Outcome<std::optional<WorkflowRecord>> MemoryStore::workflow(const AccountId& account,
                                                             const WorkflowId& id) {
  std::lock_guard lock(mutex_);
  Workflow* known = workflow_at(account, id);
  if (known == nullptr) return std::optional<WorkflowRecord>{};
  return std::optional(known->record);
}

Outcome<WorkflowPage> MemoryStore::workflows(const AccountId& account, size_t limit,
                                             const std::string& cursor) {
  std::lock_guard lock(mutex_);
  WorkflowPage page;
  auto at = workflows_.upper_bound({account, WorkflowId(cursor)});
  for (; at != workflows_.end() && at->first.first == account; ++at) {
    if (page.items.size() == limit) {
      if (!page.items.empty()) page.next_cursor = page.items.back().id.text();
      break;
    }
    page.items.push_back(at->second.record);
  }
  return page;
}

Outcome<std::vector<WorkflowVersion>> MemoryStore::versions(const AccountId& account,
                                                            const WorkflowId& id) {
  std::lock_guard lock(mutex_);
  Workflow* known = workflow_at(account, id);
  if (known == nullptr) return std::vector<WorkflowVersion>{};
  return known->versions;
}

static Failure<Error> no_version(const WorkflowId& id, uint32_t version) {
  return fail(ErrorCode::version_not_found,
              "workflow `" + id.text() + "` has no version " + std::to_string(version));
}

Outcome<WorkflowRecord> MemoryStore::set_current(const AccountId& account, const WorkflowId& id,
                                                 uint32_t version, const AuditLine& audit) {
  std::lock_guard lock(mutex_);
  Workflow* known = workflow_at(account, id);
  if (known == nullptr) return no_workflow(id);
  auto wanted = std::ranges::find(known->versions, version, &WorkflowVersion::version);
  if (wanted == known->versions.end()) return no_version(id, version);
  known->record.current_version = version;
  known->record.current_hash = wanted->hash;
  known->record.updated_at = audit.at;
  ++known->record.revision;
  append(audit);
  return known->record;
}

Outcome<WorkflowRecord> MemoryStore::set_active(const AccountId& account, const WorkflowId& id,
                                                bool active, const AuditLine& audit) {
  std::lock_guard lock(mutex_);
  Workflow* known = workflow_at(account, id);
  if (known == nullptr) return no_workflow(id);
  known->record.active = active;
  known->record.updated_at = audit.at;
  ++known->record.revision;
  append(audit);
  return known->record;
}

Outcome<void> MemoryStore::remove_version(const AccountId& account, const WorkflowId& id,
                                          uint32_t version, const AuditLine& audit) {
  std::lock_guard lock(mutex_);
  Workflow* known = workflow_at(account, id);
  if (known == nullptr) return no_workflow(id);
  auto wanted = std::ranges::find(known->versions, version, &WorkflowVersion::version);
  if (wanted == known->versions.end()) return no_version(id, version);
  if (known->record.current_version == version)
    return fail(ErrorCode::version_in_use, "the workflow stands at this version");
  known->versions.erase(wanted);
  known->record.updated_at = audit.at;
  ++known->record.revision;
  append(audit);
  return {};
}

Outcome<void> MemoryStore::remove_workflow(const AccountId& account, const WorkflowId& id,
                                           const AuditLine& audit) {
  std::lock_guard lock(mutex_);
  if (workflows_.erase({account, id}) == 0) return no_workflow(id);
  append(audit);
  return {};
}

Outcome<std::optional<WorkflowRecord>> MemoryStore::workflow_by_webhook(const std::string& guid) {
  std::lock_guard lock(mutex_);
  for (const auto& [key, workflow] : workflows_) {
    if (!guid.empty() && workflow.record.webhook_guid == guid) {
      return std::optional(workflow.record);
    }
  }
  return std::optional<WorkflowRecord>{};
}

Outcome<std::optional<std::string>> MemoryStore::definition(const DefinitionHash& hash) {
  std::lock_guard lock(mutex_);
  auto found = definitions_.find(hash);
  if (found == definitions_.end()) return std::optional<std::string>{};
  return std::optional(found->second);
}

Outcome<void> MemoryStore::put_key(const KeyRecord& key, const AuditLine& audit) {
  std::lock_guard lock(mutex_);
  keys_.insert_or_assign(key.id, key);
  append(audit);
  return {};
}

Outcome<std::optional<KeyRecord>> MemoryStore::key(const std::string& id) {
  std::lock_guard lock(mutex_);
  auto found = keys_.find(id);
  if (found == keys_.end()) return std::optional<KeyRecord>{};
  return std::optional(found->second);
}

Outcome<std::vector<KeyRecord>> MemoryStore::keys(const AccountId& account) {
  std::lock_guard lock(mutex_);
  std::vector<KeyRecord> out;
  for (const auto& [id, key] : keys_) {
    if (account.empty() || key.account == account) out.push_back(key);
  }
  return out;
}

Outcome<void> MemoryStore::revoke_key(const std::string& id, Instant at, const AuditLine& audit) {
  std::lock_guard lock(mutex_);
  auto found = keys_.find(id);
  if (found == keys_.end()) return fail(ErrorCode::key_not_found, "no key `" + id + "`");
  if (!found->second.revoked_at) found->second.revoked_at = at;
  append(audit);
  return {};
}

void MemoryStore::key_used(const std::string& id, Instant at) {
  std::lock_guard lock(mutex_);
  auto found = keys_.find(id);
  if (found == keys_.end()) return;
  std::optional<Instant>& last = found->second.last_used_at;
  if (!last || *last < at) last = at;
}

Outcome<bool> MemoryStore::any_key() {
  std::lock_guard lock(mutex_);
  return !keys_.empty();
}

Outcome<std::optional<IdempotencyMark>> MemoryStore::mark(const AccountId& account,
                                                          const std::string& key, Instant now) {
  std::lock_guard lock(mutex_);
  marks_seen_at_ = std::max(marks_seen_at_, now);
  auto found = marks_.find({account, key});
  if (found == marks_.end() || found->second.expires_at <= now) {
    return std::optional<IdempotencyMark>{};
  }
  return std::optional(found->second);
}

Outcome<IdempotencyMark> MemoryStore::put_mark(const IdempotencyMark& mark) {
  std::lock_guard lock(mutex_);
  auto [found, added] = marks_.try_emplace({mark.account, mark.key}, mark);
  if (!added && found->second.expires_at <= marks_seen_at_) found->second = mark;
  return found->second;
}

}  // namespace fermata
