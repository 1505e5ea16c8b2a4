#include <map>

#include "adapters/postgres/root_queries.h"
#include "adapters/postgres/rows.h"
#include "ports/cursor.h"
#include "ports/record/job_record.h"

namespace fermata::postgres {
namespace {

Outcome<record::JobRecord> job_record_of(const FoundRoot& root) {
  auto decoded = record::decode_job(root.record, root_salt(RootKind::job, root.id));
  if (!decoded) return damaged_row("roots", root.id, "its checksum does not match");
  if (decoded->summary.id.text() != root.id)
    return damaged_row("roots", root.id, "its columns do not match its record");
  return *std::move(decoded);
}

RootScan scan_of(const JobFilter& filter) {
  RootScan scan;
  scan.kind = RootKind::job;
  int next = 3;
  auto condition = [&](const char* lead) {
    scan.conditions += std::string(" and ") + lead + "$" + std::to_string(next++);
  };
  if (!filter.account.empty()) condition("r.account = ");
  if (!filter.workflow.empty()) condition("r.workflow = ");
  if (!filter.run.empty()) condition("r.parent <> '' and r.parent = ");
  if (filter.from) condition("r.started_at >= ");
  if (filter.to) condition("r.started_at < ");
  if (!filter.states.empty())
    scan.conditions += " and r.status = any($" + std::to_string(next++) + ")";
  scan.arguments = [&filter](Arguments& arguments) {
    if (!filter.account.empty()) arguments.text(filter.account.text());
    if (!filter.workflow.empty()) arguments.text(filter.workflow.text());
    if (!filter.run.empty()) arguments.text(filter.run.text());
    if (filter.from) arguments.number(filter.from->ms);
    if (filter.to) arguments.number(filter.to->ms);
    if (filter.states.empty()) return;
    Column states(Type::integer);
    for (job::State state : filter.states) states.add(static_cast<int>(state));
    arguments.array(states);
  };
  return scan;
}

}  // namespace

Outcome<std::vector<StoredJob>> load_jobs(Connection& connection, std::span<const JobId> ids) {
  std::vector<StoredJob> out(ids.size());
  Column wanted_ids(Type::text);
  std::map<std::string_view, size_t> places;
  for (size_t i = 0; i < ids.size(); ++i)
    if (places.emplace(ids[i].text(), i).second) wanted_ids.add(ids[i].text());
  FERMATA_TRY(roots, find_roots(connection, RootKind::job, wanted_ids));
  std::vector<WantedHistory> wanted;
  for (const FoundRoot& root : roots) {
    StoredJob& job = out[places.at(root.id)];
    FERMATA_TRY(record, job_record_of(root));
    job.version = record.version;
    job.summary = std::move(record.summary);
    wanted.push_back({&root, 1, job.summary.last_sequence, true, &job.history});
  }
  FERMATA_TRY_VOID(read_histories(connection, RootKind::job, wanted));
  for (size_t i = 0; i < ids.size(); ++i)
    if (size_t first = places.at(ids[i].text()); first != i) out[i] = out[first];
  return out;
}

Outcome<JobPage> list_jobs(Connection& connection, const JobFilter& filter, size_t limit,
                           uint64_t before) {
  JobPage page;
  uint64_t last = 0;
  auto visit = [&](const FoundRoot& root) -> Outcome<bool> {
    FERMATA_TRY(record, job_record_of(root));
    if (!matches(filter, record.summary)) return true;
    if (page.items.size() == limit) {
      page.next_cursor = cursor_of(last);
      return false;
    }
    page.items.push_back(std::move(record.summary));
    last = root.number;
    return true;
  };
  FERMATA_TRY_VOID(scan_roots(connection, scan_of(filter), limit, before, visit));
  return page;
}

Outcome<Store::OpenJobsPage> open_jobs(Connection& connection, uint64_t after, size_t limit) {
  FERMATA_TRY(roots, open_roots(connection, RootKind::job, after, limit));
  Store::OpenJobsPage page;
  page.cursor = roots.empty() ? after : roots.back().number;
  page.more = roots.size() >= limit;
  for (const FoundRoot& root : roots) {
    FERMATA_TRY(record, job_record_of(root));
    page.jobs.push_back(std::move(record.summary));
  }
  return page;
}

}  // namespace fermata::postgres
