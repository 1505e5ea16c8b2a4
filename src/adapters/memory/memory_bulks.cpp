#include <algorithm>

#include "adapters/memory/memory_store.h"
#include "ports/cursor.h"

namespace fermata {

MemoryStore::Bulk* MemoryStore::bulk_at(const std::string& id) {
  auto found = std::find_if(bulks_.begin(), bulks_.end(),
                            [&](const auto& bulk) { return bulk.second.record.id == id; });
  return found == bulks_.end() ? nullptr : &found->second;
}

Outcome<bool> MemoryStore::put_bulk(const BulkRecord& record, const std::vector<std::string>& items,
                                    const AuditLine& line) {
  std::lock_guard lock(mutex_);
  if (bulk_at(record.id)) return false;
  bulks_.emplace(++bulks_created_, Bulk{record, items});
  append(line);
  return true;
}

Outcome<void> MemoryStore::set_bulk(const BulkRecord& record, const AuditLine* line) {
  std::lock_guard lock(mutex_);
  Bulk* known = bulk_at(record.id);
  if (!known) return fail(ErrorCode::bulk_not_found, "no bulk operation `" + record.id + "`");
  known->record = record;
  if (line) append(*line);
  return {};
}

Outcome<std::optional<BulkRecord>> MemoryStore::bulk(const std::string& id) {
  std::lock_guard lock(mutex_);
  const Bulk* known = bulk_at(id);
  return known ? std::optional(known->record) : std::nullopt;
}

Outcome<std::vector<std::string>> MemoryStore::bulk_items(const std::string& id, uint64_t from,
                                                          size_t limit) {
  std::lock_guard lock(mutex_);
  const Bulk* known = bulk_at(id);
  if (!known) return fail(ErrorCode::bulk_not_found, "no bulk operation `" + id + "`");
  size_t begin = std::min<uint64_t>(from, known->items.size());
  size_t end = begin + std::min(limit, known->items.size() - begin);
  return std::vector<std::string>(known->items.begin() + static_cast<ptrdiff_t>(begin),
                                  known->items.begin() + static_cast<ptrdiff_t>(end));
}

Outcome<BulkPage> MemoryStore::bulks(const AccountId& account, size_t limit,
                                     const std::string& cursor) {
  FERMATA_TRY(before, cursor_number(cursor, UINT64_MAX));
  std::lock_guard lock(mutex_);
  BulkPage page;
  uint64_t last = 0;
  for (auto at = std::make_reverse_iterator(bulks_.lower_bound(before)); at != bulks_.rend();
       ++at) {
    const auto& [number, bulk] = *at;
    const BulkRecord& record = bulk.record;
    if (record.account != account) continue;
    if (page.items.size() == limit) {
      page.next_cursor = cursor_of(last);
      break;
    }
    page.items.push_back(record);
    page.items.back().results.clear();
    last = number;
  }
  return page;
}

Outcome<std::vector<BulkRecord>> MemoryStore::running_bulks() {
  std::lock_guard lock(mutex_);
  std::vector<BulkRecord> out;
  for (const auto& [number, bulk] : bulks_)
    if (bulk.record.state == BulkState::running) out.push_back(bulk.record);
  return out;
}

}  // namespace fermata
