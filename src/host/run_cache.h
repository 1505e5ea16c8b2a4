#pragma once
#include <list>
#include <unordered_map>

#include "core/model/run.h"
#include "host/definitions.h"
#include "ports/store.h"

namespace fermata {

/// How much history would have to be folded to open a run again.
struct Unspared {
  uint64_t events = 0;
  uint64_t bytes = 0;
  uint64_t reluctance = 1;   ///< doubled whenever a checkpoint turned out too large
  uint64_t script_fuel = 0;  ///< a script had used when it was last written down
};

/// A run in memory, as of one stored version.
struct OpenRun {
  static constexpr uint32_t nowhere = UINT32_MAX;
  uint64_t version = 0;
  Run run;
  Unspared since_checkpoint;
  bool assumed = false;      ///< taken for new without asking the store
  bool flying = false;       ///< its commit is under way
  uint32_t place = nowhere;  ///< among the runs of the next batch
  /// Decided, and not yet known to be durable: stays open.
  bool undurable() const { return flying || place != nowhere; }
};

/// Runs that are being worked on. A copy of what the store holds: forgetting one costs a load,
/// never truth. Used by one thread.
class RunCache {
 public:
  RunCache(Store& store, Definitions& definitions, size_t runs_max)
      : store_(store), definitions_(definitions), runs_max_(runs_max) {}

  /// Loads those of `ids` that are not here, in one request.
  Outcome<void> fetch(const std::vector<RunId>& ids);
  /// Takes it that there is no such run, which must not be here. If the store knows better, the
  /// commit conflicts.
  OpenRun& assume_new(const RunId& id);
  /// Null when it was not fetched, or could not be read (`damage` then says why).
  OpenRun* find(const RunId& id);
  const Error* damage(const RunId& id) const;
  void forget(const RunId& id);
  /// Makes room: forgets the runs unused for longest. Only between turns.
  void trim();
  void clear_damage() { damaged_.clear(); }
  size_t size() const { return runs_.size(); }
  uint64_t checkpoints_restored() const { return checkpoints_restored_; }
  uint64_t checkpoints_unreadable() const { return checkpoints_unreadable_; }

 private:
  struct Entry {
    OpenRun open;
    std::list<RunId>::iterator place;
  };
  OpenRun& insert(const RunId& id);
  Outcome<void> open(const RunId& id, StoredRun stored);

  Store& store_;
  Definitions& definitions_;
  const size_t runs_max_;
  std::unordered_map<RunId, Entry> runs_;
  std::list<RunId> by_use_;  ///< latest first
  std::unordered_map<RunId, Error> damaged_;
  uint64_t checkpoints_restored_ = 0;
  uint64_t checkpoints_unreadable_ = 0;
};

/// Opens a stored run: the fold of its history, from its checkpoint on if it has one.
Outcome<Run> open_run(const RunId& id, const StoredRun& stored, Definitions& definitions);

}  // namespace fermata
