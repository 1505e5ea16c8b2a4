#pragma once
#include <map>

#include "core/schedule/decide.h"
#include "ports/store.h"
#include "sim/fault.h"
#include "sim/trace.h"

namespace fermata::sim {

/// Folds every durable write of a schedule as it happens, and holds what must hold of all of them:
/// a history without gaps, every occurrence of the rule decided once and none left out (F-61), no
/// run started twice.
class ScheduleLedger {
 public:
  explicit ScheduleLedger(const Trace& trace) : trace_(trace) {}

  void written(const StoredSchedule& stored, const ScheduleWrite& write);
  /// The host has this state in memory after a commit.
  void compare(const schedule::Schedule& live) const;

  struct Watched {
    schedule::Schedule state;
    Instant counted_to;                       ///< occurrences up to here were looked at
    std::vector<Instant> decided;             ///< by the rule, since then
    std::map<RunId, bool> started;            ///< and whether its end was heard
    std::map<std::string, uint64_t> skipped;  ///< by reason
    uint64_t queued = 0;
    uint64_t cancelled = 0;
    bool begins = false;  ///< counts anew: made, resumed, or given another rule
  };
  const std::map<schedule::Key, Watched>& all() const { return all_; }

 private:
  void look_at(Watched& watched, const schedule::Event& event);
  void count(Watched& watched, const schedule::ScheduleArmed& armed);

  const Trace& trace_;
  std::map<schedule::Key, Watched> all_;
};

}  // namespace fermata::sim
