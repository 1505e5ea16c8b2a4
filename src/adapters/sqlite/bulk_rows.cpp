#include "adapters/sqlite/bulk_rows.h"

#include <algorithm>

#include "adapters/sqlite/records.h"
#include "ports/cursor.h"
#include "ports/record/bulk_record.h"

namespace fermata::sqlite {
namespace {

/// The records of rows `number, record`.
template <class Take>
Outcome<void> each_bulk(Database& database, Rows rows, Take take) {
  while (rows.next()) {
    uint64_t number = rows.natural(0);
    std::optional<BulkRecord> record = decode_bulk(rows.blob(1), number);
    if (!record) return damaged("bulk", number, "its checksum does not match");
    take(number, *std::move(record));
  }
  if (rows.failed()) return database.failure("reading bulk operations");
  return {};
}

}  // namespace

Outcome<std::optional<Numbered<BulkRecord>>> BulkQueries::find(const std::string& id) {
  std::optional<Numbered<BulkRecord>> found;
  FERMATA_TRY_VOID(each_bulk(database_, find_.query(id), [&](uint64_t number, BulkRecord record) {
    found = {number, std::move(record)};
  }));
  return found;
}

Outcome<std::vector<std::string>> BulkQueries::items(const std::string& id, uint64_t from,
                                                     size_t limit) {
  FERMATA_TRY(found, find(id));
  if (!found) return fail(ErrorCode::bulk_not_found, "no bulk operation `" + id + "`");
  Rows rows = items_.query(found->number);
  if (!rows.next()) {
    if (rows.failed()) return database_.failure("reading a selection");
    return damaged("bulk_selection", found->number, "it is missing");
  }
  auto items = decode_items(rows.blob(1), found->number, from, limit);
  if (!items) return damaged("bulk_selection", found->number, "its checksum does not match");
  return *std::move(items);
}

Outcome<BulkPage> BulkQueries::list(const AccountId& account, size_t limit, uint64_t before) {
  BulkPage page;
  uint64_t last = 0;
  before = std::min<uint64_t>(before, INT64_MAX);
  auto take = [&](uint64_t number, BulkRecord record) {
    if (page.items.size() == limit) {
      page.next_cursor = cursor_of(last);
      return;
    }
    record.results.clear();
    page.items.push_back(std::move(record));
    last = number;
  };
  FERMATA_TRY_VOID(
      each_bulk(database_, list_.query(account.text(), before, uint64_t{limit + 1}), take));
  return page;
}

Outcome<std::vector<BulkRecord>> BulkQueries::running() {
  std::vector<BulkRecord> out;
  FERMATA_TRY_VOID(each_bulk(database_, running_.query(), [&](uint64_t, BulkRecord record) {
    out.push_back(std::move(record));
  }));
  return out;
}

Outcome<std::vector<Numbered<BulkRecord>>> BulkQueries::ended(size_t limit) {
  std::vector<Numbered<BulkRecord>> out;
  auto take = [&](uint64_t number, BulkRecord record) {
    out.push_back({number, std::move(record)});
  };
  FERMATA_TRY_VOID(each_bulk(database_, ended_.query(uint64_t{limit}), take));
  return out;
}

Outcome<void> BulkWriter::insert(const BulkRecord& record, const std::vector<std::string>& items) {
  FERMATA_TRY(last, database_.number("SELECT max(number) FROM bulk"));
  uint64_t number = static_cast<uint64_t>(last) + 1;
  std::string bytes = encode_bulk(record, number);
  std::string selection = encode_items(items, number);
  bool running = record.state == BulkState::running;
  if (!insert_.execute(number, record.id, record.account.text(), int64_t{running}, Blob{bytes}) ||
      !insert_items_.execute(number, Blob{selection}))
    return database_.failure("writing a bulk operation");
  return {};
}

Outcome<bool> BulkWriter::put(const BulkRecord& record, const std::vector<std::string>& items,
                              const AuditLine& audit) {
  bool taken = false;
  auto written = writer_.transact(&audit, [&]() -> Outcome<void> {
    FERMATA_TRY(known, queries_.find(record.id));
    taken = known.has_value();
    // Ends the transaction with nothing in it, the audit line included.
    if (taken) return fail(ErrorCode::idempotency_key_reused, "the id is taken");
    return insert(record, items);
  });
  if (taken) return false;
  if (!written) return Failure{std::move(written).error()};
  return true;
}

Outcome<void> BulkWriter::set(const BulkRecord& record, const AuditLine* audit) {
  return writer_.transact(audit, [&]() -> Outcome<void> {
    FERMATA_TRY(known, queries_.find(record.id));
    if (!known) return fail(ErrorCode::bulk_not_found, "no bulk operation `" + record.id + "`");
    std::string bytes = encode_bulk(record, known->number);
    bool running = record.state == BulkState::running;
    if (!update_.execute(int64_t{running}, Blob{bytes}, known->number))
      return database_.failure("writing a bulk operation");
    return {};
  });
}

Outcome<Retention::Sweep> BulkWriter::remove_ended(Instant before, size_t limit) {
  Retention::Sweep sweep;
  FERMATA_TRY_VOID(writer_.transact(nullptr, [&]() -> Outcome<void> {
    FERMATA_TRY(ended, queries_.ended(limit));
    for (const auto& [number, record] : ended) {
      if (record.ended_at.value_or(record.created_at) >= before) return {};
      if (!drop_.execute(number) || !drop_items_.execute(number))
        return database_.failure("removing a bulk operation");
      ++sweep.removed;
    }
    sweep.more = ended.size() == limit;
    return {};
  }));
  return sweep;
}

}  // namespace fermata::sqlite
