#pragma once
#include <map>
#include <memory>
#include <set>

#include "adapters/memory/entropy.h"
#include "adapters/memory/memory_store.h"
#include "adapters/memory/virtual_clock.h"
#include "adapters/memory/wheel_timers.h"
#include "core/graph/check.h"
#include "core/run/history.h"
#include "host/host.h"
#include "test/scenario/direct_scans.h"
#include "test/scenario/scripted_calls.h"

namespace fermata::scenario {

/// How a scenario is played. All ways must lead to the same end.
struct Manner {
  bool forgetful = false;    ///< every turn opens its runs from their history
  bool repeats = false;      ///< every command and timer comes several times, beside a twin run
  bool checkpoints = false;  ///< and from a checkpoint where there is one
  bool slow = false;         ///< commits are under way for some turns
  bool heals = false;        ///< faults are being injected: what they broke off is sent again
};

/// A host with everything around it, on one thread. The store and the servers outlive the host.
class World {
 public:
  World(Manner manner, FaultPlan plan, uint64_t seed, RunLimits limits);

  static ZoneSource& zone_data();
  /// Also the current version of the workflow of that name.
  void add_definition(const std::string& name, const graph::DefinitionRef& definition) {
    library_.add(name, definition);
  }
  /// Sends commands in one batch and turns until all is quiet; one reply per command. A command
  /// that a fault broke off is sent again, as a careful client would.
  std::vector<Outcome<RunSummary>> send(const std::vector<Command>& commands);
  /// The same of signals, sent in one go.
  void tell(const std::vector<Signal>& signals);
  /// The same of one command to a schedule.
  Outcome<ScheduleTold> order(const schedule::Command& command);
  /// The same of one command to a contact.
  Outcome<ContactTold> tell_contact(const contact::Command& command);
  /// In force from the next turn on; outlives every crash, as the catalogue does.
  AccountTable& accounts() { return accounts_.table; }
  /// The same of one command to a job.
  Outcome<JobTold> tell_job(const job::Command& command);
  /// What a worker asks; its answers have come, or will.
  void ask_workers(std::function<void(Workers&)> visit);
  job::Job job_state(const JobId& id);
  /// In force from now on, and after every crash, as the board's file is.
  void set_policy(policy::PolicyPtr policy);
  DirectScans::Mood& scanner() { return scanner_; }
  schedule::Schedule schedule_state(const schedule::Key& key);
  /// Turns until nothing is left to do at this instant.
  void settle();
  /// Moves the clock, stopping at every due time on the way.
  void advance(Duration by);
  /// Ends the host: timers and calls under way are gone.
  void kill();
  void restart();
  bool alive() const { return host_ != nullptr; }

  StoredRun stored(const RunId& id);
  /// The fold of the run's history.
  const Run& state(const RunId& id);
  /// The definitions its history speaks of.
  KnownDefinitions known(const RunId& id);

  Host& host() { return *host_; }
  VirtualClock& clock() { return clock_; }
  Server& server() { return server_; }
  ScriptedCalls& calls() { return *calls_; }
  WheelTimers& timers() { return *timers_; }
  Definitions& definitions() { return library_; }
  MemoryStore& store() { return memory_; }
  const FaultPlan& plan() const { return plan_; }
  const Manner& manner() const { return manner_; }
  size_t most_in_flight() const;
  const std::vector<std::string>& log_lines() const { return feed_.lines; }
  const std::vector<RunId>& ended() const { return feed_.ended; }
  static constexpr Instant start{1'772'359'200'000};  ///< 2026-03-01T10:00:00Z

 private:
  /// Definitions by hash, compiled anew after a crash from their canonical form.
  class Library final : public Definitions {
   public:
    void add(const std::string& name, const graph::DefinitionRef& definition);
    void forget() { compiled_.clear(); }
    Outcome<graph::DefinitionRef> definition(const DefinitionHash& hash) override;
    Outcome<FoundWorkflow> workflow(const AccountId& account, const WorkflowId& id,
                                    uint32_t version) override;

   private:
    std::map<std::string, DefinitionHash> current_;
    std::map<DefinitionHash, Value> canonical_;
    std::map<DefinitionHash, graph::DefinitionRef> compiled_;
  };
  struct Lines final : Feed {
    explicit Lines(World& world) : world(world) {}
    void committed(const RunSummary& summary, const HistoryChunk&) override {
      runs.insert(summary.id);
      if (is_terminal(summary.status)) ended.push_back(summary.id);
    }
    /// The state in memory is the fold of the history, after every commit.
    void settled(const Run& state) override;
    void logged(const WriteLog& line) override { lines.push_back(line.message); }
    World& world;
    std::set<RunId> runs;
    std::vector<RunId> ended;  ///< in the order of their last commits
    std::vector<std::string> lines;
  };
  struct Switches final : AccountSource {
    std::shared_ptr<const AccountTable> accounts() override {
      return std::make_shared<AccountTable>(table);
    }
    AccountTable table;
  };
  static constexpr uint64_t compared_events_max = 5'000;
  struct Folded {
    uint64_t sequence = 0;
    Run run;
  };

  bool turn_once();
  void wake_everyone();

  const Manner manner_;
  FaultPlan plan_;
  const RunLimits limits_;
  VirtualClock clock_{start};
  SeededEntropy entropy_;
  MemoryStore memory_;
  FaultyStore store_{memory_, plan_, manner_.slow};
  Library library_;
  Switches accounts_;
  Lines feed_{*this};
  Server server_;
  std::unique_ptr<WheelTimers> timers_;
  std::unique_ptr<ScriptedCalls> calls_;
  DirectScans::Mood scanner_ = DirectScans::Mood::works;
  std::unique_ptr<DirectScans> scans_;
  std::unique_ptr<Host> host_;
  policy::PolicyPtr policy_;
  std::optional<Instant> next_turn_;
  uint64_t failures_seen_ = 0;
  size_t most_in_flight_ = 0;
  std::map<RunId, Folded> folded_;
  std::set<schedule::Key> schedules_;
};

}  // namespace fermata::scenario
