#include "adapters/sqlite/delivery_rows.h"

#include "adapters/sqlite/records.h"
#include "ports/cursor.h"
#include "ports/record/fields_record.h"

namespace fermata::sqlite {
namespace {

Failure<Error> damaged_delivery(uint64_t number) {
  return fail(ErrorCode::data_damaged,
              "the row " + std::to_string(number) + " of callback_delivery cannot be read");
}

}  // namespace

Outcome<void> DeliveryWriter::start() {
  FERMATA_TRY(last, database_.number("SELECT max(number) FROM callback_delivery"));
  next_ = static_cast<uint64_t>(last) + 1;
  return {};
}

bool DeliveryWriter::create(const Delivery& delivery) {
  Delivery first = delivery;
  first.version = 1;
  uint64_t number = next_++;
  return insert_.execute(number, first.id, first.account.text(), first.run.text(),
                         static_cast<int64_t>(first.state), Blob{encode_fields(first, number)});
}

std::optional<DeliveryWriter::Row> DeliveryWriter::find(const std::string& id) {
  Rows rows = find_.query(id);
  if (!rows.next()) {
    if (rows.failed()) return std::nullopt;
    return Row{};
  }
  uint64_t number = rows.natural(0);
  return Row{number, decode_fields<Delivery>(rows.blob(1), number)};
}

std::optional<CommitOutcome> DeliveryWriter::test(const DeliveryWrite& write) {
  std::optional<Row> row = find(write.delivery.id);
  if (!row) return std::nullopt;
  if (row->number != 0 && !row->delivery) return CommitOutcome::unavailable;
  bool fits = row->number != 0 && row->delivery->version == write.expected_version;
  return fits ? CommitOutcome::done : CommitOutcome::conflict;
}

std::optional<CommitOutcome> DeliveryWriter::write(const DeliveryWrite& write) {
  std::optional<Row> row = find(write.delivery.id);
  if (!row) return std::nullopt;
  if (row->number == 0) return CommitOutcome::conflict;
  if (!row->delivery) return CommitOutcome::unavailable;
  if (row->delivery->version != write.expected_version) return CommitOutcome::conflict;
  Delivery next = write.delivery;
  next.version = write.expected_version + 1;
  if (!update_.execute(static_cast<int64_t>(next.state), Blob{encode_fields(next, row->number)},
                       row->number))
    return std::nullopt;
  return CommitOutcome::done;
}

Outcome<std::vector<Delivery>> DeliveryQueries::load(std::span<const std::string> ids) {
  Statement find(database_, "SELECT number, record FROM callback_delivery WHERE id = ?");
  std::vector<Delivery> out;
  for (const std::string& id : ids) {
    Rows rows = find.query(id);
    if (!rows.next()) {
      if (rows.failed()) return database_.failure("reading deliveries");
      continue;
    }
    auto delivery = decode_fields<Delivery>(rows.blob(1), rows.natural(0));
    if (!delivery) return damaged_delivery(rows.natural(0));
    out.push_back(*std::move(delivery));
  }
  return out;
}

Outcome<std::optional<Delivery>> DeliveryQueries::find(const std::string& id) {
  FERMATA_TRY(found, load(std::span(&id, 1)));
  return found.empty() ? std::optional<Delivery>{} : std::optional(std::move(found.front()));
}

Outcome<PendingDeliveryPage> DeliveryQueries::pending(uint64_t after, size_t limit) {
  Statement statement(database_,
                      "SELECT number, record FROM callback_delivery WHERE state = 0 "
                      "AND number > ? ORDER BY number LIMIT ?");
  PendingDeliveryPage page;
  page.cursor = after;
  Rows rows = statement.query(after, limit + 1);
  while (rows.next()) {
    if (page.deliveries.size() == limit) {
      page.more = true;
      return page;
    }
    page.cursor = rows.natural(0);
    // What is damaged stays for those who repair it, and holds up nothing.
    auto one = decode_fields<Delivery>(rows.blob(1), page.cursor);
    if (one)
      page.deliveries.push_back(
          {one->id, one->run, one->sequence, one->next_at.value_or(one->created_at)});
  }
  if (rows.failed()) return database_.failure("looking for pending deliveries");
  return page;
}

Outcome<DeliveryPage> DeliveryQueries::list(const DeliveryFilter& filter, size_t limit,
                                            uint64_t before) {
  std::string sql = "SELECT number, record FROM callback_delivery WHERE number < " +
                    std::to_string(std::min<uint64_t>(before, INT64_MAX));
  std::vector<std::string> values;
  auto add = [&](const char* condition, const std::string& value) {
    if (value.empty()) return;
    sql += condition;
    values.push_back(value);
  };
  add(" AND account = ?", filter.account.text());
  add(" AND execution = ?", filter.run.text());
  if (filter.state) sql += " AND state = " + std::to_string(static_cast<int>(*filter.state));
  sql += " ORDER BY number DESC LIMIT " + std::to_string(limit + 1);
  Statement statement(database_, sql.c_str());
  DeliveryPage page;
  uint64_t last = 0;
  Rows rows = statement.query_texts(values);
  while (rows.next()) {
    if (page.items.size() == limit) {
      page.next_cursor = cursor_of(last);
      return page;
    }
    last = rows.natural(0);
    auto one = decode_fields<Delivery>(rows.blob(1), last);
    if (!one) return damaged_delivery(last);
    page.items.push_back(*std::move(one));
  }
  if (rows.failed()) return database_.failure("listing deliveries");
  return page;
}

}  // namespace fermata::sqlite
