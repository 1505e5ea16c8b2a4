#include "adapters/sqlite/bulk_rows.h"

#include <algorithm>

#include "adapters/sqlite/records.h"
#include "base/bytes.h"
#include "ports/cursor.h"

namespace fermata::sqlite {
namespace {

std::string encode_bulk(const BulkRecord& bulk, uint64_t number) {
  ByteWriter out;
  for (const std::string* text : {&bulk.id, &bulk.account.text(), &bulk.kind, &bulk.action,
                                  &bulk.actor, &bulk.reason, &bulk.request_hash})
    out.text(*text);
  out.value(bulk.parameters);
  out.u8(static_cast<uint8_t>(bulk.state));
  out.zigzag(bulk.created_at.ms);
  out.u8(bulk.ended_at.has_value());
  if (bulk.ended_at) out.zigzag(bulk.ended_at->ms);
  for (uint64_t count : {uint64_t{bulk.per_second}, bulk.matched, bulk.position, bulk.done,
                         bulk.refused, bulk.failed, uint64_t{bulk.results.size()}})
    out.varint(count);
  for (const BulkResult& result : bulk.results) {
    out.varint(result.position);
    out.text(result.item);
    out.u8(result.failed);
    out.text(result.code);
    out.text(result.message);
  }
  return seal(out.take(), number);
}

std::optional<BulkRecord> decode_bulk(std::string_view record, uint64_t number) {
  std::optional<std::string_view> body = unseal(record, number);
  if (!body) return std::nullopt;
  ByteReader in(*body);
  BulkRecord bulk;
  bulk.id = in.text();
  bulk.account = AccountId(std::string(in.text()));
  for (std::string* text :
       {&bulk.kind, &bulk.action, &bulk.actor, &bulk.reason, &bulk.request_hash})
    *text = in.text();
  bulk.parameters = in.value();
  uint8_t state = in.u8();
  if (state > static_cast<uint8_t>(BulkState::stopped)) in.fail();
  bulk.state = static_cast<BulkState>(state);
  bulk.created_at = Instant{in.zigzag()};
  if (in.u8() != 0) bulk.ended_at = Instant{in.zigzag()};
  bulk.per_second = static_cast<uint32_t>(in.varint());
  for (uint64_t* count : {&bulk.matched, &bulk.position, &bulk.done, &bulk.refused, &bulk.failed})
    *count = in.varint();
  bulk.results.resize(in.count());
  for (BulkResult& result : bulk.results) {
    result.position = in.varint();
    result.item = in.text();
    result.failed = in.u8() != 0;
    result.code = in.text();
    result.message = in.text();
  }
  if (!in.done()) return std::nullopt;
  return bulk;
}

std::string encode_items(const std::vector<std::string>& items, uint64_t number) {
  ByteWriter out;
  out.varint(items.size());
  for (const std::string& item : items) out.text(item);
  return seal(out.take(), number);
}

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
  std::optional<std::string_view> body = unseal(rows.blob(1), found->number);
  if (!body) return damaged("bulk_selection", found->number, "its checksum does not match");
  ByteReader in(*body);
  std::vector<std::string> out;
  size_t count = in.count();
  for (size_t i = 0; i < count && out.size() < limit; ++i) {
    std::string_view item = in.text();
    if (i >= from) out.emplace_back(item);
  }
  if (!in.ok()) return damaged("bulk_selection", found->number, "it is cut off");
  return out;
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
