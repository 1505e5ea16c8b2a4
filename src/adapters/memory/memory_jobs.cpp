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
    out.push_back(found == job_at_.end() ? StoredJob{} : jobs_.at(found->second));
  }
  return out;
}

bool MemoryStore::fits(const JobWrite& write) const {
  auto found = job_at_.find(write.summary.id);
  return write.expected_version == (found == job_at_.end() ? 0 : jobs_.at(found->second).version);
}

CommitOutcome MemoryStore::write(const JobWrite& write) {
  if (!fits(write)) return CommitOutcome::conflict;
  auto [found, fresh] = job_at_.try_emplace(write.summary.id, jobs_created_ + 1);
  if (fresh) ++jobs_created_;
  StoredJob& job = jobs_[found->second];
  if (write.events.count > 0) {
    check(write.events.first_sequence == job.summary.last_sequence + 1);
    job.history.push_back(write.events);
  }
  check(write.summary.last_sequence == job.summary.last_sequence + write.events.count);
  job.summary = write.summary;
  ++job.version;
  keep(write);
  return CommitOutcome::done;
}

void MemoryStore::keep(const JobWrite& write) {
  const job::Summary& job = write.summary;
  for (const job::KeepBlob& blob : write.blobs) {
    auto found = blobs_.find({job.account, blob.sha256});
    if (found == blobs_.end() && blob.text.empty()) continue;
    if (found == blobs_.end())
      found = blobs_.emplace(BlobKey{job.account, blob.sha256}, KeptBlob{blob.text, {}, {}}).first;
    found->second.put_at = std::max(found->second.put_at, job.updated_at);
    found->second.jobs.insert(job.id);
  }
  for (const DeadLetterEntry& entry : write.dead_letters) keep_letter(entry);
  for (const job::PolicyDecision& decision : write.decisions) keep(decision);
  if (write.drop_held) held_.erase(job.id);
  if (write.held) held_[job.id] = *write.held;
  for (const std::string& sha256 : write.dropped_blobs) {
    auto found = blobs_.find({job.account, sha256});
    if (found == blobs_.end()) continue;
    found->second.jobs.erase(job.id);
    if (found->second.jobs.empty()) blobs_.erase(found);
  }
  if (write.settled_letter) settle_letter(job.id, *write.settled_letter);
  if (write.spent) {
    job::Usage& sum = spent_[{job.account, write.spent->day}];
    sum = sum + write.spent->usage;
  }
}

void MemoryStore::keep_letter(const DeadLetterEntry& entry) {
  auto known = std::find_if(letters_.begin(), letters_.end(), [&](const auto& other) {
    return other.second.letter.id == entry.letter.id;
  });
  if (known == letters_.end()) {
    letters_.emplace(++letters_opened_, entry);
  } else {
    known->second = entry;
  }
}

void MemoryStore::settle_letter(const JobId& job, const job::SettleLetter& settle) {
  for (auto& [number, entry] : letters_)
    if (entry.open() && entry.letter.job == job) settle_entry(entry, settle);
}

Outcome<Store::OpenJobsPage> MemoryStore::open_jobs(uint64_t after, size_t limit) {
  std::lock_guard lock(mutex_);
  OpenJobsPage page;
  page.cursor = after;
  for (auto at = jobs_.upper_bound(after); at != jobs_.end(); ++at) {
    const job::Summary& job = at->second.summary;
    if (is_terminal(job.state) && !job.next_due) continue;
    if (page.jobs.size() == limit) {
      page.more = true;
      break;
    }
    page.jobs.push_back(job);
    page.cursor = at->first;
  }
  return page;
}

Outcome<std::vector<fleet::RegistrationRecord>> MemoryStore::registrations() {
  std::lock_guard lock(mutex_);
  std::vector<fleet::RegistrationRecord> out;
  for (const auto& [id, record] : registrations_) out.push_back(record);
  return out;
}

Outcome<StoredJob> MemoryStore::find_job(const JobId& id) {
  std::lock_guard lock(mutex_);
  auto found = job_at_.find(id);
  return found == job_at_.end() ? StoredJob{} : jobs_.at(found->second);
}

Outcome<JobPage> MemoryStore::list_jobs(const JobFilter& filter, size_t limit,
                                        const std::string& cursor) {
  FERMATA_TRY(before, cursor_number(cursor, UINT64_MAX));
  std::lock_guard lock(mutex_);
  JobPage page;
  uint64_t last = 0;
  for (auto at = jobs_.lower_bound(before); at != jobs_.begin();) {
    const auto& [number, stored] = *--at;
    const job::Summary& job = stored.summary;
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
  for (const auto& [number, job] : jobs_)
    if (account.empty() || job.summary.account == account) ++counted[job.summary.state];
  return std::vector<std::pair<job::State, uint64_t>>(counted.begin(), counted.end());
}

}  // namespace fermata
