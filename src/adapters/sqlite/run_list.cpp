#include <algorithm>

#include "adapters/sqlite/run_queries.h"
#include "ports/cursor.h"

namespace fermata::sqlite {
namespace {

constexpr size_t scan_batch_max = 4096;

bool all_unfinished_or_failed(const std::vector<RunStatus>& statuses) {
  return !statuses.empty() &&
         std::find(statuses.begin(), statuses.end(), RunStatus::completed) == statuses.end();
}

}  // namespace

/// The distinct workflows of an account, by a seek for each: the index is never walked through.
Outcome<std::vector<WorkflowId>> RunQueries::workflows_of(const AccountId& account) {
  std::string last;
  std::vector<WorkflowId> out = {WorkflowId(last)};  // runs of no workflow come before all others
  for (;;) {
    Rows rows = next_workflow_.query(account.text(), last);
    if (!rows.next()) {
      if (rows.failed()) return database_.failure("listing the workflows of an account");
      return out;
    }
    last = rows.text(0);
    out.emplace_back(last);
  }
}

Outcome<RunQueries::Scan> RunQueries::start_scan(const RunFilter& filter, size_t limit,
                                                 uint64_t before) {
  Scan scan{.before = before, .batch = std::clamp<size_t>(limit + 1, 16, scan_batch_max)};
  if (all_unfinished_or_failed(filter.statuses)) {
    scan.way = Way::by_status;
  } else if (!filter.account.empty() && !filter.workflow.empty()) {
    scan.way = Way::by_workflow;
    scan.workflows = {filter.workflow};
  } else if (!filter.account.empty()) {
    scan.way = Way::by_account;
    FERMATA_TRY(workflows, workflows_of(filter.account));
    scan.workflows = std::move(workflows);
  }
  return scan;
}

/// The next numbers of a scan. Several ranges of an index are merged by taking a full batch from
/// each and keeping the newest of all.
Outcome<RunQueries::Numbers> RunQueries::next_batch(const RunFilter& filter, Scan& scan) {
  Numbers numbers;
  bool ok = true;
  if (scan.way == Way::all) ok = collect(all_.query(scan.before, scan.batch), numbers);
  if (scan.way == Way::by_status) {
    for (RunStatus status : filter.statuses) {
      ok = ok && collect(by_status_.query(static_cast<int64_t>(status), scan.before, scan.batch),
                         numbers);
    }
  }
  for (const WorkflowId& workflow : scan.workflows) {
    ok = ok && collect(by_workflow_.query(filter.account.text(), workflow.text(), scan.before,
                                          scan.batch),
                       numbers);
  }
  if (!ok) return database_.failure("listing runs");
  std::sort(numbers.begin(), numbers.end(), std::greater<>());
  // A status that is named twice gives its runs twice.
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  if (numbers.size() > scan.batch) numbers.resize(scan.batch);
  if (!numbers.empty()) scan.before = numbers.back();
  scan.batch = std::min(scan.batch * 2, scan_batch_max);
  return numbers;
}

Outcome<RunPage> RunQueries::list(const RunFilter& filter, size_t limit, uint64_t before) {
  FERMATA_TRY(scan, start_scan(filter, limit, std::min<uint64_t>(before, INT64_MAX)));
  RunPage page;
  uint64_t last = 0;
  for (;;) {
    FERMATA_TRY(numbers, next_batch(filter, scan));
    if (numbers.empty()) return page;
    for (uint64_t number : numbers) {
      FERMATA_TRY(found, by_number(number));
      if (!found || !matches(filter, found->record.summary)) continue;
      if (page.items.size() == limit) {
        page.next_cursor = cursor_of(last);
        return page;
      }
      page.items.push_back(std::move(found->record.summary));
      last = number;
    }
  }
}

Outcome<AuditPage> RunQueries::audit(const AuditFilter& filter, size_t limit, uint64_t before) {
  before = std::min<uint64_t>(before, INT64_MAX);
  Rows rows = filter.account.empty() ? audit_all_.query(before)
                                     : audit_of_.query(filter.account.text(), before);
  AuditPage page;
  uint64_t last = 0;
  while (rows.next()) {
    uint64_t number = rows.natural(0);
    std::optional<AuditEntry> entry = decode_audit(rows.blob(1), number);
    if (!entry) return damaged("audit", number, "its checksum does not match");
    if (!matches(filter, entry->line)) continue;
    if (page.items.size() == limit) {
      page.next_cursor = cursor_of(last);
      return page;
    }
    page.items.push_back(*std::move(entry));
    last = number;
  }
  if (rows.failed()) return database_.failure("reading the audit");
  return page;
}

}  // namespace fermata::sqlite
