#include "adapters/sqlite/outbox_rows.h"

#include "adapters/sqlite/record.h"
#include "base/fields.h"

namespace fermata::sqlite {
namespace {

std::string encode_row(const OutboxRow& row, uint64_t number) {
  ByteWriter out;
  FieldWriter(out).put(row);
  return seal(std::string(out.bytes()), number);
}

std::optional<OutboxRow> decode_row(std::string_view record, uint64_t number) {
  std::optional<std::string_view> body = unseal(record, number);
  if (!body) return std::nullopt;
  ByteReader in(*body);
  OutboxRow out;
  FieldReader(in).take(out);
  if (!in.done()) return std::nullopt;
  return out;
}

}  // namespace

Outcome<void> OutboxRows::start() {
  FERMATA_TRY(last, database_.number("SELECT max(number) FROM outbox"));
  next_ = static_cast<uint64_t>(last) + 1;
  return {};
}

bool OutboxRows::write(const RunWrite& run) {
  for (const OutboxRow& row : run.outbox) {
    uint64_t number = next_++;
    if (!insert_.execute(number, row.lane, Blob{encode_row(row, number)})) return false;
  }
  for (const MessageMark& mark : run.marks)
    if (!mark_.execute(run.summary.id.text(), mark.id, mark.at.ms)) return false;
  return true;
}

bool OutboxRows::remove(std::span<const uint64_t> numbers) {
  for (uint64_t number : numbers)
    if (!remove_.execute(number)) return false;
  return true;
}

Outcome<std::vector<Outbox::Entry>> OutboxQueries::list(const std::string& lane, uint64_t after,
                                                        size_t limit) {
  std::vector<Outbox::Entry> out;
  Rows rows = list_.query(after, lane, limit);
  while (rows.next()) {
    uint64_t number = rows.natural(0);
    // What is damaged stays for those who repair it, and holds up nothing.
    if (auto row = decode_row(rows.blob(1), number)) out.push_back({number, *std::move(row)});
  }
  if (rows.failed()) return database_.failure("reading the outbox");
  return out;
}

Outcome<uint64_t> OutboxQueries::count(const std::string& lane) {
  Rows rows = count_.query(lane);
  uint64_t found = rows.next() ? rows.natural(0) : 0;
  if (rows.failed()) return database_.failure("counting the outbox");
  return found;
}

Outcome<bool> OutboxQueries::is_marked(const RunId& run, const std::string& mark) {
  Rows rows = marked_.query(run.text(), mark);
  bool found = rows.next();
  if (rows.failed()) return database_.failure("looking for a message's mark");
  return found;
}

}  // namespace fermata::sqlite
