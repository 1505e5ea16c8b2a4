#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "core/model/summary.h"

namespace fermata {

/// What somebody wants to see again in a list (U-13): a name for filters, sort and columns.
struct SavedView {
  static constexpr bool extensible = true;
  AccountId account{};
  std::string id{};
  std::string page{};  ///< which list: runs, waits, jobs …
  std::string name{};
  Value query{};        ///< object of texts, as they stand in the address of the page
  std::string owner{};  ///< actor who made it
  bool shared = false;  ///< everybody of the account sees it
  Instant created_at{};
  Instant updated_at{};
  uint64_t revision = 0;  ///< grows with every change; the ETag
  bool operator==(const SavedView&) const = default;
  template <class V> void each(V&& v) {
    v("account_id", account);
    v("id", id);
    v("page", page);
    v("name", name);
    v("query", query);
    v("owner", owner);
    v("shared", shared);
    v("created_at", created_at);
    v("updated_at", updated_at);
    v("revision", revision);
  }
};

/// The views that people of an account have saved. Safe from several threads; each write is one
/// durable transaction together with its audit line.
class Views {
 public:
  virtual ~Views() = default;
  /// Writes the view, whose revision is the next one. Fails with version_conflict when the stored
  /// revision is not the one before.
  virtual Outcome<void> put_view(const SavedView& view, const AuditLine& audit) = 0;
  virtual Outcome<std::optional<SavedView>> view(const AccountId& account,
                                                 const std::string& id) = 0;
  /// In the order they were made.
  virtual Outcome<std::vector<SavedView>> views(const AccountId& account) = 0;
  /// Fails with value_not_found.
  virtual Outcome<void> remove_view(const AccountId& account, const std::string& id,
                                    const AuditLine& audit) = 0;
};

}  // namespace fermata
