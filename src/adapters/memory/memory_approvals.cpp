#include "adapters/memory/memory_store.h"
#include "ports/cursor.h"

namespace fermata {

/// Under the lock, as part of the commit of its run.
void MemoryStore::keep_approval(const ApprovalRecord& record) {
  auto [number, fresh] = approval_numbers_.try_emplace(record.approval.id, next_approval_);
  if (fresh) ++next_approval_;
  approvals_[number->second] = record;
}

void MemoryStore::forget_approvals(const RunId& run) {
  std::erase_if(approvals_, [&](const auto& entry) {
    if (entry.second.run != run) return false;
    approval_numbers_.erase(entry.second.approval.id);
    return true;
  });
}

Outcome<std::optional<ApprovalRecord>> MemoryStore::find_approval(const std::string& id) {
  std::lock_guard lock(mutex_);
  auto found = approval_numbers_.find(id);
  if (found == approval_numbers_.end()) return std::optional<ApprovalRecord>{};
  return std::optional(approvals_.at(found->second));
}

Outcome<ApprovalPage> MemoryStore::list_approvals(const ApprovalFilter& filter, size_t limit,
                                                  const std::string& cursor) {
  FERMATA_TRY(before, cursor_number(cursor, UINT64_MAX));
  std::lock_guard lock(mutex_);
  ApprovalPage page;
  uint64_t last = 0;
  for (auto at = approvals_.rbegin(); at != approvals_.rend(); ++at) {
    if (at->first >= before || !matches(filter, at->second)) continue;
    if (page.items.size() == limit) {
      page.next_cursor = cursor_of(last);
      break;
    }
    page.items.push_back(at->second);
    last = at->first;
  }
  return page;
}

}  // namespace fermata
