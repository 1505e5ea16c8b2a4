#include <algorithm>

#include "adapters/postgres/asking.h"
#include "adapters/postgres/store_parts.h"
#include "ports/cursor.h"
#include "ports/record/bulk_record.h"

/// Bulk operations and how far they have come.
namespace fermata {

using namespace postgres;

namespace {

Outcome<std::optional<BulkRecord>> find_bulk(Connection& c, const std::string& id) {
  Arguments asked;
  asked.text(id);
  FERMATA_TRY(
      rows, c.ask("reading a bulk operation", "select id, record from bulks where id = $1", asked));
  FERMATA_TRY(found, decode_all(std::move(rows), "bulks", record::decode_bulk));
  return first_of(std::move(found));
}

Failure<Error> no_bulk(const std::string& id) {
  return fail(ErrorCode::bulk_not_found, "no bulk operation `" + id + "`");
}

Outcome<void> insert_bulk(Connection& c, const BulkRecord& record,
                          const std::vector<std::string>& items) {
  Arguments put;
  put.text(record.id).text(record.account.text()).flag(record.state == BulkState::running);
  put.bytes(record::encode_bulk(record, salt_of("bulks", record.id)));
  FERMATA_TRY_VOID(order(c, "writing a bulk operation",
                         "insert into bulks (id, account, running, record) values "
                         "($1, $2, $3, $4)",
                         put));
  Arguments selection;
  selection.text(record.id);
  selection.bytes(record::encode_items(items, salt_of("bulk_selections", record.id)));
  return order(c, "writing a selection",
               "insert into bulk_selections (bulk, items) values ($1, $2)", selection);
}

}  // namespace

Outcome<bool> PostgresStore::put_bulk(const BulkRecord& record,
                                      const std::vector<std::string>& items,
                                      const AuditLine& audit) {
  return transacted<bool>(parts_->writer, nullptr, [&](Connection& c) -> Outcome<bool> {
    FERMATA_TRY(known, find_bulk(c, record.id));
    if (known) return false;
    FERMATA_TRY_VOID(insert_bulk(c, record, items));
    FERMATA_TRY_VOID(append_line(c, audit));
    return true;
  });
}

Outcome<void> PostgresStore::set_bulk(const BulkRecord& record, const AuditLine* audit) {
  return parts_->writer.transact(audit, [&](Connection& c) -> Outcome<void> {
    Arguments put;
    put.text(record.id).flag(record.state == BulkState::running);
    put.bytes(record::encode_bulk(record, salt_of("bulks", record.id)));
    FERMATA_TRY(set,
                c.ask("writing a bulk operation",
                      "update bulks set running = $2, record = $3 where id = $1 returning 1", put));
    if (set.count() == 0) return no_bulk(record.id);
    return {};
  });
}

Outcome<std::optional<BulkRecord>> PostgresStore::bulk(const std::string& id) {
  return parts_->readers.read([&](Connection& c) { return find_bulk(c, id); });
}

Outcome<std::vector<std::string>> PostgresStore::bulk_items(const std::string& id, uint64_t from,
                                                            size_t limit) {
  return parts_->readers.read([&](Connection& c) -> Outcome<std::vector<std::string>> {
    FERMATA_TRY(known, find_bulk(c, id));
    if (!known) return no_bulk(id);
    Arguments asked;
    asked.text(id);
    FERMATA_TRY(rows, c.ask("reading a selection",
                            "select items from bulk_selections where bulk = $1", asked));
    if (!rows.next()) return damaged_row("bulk_selections", id, "it is missing");
    auto items = record::decode_items(rows.blob(0), salt_of("bulk_selections", id), from, limit);
    if (!items) return damaged_row("bulk_selections", id, "its checksum does not match");
    return *std::move(items);
  });
}

Outcome<BulkPage> PostgresStore::bulks(const AccountId& account, size_t limit,
                                       const std::string& cursor) {
  FERMATA_TRY(before, cursor_number(cursor, INT64_MAX));
  return parts_->readers.read([&](Connection& c) -> Outcome<BulkPage> {
    Arguments asked;
    asked.text(account.text()).number(std::min<uint64_t>(before, INT64_MAX));
    asked.number(uint64_t{limit + 1});
    FERMATA_TRY(rows, c.ask("listing bulk operations",
                            "select id, record, number from bulks where account = $1 and "
                            "number < $2 order by number desc limit $3",
                            asked));
    Rows numbers = rows;
    FERMATA_TRY(items, decode_all(std::move(rows), "bulks", record::decode_bulk));
    BulkPage page{std::move(items), ""};
    for (BulkRecord& one : page.items) one.results.clear();
    if (page.items.size() <= limit) return page;
    page.items.resize(limit);
    for (size_t i = 0; i < limit; ++i) numbers.next();
    if (limit > 0) page.next_cursor = cursor_of(numbers.natural(2));
    return page;
  });
}

Outcome<std::vector<BulkRecord>> PostgresStore::running_bulks() {
  return parts_->readers.read([](Connection& c) -> Outcome<std::vector<BulkRecord>> {
    FERMATA_TRY(rows, c.ask("reading bulk operations",
                            "select id, record from bulks where running order by number"));
    return decode_all(std::move(rows), "bulks", record::decode_bulk);
  });
}

Outcome<Retention::Sweep> PostgresStore::remove_bulks(Instant before, size_t limit) {
  return transacted<Sweep>(parts_->writer, nullptr, [&](Connection& c) -> Outcome<Sweep> {
    Arguments asked;
    asked.number(uint64_t{limit});
    FERMATA_TRY(rows, c.ask("looking for old bulk operations",
                            "select id, record from bulks where not running order by number "
                            "limit $1",
                            asked));
    FERMATA_TRY(ended, decode_all(std::move(rows), "bulks", record::decode_bulk));
    Column gone(Type::text);
    for (const BulkRecord& one : ended) {
      if (one.ended_at.value_or(one.created_at) >= before) break;
      gone.add(one.id);
    }
    Sweep sweep{gone.size(), gone.size() == limit};
    if (gone.empty()) return sweep;
    Arguments ids;
    ids.array(gone);
    FERMATA_TRY_VOID(order(c, "removing bulk operations",
                           "with gone as (delete from bulks where id = any($1) returning id) "
                           "delete from bulk_selections s using gone where s.bulk = gone.id",
                           ids));
    return sweep;
  });
}

}  // namespace fermata
