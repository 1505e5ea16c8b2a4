#include "adapters/sqlite/approval_rows.h"

#include <algorithm>

#include "adapters/sqlite/records.h"
#include "ports/cursor.h"
#include "ports/record/fields_record.h"

namespace fermata::sqlite {
namespace {

constexpr size_t scan_batch_max = 1'024;

int64_t column_of(ApprovalStatus status) { return static_cast<int64_t>(status); }

}  // namespace

Outcome<std::optional<FoundApproval>> ApprovalQueries::take(Rows rows) {
  if (!rows.next()) {
    if (rows.failed()) return database_.failure("reading an approval");
    return std::optional<FoundApproval>{};
  }
  uint64_t number = rows.natural(0);
  std::optional<ApprovalRecord> record = decode_fields<ApprovalRecord>(rows.blob(5), number);
  if (!record) return damaged("approval", number, "its checksum does not match");
  if (record->approval.id != rows.text(1) || record->account.text() != rows.text(2) ||
      record->run.text() != rows.text(3) || column_of(record->approval.status) != rows.integer(4)) {
    return damaged("approval", number, "its columns do not match its record");
  }
  return std::optional(FoundApproval{number, *std::move(record)});
}

/// By the narrowest index that the filter allows.
Outcome<std::vector<uint64_t>> ApprovalQueries::numbers(const ApprovalFilter& filter,
                                                        uint64_t before, size_t limit) {
  std::vector<uint64_t> out;
  auto collect = [&](Rows rows) {
    while (rows.next()) out.push_back(rows.natural(0));
    return !rows.failed();
  };
  bool one_status = !filter.account.empty() && filter.statuses.size() == 1;
  bool ok = false;
  if (!filter.run.empty()) {
    ok = collect(of_run_.query(filter.run.text(), before, limit));
  } else if (one_status) {
    ok = collect(
        of_status_.query(filter.account.text(), column_of(filter.statuses.front()), before, limit));
  } else {
    ok = collect(newest_.query(before, limit));
  }
  if (!ok) return database_.failure("listing approvals");
  return out;
}

Outcome<ApprovalPage> ApprovalQueries::list(const ApprovalFilter& filter, size_t limit,
                                            uint64_t before) {
  ApprovalPage page;
  uint64_t last = 0;
  before = std::min<uint64_t>(before, INT64_MAX);
  size_t batch = std::clamp<size_t>(limit + 1, 16, scan_batch_max);
  for (;;) {
    FERMATA_TRY(found, numbers(filter, before, batch));
    if (found.empty()) return page;
    for (uint64_t number : found) {
      FERMATA_TRY(one, by_number(number));
      if (!one || !matches(filter, one->record)) continue;
      if (page.items.size() == limit) {
        page.next_cursor = cursor_of(last);
        return page;
      }
      page.items.push_back(std::move(one->record));
      last = number;
    }
    before = found.back();
    batch = std::min(batch * 2, scan_batch_max);
  }
}

bool ApprovalWriter::write(const ApprovalRecord& record) {
  const Approval& approval = record.approval;
  uint64_t number = 0;
  {
    Rows rows = known_.query(approval.id);
    if (rows.next()) number = rows.natural(0);
    if (rows.failed()) return false;
  }
  if (number != 0)
    return update_.execute(column_of(approval.status), Blob{encode_fields(record, number)}, number);
  {
    Rows rows = last_.query();
    if (!rows.next()) return false;
    number = rows.natural(0) + 1;
  }
  return insert_.execute(number, approval.id, record.account.text(), record.run.text(),
                         column_of(approval.status), Blob{encode_fields(record, number)});
}

}  // namespace fermata::sqlite
