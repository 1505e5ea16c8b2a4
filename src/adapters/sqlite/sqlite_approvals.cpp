#include "adapters/sqlite/sqlite_store.h"
#include "adapters/sqlite/store_parts.h"
#include "ports/cursor.h"

namespace fermata {

using sqlite::ReadConnection;

Outcome<std::optional<ApprovalRecord>> SqliteStore::find_approval(const std::string& id) {
  FERMATA_TRY(found, parts_->readers.read([&](ReadConnection& c) { return c.approvals.find(id); }));
  if (!found) return std::optional<ApprovalRecord>{};
  return std::optional(std::move(found->record));
}

Outcome<ApprovalPage> SqliteStore::list_approvals(const ApprovalFilter& filter, size_t limit,
                                                  const std::string& cursor) {
  FERMATA_TRY(before, cursor_number(cursor, UINT64_MAX));
  return parts_->readers.read(
      [&](ReadConnection& c) { return c.approvals.list(filter, limit, before); });
}

}  // namespace fermata
