#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "core/model/account_settings.h"
#include "core/model/summary.h"

namespace fermata {

/// What an account has chosen (W-29), as it was written.
struct AccountRecord {
  AccountId account;
  Value settings;             ///< account_settings_value
  std::string sealed_secret;  ///< of callbacks, as front/vault.h seals it
  uint64_t revision = 0;      ///< 0: nothing was chosen yet; the ETag
  Instant updated_at;
  bool operator==(const AccountRecord&) const = default;
};

/// What goes with a workflow beside its versions, and is in force for all of them at once.
struct WorkflowRules {
  AccountId account;
  WorkflowId workflow;
  OnInactive inactive = OnInactive::active;  ///< what its waits do while it is inactive (W-31)
  Value goals;                               ///< {mode, goals}, or null (W-30)
  Value triggers;                            ///< a list, or null
  uint64_t revision = 0;
  Instant updated_at;
  bool operator==(const WorkflowRules&) const = default;
};

/// Settings of accounts and rules of workflows. Safe from several threads; each write is one
/// durable transaction together with its audit line.
class Accounts {
 public:
  virtual ~Accounts() = default;
  /// Writes the record, whose revision is the next one. Fails with version_conflict when the stored
  /// revision is not the one before.
  virtual Outcome<void> put_account(const AccountRecord& record, const AuditLine& audit) = 0;
  virtual Outcome<std::optional<AccountRecord>> account(const AccountId& account) = 0;
  virtual Outcome<std::vector<AccountRecord>> accounts() = 0;
  /// The same of rules.
  virtual Outcome<void> put_rules(const WorkflowRules& rules, const AuditLine& audit) = 0;
  virtual Outcome<std::optional<WorkflowRules>> rules(const AccountId& account,
                                                      const WorkflowId& workflow) = 0;
  virtual Outcome<std::vector<WorkflowRules>> all_rules() = 0;
};

/// Fails with version_conflict unless `written` follows what is stored; for those who store.
Outcome<void> check_revision(uint64_t stored, uint64_t written, const std::string& what);

/// A goal or a trigger as signals are held against it (W-30).
struct GoalRule {
  WorkflowId workflow;
  std::string goal;
  Value criteria;
  std::vector<std::string> needed;  ///< goals of the workflow that end a run together; empty: any
};
struct TriggerRule {
  WorkflowId workflow;
  Value criteria;
  bool single = false;  ///< not while a run of the workflow is about the contact
};

/// What decisions are given of accounts. Immutable: one turn sees one of them.
struct AccountTable {
  std::map<AccountId, std::shared_ptr<const AccountSettings>> settings;
  std::map<std::pair<AccountId, WorkflowId>, WorkflowRules> rules;  ///< those that say something
  std::shared_ptr<const AccountSettings> settings_of(const AccountId& account) const {
    auto found = settings.find(account);
    return found == settings.end() ? nullptr : found->second;
  }
  OnInactive inactive(const AccountId& account, const WorkflowId& workflow) const {
    auto found = rules.find({account, workflow});
    return found == rules.end() ? OnInactive::active : found->second.inactive;
  }
  /// By account and type of the signal, made from `rules` by `index_rules`; workflows by id.
  using RuleKey = std::pair<AccountId, std::string>;
  std::map<RuleKey, std::vector<GoalRule>> goals{};
  std::map<RuleKey, std::vector<TriggerRule>> triggers{};
};
/// Has to be called when the rules have changed.
void index_rules(AccountTable& table);

/// Who has it. Safe from several threads.
class AccountSource {
 public:
  virtual ~AccountSource() = default;
  /// Never null.
  virtual std::shared_ptr<const AccountTable> accounts() = 0;
};

}  // namespace fermata
