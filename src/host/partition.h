#pragma once
#include <atomic>
#include <deque>
#include <map>

#include "base/queue.h"
#include "host/host.h"
#include "host/run_cache.h"

namespace fermata {

/// A command on its way through the host.
struct Item {
  Command command;
  Reply reply;          ///< empty for the engine's own commands
  uint32_t tries = 0;   ///< commits that conflicted
};

/// One writer over its share of the runs: takes a batch of commands, decides each, makes one commit
/// and only then acts.
class Host::Partition {
 public:
  Partition(HostPorts ports, HostSettings settings);

  Outcome<void> recover();
  bool submit(Command command, Reply reply);
  NextTurn turn();
  void run();
  void stop();
  void wake() { queue_.wake(); }
  void advance_clock(Instant target, std::function<void(Instant)> set_clock,
                     std::function<void()> done);
  HostCounters counters() const;

 private:
  /// What a turn did to one run, to be committed.
  struct Touched {
    OpenRun* open = nullptr;
    std::vector<Event> events;
    std::vector<Effect> effects;
    std::vector<Item> items;                        ///< repeated when the commit conflicts
    std::vector<std::optional<Error>> refusals;     ///< per item; empty when accepted
  };
  struct Advance {
    Instant target;
    std::function<void(Instant)> set_clock;
    std::function<void()> done;
  };

  std::vector<Item> gather(Instant now);
  void decide_all(std::vector<Item> items, Instant now);
  void decide_one(Touched& touched, Item item, const Given& given);
  bool is_lost(const Touched& touched, const CallTicket& ticket) const;
  void commit(Instant now);
  std::vector<AuditLine> audit_of(const Touched& touched, Instant now) const;
  CommitOutcome find_out(const RunWrite& write);
  void committed(Touched& touched, const RunWrite& write, Instant now);
  void not_committed(Touched& touched, CommitOutcome outcome, Instant now);
  void answer(Touched& touched, const Outcome<RunSummary>& accepted);
  void perform(const Run& run, const Effect& effect);
  void watch(const Run& run, const RunSummary& summary, Instant now);
  void refuse_all(std::vector<Item> items, const Error& error, Instant now);
  void defer(Item item, Instant until);
  void sweep(Instant now);
  Outcome<bool> sweep_page();
  NextTurn next(Instant now);
  bool step_clock(bool quiet);

  HostPorts ports_;
  const HostSettings settings_;
  RunCache cache_;
  BoundedQueue<Item> queue_;
  std::atomic<bool> stopping_{false};

  // Owned by the thread that takes turns.
  std::map<RunId, Touched> touched_;
  std::deque<RunId> continuing_;               ///< runs with ready work left over
  std::multimap<Instant, Item> deferred_;      ///< to be tried again later
  std::vector<std::function<void()>> after_;   ///< replies to be sent when the turn's state is set
  uint64_t sweep_cursor_ = 0;
  bool sweeping_ = false;
  Instant next_sweep_;

  std::mutex advance_mutex_;
  std::optional<Advance> advance_;

  struct Counters {
    std::atomic<uint64_t> commits{0}, commands{0}, events{0}, conflicts{0}, refusals{0},
        timers_fired{0}, calls_placed{0}, store_failures{0}, runs_cached{0};
  };
  Counters counters_;
};

}  // namespace fermata
