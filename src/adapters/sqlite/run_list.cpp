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

std::optional<Tag> RunQueries::tag_for(const RunFilter& filter) {
  if (filter.account.empty()) return std::nullopt;
  if (!filter.contact_id.empty()) return Tag{TagKind::contact, filter.contact_id, {}};
  if (!filter.parent.empty()) return Tag{TagKind::parent, filter.parent.text(), {}};
  if (filter.label_key.empty()) return std::nullopt;
  if (filter.label_value.empty()) return Tag{TagKind::label_key, filter.label_key, {}};
  return Tag{TagKind::label, filter.label_key, filter.label_value};
}

std::vector<const char*> RunQueries::list_statements() const {
  return {by_id_.sql(),     by_number_.sql(), all_.sql(),           by_workflow_.sql(),
          by_status_.sql(), by_tag_.sql(),    next_workflow_.sql(), open_after_.sql(),
          count_one_.sql(), audit_of_.sql(),  after_.sql(),         by_workflow_up_.sql(),
          by_tag_up_.sql()};
}

Outcome<RunQueries::Scan> RunQueries::start_scan(const RunFilter& filter, size_t limit,
                                                 uint64_t place) {
  Scan scan{.place = place, .batch = std::clamp<size_t>(limit + 1, 16, scan_batch_max)};
  scan.tag = tag_for(filter);
  if (scan.tag) {
    scan.way = Way::by_tag;
  } else if (all_unfinished_or_failed(filter.statuses)) {
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
/// each and keeping the first of all.
Outcome<RunQueries::Numbers> RunQueries::next_batch(const RunFilter& filter, Scan& scan) {
  Numbers numbers;
  bool ok = true;
  if (scan.way == Way::all)
    ok = collect((scan.upwards ? after_ : all_).query(scan.place, scan.batch), numbers);
  if (scan.way == Way::by_tag) {
    Statement& by_tag = scan.upwards ? by_tag_up_ : by_tag_;
    ok = collect(by_tag.query(filter.account.text(), static_cast<int64_t>(scan.tag->kind),
                              scan.tag->key, scan.tag->value, scan.place, scan.batch),
                 numbers);
  }
  if (scan.way == Way::by_status) {
    Statement& by_status = scan.upwards ? open_after_ : by_status_;
    for (RunStatus status : filter.statuses) {
      ok = ok &&
           collect(by_status.query(static_cast<int64_t>(status), scan.place, scan.batch), numbers);
    }
  }
  Statement& by_workflow = scan.upwards ? by_workflow_up_ : by_workflow_;
  for (const WorkflowId& workflow : scan.workflows) {
    ok = ok &&
         collect(by_workflow.query(filter.account.text(), workflow.text(), scan.place, scan.batch),
                 numbers);
  }
  if (!ok) return database_.failure("listing runs");
  if (scan.upwards) {
    std::sort(numbers.begin(), numbers.end());
  } else {
    std::sort(numbers.begin(), numbers.end(), std::greater<>());
  }
  // A status that is named twice gives its runs twice.
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  if (numbers.size() > scan.batch) numbers.resize(scan.batch);
  if (!numbers.empty()) scan.place = numbers.back();
  scan.batch = std::min(scan.batch * 2, scan_batch_max);
  return numbers;
}

Outcome<RunPage> RunQueries::list(const RunFilter& filter, size_t limit, uint64_t place,
                                  RunOrder order) {
  FERMATA_TRY(scan, start_scan(filter, limit, std::min<uint64_t>(place, INT64_MAX)));
  scan.upwards = order == RunOrder::oldest_first;
  RunPage page;
  uint64_t last = 0;
  for (;;) {
    FERMATA_TRY(numbers, next_batch(filter, scan));
    if (numbers.empty()) return page;
    for (uint64_t number : numbers) {
      auto found = by_number(number);
      if (!found) {
        // One run that cannot be read must not hide the others, nor be missing without a word.
        if (found.error().code != ErrorCode::data_damaged) return Failure{std::move(found).error()};
        page.damages.push_back(std::move(found).error());
        continue;
      }
      if (!*found || !matches(filter, (*found)->record.summary)) continue;
      if (page.items.size() == limit) {
        page.next_cursor = run_cursor(last, order);
        return page;
      }
      page.items.push_back(std::move((*found)->record.summary));
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
