#include <algorithm>

#include "adapters/memory/memory_store.h"

namespace fermata {

Outcome<void> MemoryStore::put_account(const AccountRecord& record, const AuditLine& audit) {
  std::lock_guard lock(mutex_);
  auto known = accounts_.find(record.account);
  uint64_t stored = known == accounts_.end() ? 0 : known->second.revision;
  FERMATA_TRY_VOID(check_revision(stored, record.revision, "the settings"));
  accounts_[record.account] = record;
  append(audit);
  return {};
}

Outcome<std::optional<AccountRecord>> MemoryStore::account(const AccountId& account) {
  std::lock_guard lock(mutex_);
  auto found = accounts_.find(account);
  return found == accounts_.end() ? std::nullopt : std::optional(found->second);
}

Outcome<std::vector<AccountRecord>> MemoryStore::accounts() {
  std::lock_guard lock(mutex_);
  std::vector<AccountRecord> out;
  for (const auto& [id, record] : accounts_) out.push_back(record);
  return out;
}

Outcome<void> MemoryStore::put_rules(const WorkflowRules& rules, const AuditLine& audit) {
  std::lock_guard lock(mutex_);
  auto known = rules_.find({rules.account, rules.workflow});
  uint64_t stored = known == rules_.end() ? 0 : known->second.revision;
  FERMATA_TRY_VOID(check_revision(stored, rules.revision, "the workflow"));
  rules_[{rules.account, rules.workflow}] = rules;
  append(audit);
  return {};
}

Outcome<std::optional<WorkflowRules>> MemoryStore::rules(const AccountId& account,
                                                         const WorkflowId& workflow) {
  std::lock_guard lock(mutex_);
  auto found = rules_.find({account, workflow});
  return found == rules_.end() ? std::nullopt : std::optional(found->second);
}

Outcome<std::vector<WorkflowRules>> MemoryStore::all_rules() {
  std::lock_guard lock(mutex_);
  std::vector<WorkflowRules> out;
  for (const auto& [key, rules] : rules_) out.push_back(rules);
  return out;
}

Outcome<void> MemoryStore::put_view(const SavedView& view, const AuditLine& audit) {
  std::lock_guard lock(mutex_);
  std::vector<SavedView>& views = views_[view.account];
  auto known = std::find_if(views.begin(), views.end(),
                            [&](const SavedView& one) { return one.id == view.id; });
  uint64_t stored = known == views.end() ? 0 : known->revision;
  FERMATA_TRY_VOID(check_revision(stored, view.revision, "the view"));
  if (known == views.end()) {
    views.push_back(view);
  } else {
    *known = view;
  }
  append(audit);
  return {};
}

Outcome<std::optional<SavedView>> MemoryStore::view(const AccountId& account,
                                                    const std::string& id) {
  std::lock_guard lock(mutex_);
  for (const SavedView& one : views_[account])
    if (one.id == id) return std::optional(one);
  return std::optional<SavedView>{};
}

Outcome<std::vector<SavedView>> MemoryStore::views(const AccountId& account) {
  std::lock_guard lock(mutex_);
  return views_[account];
}

Outcome<void> MemoryStore::remove_view(const AccountId& account, const std::string& id,
                                       const AuditLine& audit) {
  std::lock_guard lock(mutex_);
  size_t gone = std::erase_if(views_[account], [&](const SavedView& one) { return one.id == id; });
  if (gone == 0) return fail(ErrorCode::value_not_found, "There is no view `" + id + "`.");
  append(audit);
  return {};
}

}  // namespace fermata
