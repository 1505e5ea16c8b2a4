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

  /// `batch`: the number of the commit that it is part of.
  void written(const StoredJob& stored, const JobWrite& write, uint64_t batch);
  /// This policy holds for whatever is decided from now on; so many batches were submitted before.
  void in_force(const std::string& snapshot, uint64_t batches);
  /// A policy kernel is asked from now on. `open`: jobs may run while it cannot be.
  void kernel_judges(bool open) { kernel_open_ = open; }
  /// The kernel has named this snapshot to the process that lives; nothing: it is a new process.
  void kernel_named(std::optional<std::string> snapshot, uint64_t batches);
  /// The host has this state in memory after a commit.
  void compare(const job::Job& live) const;
  const std::map<JobId, job::Job>& states() const { return states_; }

 private:
  bool may_be_dispatched(const job::Job& job, uint64_t batch) const;
  bool kernel_has_allowed(const job::Job& job, uint64_t batch) const;

  const Trace& trace_;
  struct Force {
    std::string snapshot;
    uint64_t since = 0;  ///< batches that had been submitted
  };
  std::vector<Force> forces_{{"none", 0}};
  std::optional<bool> kernel_open_;  ///< nothing: no kernel is asked
  struct Named {
    std::optional<std::string> snapshot;
    uint64_t since = 0;
  };
  std::vector<Named> named_;
  std::map<JobId, job::Job> states_;
};

}  // namespace fermata::sim
