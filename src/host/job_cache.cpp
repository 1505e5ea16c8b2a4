#include "host/job_cache.h"

#include "core/job/history.h"

namespace fermata {

Outcome<void> JobCache::fetch(const std::vector<JobId>& ids) {
  std::vector<JobId> missing;
  for (const JobId& id : ids)
    if (!jobs_.contains(id)) missing.push_back(id);
  if (missing.empty()) return {};
  auto together = store_.load_jobs(missing);
  if (!together && together.error().code != ErrorCode::data_damaged)
    return Failure{std::move(together).error()};
  for (size_t i = 0; i < missing.size(); ++i) {
    const JobId& id = missing[i];
    doubtful_.erase(id);
    // The same id may have been asked for twice.
    if (jobs_.contains(id)) continue;
    if (together) {
      open(id, (*together)[i]);
      continue;
    }
    // One of them is damaged; the others must not suffer for it.
    auto alone = store_.load_jobs(std::span(&id, 1));
    if (alone) {
      open(id, alone->front());
    } else if (alone.error().code == ErrorCode::data_damaged) {
      damaged_.emplace(id, alone.error());
    } else {
      return Failure{std::move(alone).error()};
    }
  }
  return {};
}

void JobCache::open(const JobId& id, const StoredJob& stored) {
  if (stored.version == 0) {
    insert(id);
    return;
  }
  auto job = job::fold(id, stored.history);
  if (!job) {
    damaged_.emplace(id, job.error());
    return;
  }
  OpenJob& open = insert(id);
  open.version = stored.version;
  open.job = *std::move(job);
}

OpenJob& JobCache::assume_new(const JobId& id) {
  OpenJob& open = insert(id);
  open.assumed = true;
  return open;
}

OpenJob& JobCache::insert(const JobId& id) {
  by_use_.push_front(id);
  Entry& entry = jobs_[id];
  entry.place = by_use_.begin();
  entry.open.job.id = id;
  return entry.open;
}

OpenJob* JobCache::find(const JobId& id) {
  auto found = jobs_.find(id);
  if (found == jobs_.end()) return nullptr;
  by_use_.splice(by_use_.begin(), by_use_, found->second.place);
  return &found->second.open;
}

const Error* JobCache::damage(const JobId& id) const {
  auto found = damaged_.find(id);
  return found == damaged_.end() ? nullptr : &found->second;
}

void JobCache::forget(const JobId& id) {
  auto found = jobs_.find(id);
  if (found == jobs_.end()) return;
  by_use_.erase(found->second.place);
  jobs_.erase(found);
}

void JobCache::trim() {
  for (auto last = by_use_.end(); jobs_.size() > jobs_max_ && last != by_use_.begin();) {
    --last;
    auto found = jobs_.find(*last);
    if (found->second.open.undurable()) continue;
    jobs_.erase(found);
    last = by_use_.erase(last);
  }
}

}  // namespace fermata
