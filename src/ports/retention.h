#pragma once
#include <set>
#include <string>

#include "base/error.h"
#include "core/model/summary.h"

namespace fermata {

/// Where an account's audit chain begins, once lines were removed: the last of those.
struct AuditRoot {
  uint64_t sequence = 0;  ///< 0: nothing was removed
  std::string hash;
  bool operator==(const AuditRoot&) const = default;
};

/// Removes what was kept long enough, a little at a time: each call is one short transaction beside
/// the engine's own. Safe from several threads.
class Retention {
 public:
  virtual ~Retention() = default;

  /// Runs that live ones name as parent or origin. Looks at `limit` live runs, beginning after
  /// `after` (0 at first).
  struct Referred {
    std::set<RunId> ids;
    uint64_t cursor = 0;
    bool more = false;
  };
  virtual Outcome<Referred> referred(uint64_t after, size_t limit) = 0;

  /// Removes runs that ended before `before` and are not in `kept`, oldest first. Looks at `limit`
  /// runs, beginning after `after` (0 at first); a run that began later than `before` ends it.
  struct RunSweep {
    uint64_t removed = 0;
    uint64_t cursor = 0;
    bool more = false;
  };
  virtual Outcome<RunSweep> remove_runs(uint64_t after, Instant before, const std::set<RunId>& kept,
                                        size_t limit) = 0;
  /// Removes one run that has ended, whatever its age. Fails with execution_not_found or
  /// run_not_finished.
  virtual Outcome<void> remove_run(const RunId& id, const AuditLine& audit) = 0;

  struct Sweep {
    uint64_t removed = 0;
    bool more = false;
  };
  /// Removes jobs that ended before `before`, oldest first, with their logs and what they refer to;
  /// those with an open entry in the dead letter queue stay. As `remove_runs` otherwise.
  virtual Outcome<RunSweep> remove_jobs(uint64_t after, Instant before, size_t limit) = 0;
  /// Entries of the dead letter queue that were opened before `before`.
  virtual Outcome<Sweep> remove_dead_letters(Instant before, size_t limit) = 0;
  /// Resolved entries of accounts that have more than `most`, oldest first, until no account has;
  /// open ones stay however many they are.
  virtual Outcome<Sweep> trim_dead_letters(uint64_t most, size_t limit) = 0;
  /// Lines of the decision log written before `before`.
  virtual Outcome<Sweep> remove_decisions(Instant before, size_t limit) = 0;
  /// Blobs that no job refers to and nobody has put since `before`.
  virtual Outcome<Sweep> remove_blobs(Instant before, size_t limit) = 0;
  /// The history of removed runs and jobs, `limit` rows of it.
  virtual Outcome<Sweep> remove_remains(size_t limit) = 0;
  /// The oldest audit lines, while they are older than `before`. The chain of each account then
  /// begins at its root.
  virtual Outcome<Sweep> remove_audit(Instant before, size_t limit) = 0;
  virtual Outcome<AuditRoot> audit_root(const AccountId& account) = 0;
  /// Bulk operations that ended before `before`, with their selections, oldest first.
  virtual Outcome<Sweep> remove_bulks(Instant before, size_t limit) = 0;
  /// Schedules that were deleted and have been found so for `deleted_for`, with their histories.
  virtual Outcome<Sweep> remove_schedules(Instant now, Duration deleted_for, size_t limit) = 0;
  /// Idempotency marks that have expired.
  virtual Outcome<Sweep> remove_marks(Instant now, size_t limit) = 0;
  /// Signals that have expired and that nothing more follows from.
  virtual Outcome<Sweep> remove_signals(Instant now, size_t limit) = 0;
  /// Definitions that for `unused_for` neither a version of a workflow nor a run has named.
  virtual Outcome<Sweep> remove_definitions(Instant now, Duration unused_for, size_t limit) = 0;
};

}  // namespace fermata
