#include "adapters/sqlite/outbox_rows.h"

#include "adapters/sqlite/records.h"
#include "ports/record/fields_record.h"

namespace fermata::sqlite {

Outcome<void> OutboxRows::start() {
  FERMATA_TRY(last, database_.number("SELECT max(number) FROM outbox"));
  next_ = static_cast<uint64_t>(last) + 1;
  return {};
}

bool OutboxRows::write(const RunWrite& run) {
  for (const OutboxRow& row : run.outbox) {
    uint64_t number = next_++;
    if (!insert_.execute(number, row.lane, Blob{encode_fields(row, number)})) return false;
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
    if (auto row = decode_fields<OutboxRow>(rows.blob(1), number))
      out.push_back({number, *std::move(row)});
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
