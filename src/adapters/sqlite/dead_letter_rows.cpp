#include "adapters/sqlite/dead_letter_rows.h"

#include <algorithm>
#include <map>

#include "adapters/sqlite/records.h"
#include "ports/cursor.h"
#include "ports/record/fields_record.h"

namespace fermata::sqlite {
namespace {

constexpr size_t letter_scan_batch_max = 1'024;

bool collect_letters(Rows rows, std::vector<uint64_t>& out) {
  while (rows.next()) out.push_back(rows.natural(0));
  return !rows.failed();
}

}  // namespace

Outcome<std::optional<FoundDeadLetter>> DeadLetterQueries::find(const std::string& id) {
  return take(find_.query(id));
}

Outcome<std::optional<FoundDeadLetter>> DeadLetterQueries::by_number(uint64_t number) {
  return take(by_number_.query(number));
}

Outcome<std::optional<FoundDeadLetter>> DeadLetterQueries::take(Rows rows) {
  if (!rows.next()) {
    if (rows.failed()) return database_.failure("reading a dead letter");
    return std::optional<FoundDeadLetter>{};
  }
  uint64_t number = rows.natural(0);
  std::optional<DeadLetterEntry> entry = decode_fields<DeadLetterEntry>(rows.blob(5), number);
  if (!entry) return damaged("dead_letter", number, "its checksum does not match");
  const job::DeadLetter& letter = entry->letter;
  if (letter.id != rows.text(1) || letter.account.text() != rows.text(2) ||
      letter.job.text() != rows.text(3) || entry->open() != (rows.integer(4) != 0)) {
    return damaged("dead_letter", number, "its columns do not match its record");
  }
  return std::optional(FoundDeadLetter{number, *std::move(entry)});
}

Outcome<std::optional<FoundDeadLetter>> DeadLetterQueries::open_of_job(const JobId& job) {
  return take(of_job_.query(job.text()));
}

Outcome<DeadLetterPage> DeadLetterQueries::list(const DeadLetterFilter& filter, size_t limit,
                                                uint64_t before) {
  DeadLetterPage page;
  uint64_t last = 0;
  before = std::min<uint64_t>(before, INT64_MAX);
  bool by_account = !filter.account.empty() && filter.open;
  size_t batch = std::clamp<size_t>(limit + 1, 16, letter_scan_batch_max);
  for (;;) {
    std::vector<uint64_t> numbers;
    bool ok = by_account ? collect_letters(
                               of_account_.query(filter.account.text(),
                                                 static_cast<int64_t>(*filter.open), before, batch),
                               numbers)
                         : collect_letters(newest_.query(before, batch), numbers);
    if (!ok) return database_.failure("listing dead letters");
    if (numbers.empty()) return page;
    for (uint64_t number : numbers) {
      FERMATA_TRY(found, by_number(number));
      if (!found || !matches(filter, found->entry)) continue;
      if (page.items.size() == limit) {
        page.next_cursor = cursor_of(last);
        return page;
      }
      page.items.push_back(std::move(found->entry));
      last = number;
    }
    before = numbers.back();
    batch = std::min(batch * 2, letter_scan_batch_max);
  }
}

Outcome<std::vector<std::pair<std::string, uint64_t>>> DeadLetterQueries::counts(
    const AccountId& account) {
  std::vector<uint64_t> numbers;
  bool ok = account.empty() ? collect_letters(open_.query(), numbers)
                            : collect_letters(open_of_.query(account.text()), numbers);
  if (!ok) return database_.failure("counting dead letters");
  std::map<std::string, uint64_t> counted;
  for (uint64_t number : numbers) {
    FERMATA_TRY(found, by_number(number));
    if (found) ++counted[found->entry.letter.reason_code];
  }
  return std::vector<std::pair<std::string, uint64_t>>(counted.begin(), counted.end());
}

Outcome<void> DeadLetterRows::start() {
  FERMATA_TRY(last, database_.number("SELECT max(number) FROM dead_letter"));
  next_ = static_cast<uint64_t>(last) + 1;
  return {};
}

bool DeadLetterRows::open(const DeadLetterEntry& entry) {
  uint64_t number = next_;
  {
    // Not only this connection's commits open entries: messages that cannot be used do too.
    Rows last = last_.query();
    if (!last.next()) return false;
    number = std::max(number, last.natural(0) + 1);
  }
  next_ = number + 1;
  std::string record = encode_fields(entry, number);
  const job::DeadLetter& letter = entry.letter;
  return insert_.execute(number, letter.id, letter.account.text(), letter.job.text(),
                         static_cast<int64_t>(entry.open()), Blob{record});
}

bool DeadLetterRows::change(uint64_t number, const DeadLetterEntry& entry) {
  std::string record = encode_fields(entry, number);
  return update_.execute(static_cast<int64_t>(entry.open()), Blob{record}, number);
}

}  // namespace fermata::sqlite
