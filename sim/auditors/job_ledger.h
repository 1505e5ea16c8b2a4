#pragma once
#include <map>
#include <set>

#include "core/job/job.h"
#include "ports/store.h"
#include "sim/fault.h"
#include "sim/trace.h"

namespace fermata::sim {

/// Folds every durable write of a job as it happens, and holds what must hold of all jobs: a
/// history without gaps, fences that only grow, an end that is the last word.
class JobLedger {
 public:
  explicit JobLedger(const Trace& trace) : trace_(trace) {}

  void written(const StoredJob& stored, const JobWrite& write);
  /// The host has this state in memory after a commit.
  void compare(const job::Job& live) const;
  const std::map<JobId, job::Job>& states() const { return states_; }

 private:
  const Trace& trace_;
  std::map<JobId, job::Job> states_;
};

}  // namespace fermata::sim
