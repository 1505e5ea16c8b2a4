#pragma once
#include <list>
#include <unordered_map>
#include <unordered_set>

#include "core/job/job.h"
#include "ports/store.h"

namespace fermata {

/// A job in memory, as of one stored version; as OpenRun.
struct OpenJob {
  static constexpr uint32_t nowhere = UINT32_MAX;
  uint64_t version = 0;
  job::Job job;
  bool assumed = false;      ///< taken for new without asking the store
  bool flying = false;       ///< its commit is under way
  uint32_t place = nowhere;  ///< among the jobs of the next batch
  bool undurable() const { return flying || place != nowhere; }
};

/// Jobs that are being worked on; as RunCache.
class JobCache {
 public:
  JobCache(Store& store, size_t jobs_max) : store_(store), jobs_max_(jobs_max) {}

  Outcome<void> fetch(const std::vector<JobId>& ids);
  OpenJob& assume_new(const JobId& id);
  /// False when taking the id for new has failed before: the store is to be asked.
  bool may_assume_new(const JobId& id) const { return !doubtful_.contains(id); }
  void doubt(const JobId& id) { doubtful_.insert(id); }
  OpenJob* find(const JobId& id);
  const Error* damage(const JobId& id) const;
  void forget(const JobId& id);
  /// Only between turns.
  void trim();
  void clear_damage() { damaged_.clear(); }
  size_t size() const { return jobs_.size(); }

 private:
  struct Entry {
    OpenJob open;
    std::list<JobId>::iterator place;
  };
  OpenJob& insert(const JobId& id);
  void open(const JobId& id, const StoredJob& stored);

  Store& store_;
  const size_t jobs_max_;
  std::unordered_map<JobId, Entry> jobs_;
  std::list<JobId> by_use_;  ///< latest first
  std::unordered_map<JobId, Error> damaged_;
  std::unordered_set<JobId> doubtful_;  ///< until they are fetched
};

}  // namespace fermata
