#pragma once
#include <unordered_map>

#include "core/model/effect.h"
#include "core/model/event.h"
#include "host/intake.h"
#include "host/run_cache.h"

/// What travels through a partition: commands, and what was decided about their runs.
namespace fermata {

/// A command on its way through the host.
struct Item {
  Command command;
  Reply reply;         ///< empty for the engine's own commands
  uint32_t tries = 0;  ///< commits that conflicted
};

struct DecidedItem {
  Item item;
  std::optional<Error> refusal;  ///< empty when it was accepted
};

/// What a turn did to one run.
struct Touched {
  OpenRun* open = nullptr;
  std::vector<Event> events;
  std::vector<Effect> effects;
  std::vector<DecidedItem> items;  ///< repeated when the commit conflicts
};

/// Runs that were decided, with what is to be written of each at the same place in the batch.
struct Flight {
  CommitBatch batch;
  std::vector<Touched> runs;
  size_t commands = 0;
  bool empty() const { return runs.empty(); }
};

/// Commands for runs that are decided and not durable yet. They wait in order until it is known
/// what became of the run: nothing is decided on top of a state that may never be.
class HeldItems {
 public:
  void hold(Item item);
  /// The run's commands in the order they came.
  std::vector<Item> release(const RunId& run);
  size_t size() const { return size_; }

 private:
  std::unordered_map<RunId, std::vector<Item>> by_run_;
  size_t size_ = 0;
};

/// The lines of a run's commit that name those who asked for it.
std::vector<AuditLine> audit_lines(const Touched& touched, Instant now);

}  // namespace fermata
