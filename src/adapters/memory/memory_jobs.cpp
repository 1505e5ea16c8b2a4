#include <algorithm>

#include "adapters/memory/memory_store.h"
#include "base/check.h"
#include "ports/cursor.h"

namespace fermata {

Outcome<std::vector<StoredJob>> MemoryStore::load_jobs(std::span<const JobId> ids) {
  std::lock_guard lock(mutex_);
  std::vector<StoredJob> out;
  out.reserve(ids.size());
  for (const JobId& id : ids) {
    auto found = job_at_.find(id);
    out.push_back(found == job_at_.end() ? StoredJob{} : jobs_[found->second]);
  }
  return out;
}

bool MemoryStore::fits(const JobWrite& write) const {
  auto found = job_at_.find(write.summary.id);
  return write.expected_version == (found == job_at_.end() ? 0 : jobs_[found->second].version);
}

CommitOutcome MemoryStore::write(const JobWrite& write) {
  if (!fits(write)) return CommitOutcome::conflict;
  auto [found, fresh] = job_at_.try_emplace(write.summary.id, jobs_.size());
  if (fresh) jobs_.emplace_back();
  StoredJob& job = jobs_[found->second];
  if (write.events.count > 0) {
    check(write.events.first_sequence == job.summary.last_sequence + 1);
    job.history.push_back(write.events);
  }
  check(write.summary.last_sequence == job.summary.last_sequence + write.events.count);
  job.summary = write.summary;
  ++job.version;
  return CommitOutcome::done;
}

Outcome<Store::OpenJobsPage> MemoryStore::open_jobs(uint64_t after, size_t limit) {
  std::lock_guard lock(mutex_);
  OpenJobsPage page;
  page.cursor = after;
  for (size_t i = after; i < jobs_.size(); ++i) {
    const job::Summary& job = jobs_[i].summary;
    if (is_terminal(job.state)) continue;
    if (page.jobs.size() == limit) {
      page.more = true;
      break;
    }
    page.jobs.push_back(job);
    page.cursor = i + 1;
  }
  return page;
}

Outcome<StoredJob> MemoryStore::find_job(const JobId& id) {
  std::lock_guard lock(mutex_);
  auto found = job_at_.find(id);
  return found == job_at_.end() ? StoredJob{} : jobs_[found->second];
}

Outcome<JobPage> MemoryStore::list_jobs(const JobFilter& filter, size_t limit,
                                        const std::string& cursor) {
  FERMATA_TRY(before, cursor_number(cursor, UINT64_MAX));
  std::lock_guard lock(mutex_);
  JobPage page;
  uint64_t last = 0;
  uint64_t newest = before == 0 ? 0 : std::min<uint64_t>(before - 1, jobs_.size());
  for (uint64_t number = newest; number > 0; --number) {
    const job::Summary& job = jobs_[number - 1].summary;
    if (!matches(filter, job)) continue;
    if (page.items.size() == limit) {
      page.next_cursor = cursor_of(last);
      break;
    }
    page.items.push_back(job);
    last = number;
  }
  return page;
}

Outcome<std::vector<std::pair<job::State, uint64_t>>> MemoryStore::count_jobs(
    const AccountId& account) {
  std::lock_guard lock(mutex_);
  std::map<job::State, uint64_t> counted;
  for (const StoredJob& job : jobs_)
    if (account.empty() || job.summary.account == account) ++counted[job.summary.state];
  return std::vector<std::pair<job::State, uint64_t>>(counted.begin(), counted.end());
}

}  // namespace fermata
