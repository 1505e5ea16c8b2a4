#pragma once
#include <functional>
#include <memory>
#include <mutex>

#include "ports/accounts.h"

namespace fermata::front {

/// Settings of accounts and rules of workflows as the engine sees them: read once at start, and
/// again whenever one was written. Safe from several threads.
class AccountBook final : public AccountSource {
 public:
  explicit AccountBook(Accounts& store) : store_(store) {}

  /// Reads everything; before the first turn of the engine.
  Outcome<void> load();
  std::shared_ptr<const AccountTable> accounts() override;

  /// Writes and puts in force. When this returns, every turn that begins sees it.
  Outcome<void> put(const AccountRecord& record, const AuditLine& audit);
  Outcome<void> put(const WorkflowRules& rules, const AuditLine& audit);
  Accounts& store() { return store_; }

 private:
  template <class Write, class Change>
  Outcome<void> write(Write write, Change change);

  Accounts& store_;
  std::mutex writing_;  ///< one at a time, so that what is stored last is in force last
  std::mutex mutex_;
  std::shared_ptr<const AccountTable> table_ = std::make_shared<AccountTable>();
};

}  // namespace fermata::front
