#pragma once
#include <condition_variable>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "core/trial/tally.h"
#include "front/simulation_request.h"
#include "ports/clock.h"
#include "ports/store.h"

namespace fermata::server {

class FeedHub;

/// What a simulation is asked for, with all that its trials need to know.
struct SimulationOrder {
  std::string id;
  AccountId account;
  std::string actor;
  std::string name;
  Value request;   ///< as it was written
  Value document;  ///< of the definition
  uint64_t seeds = 0;
  uint64_t first_seed = 0;
  trial::Plan plan;
};

/// Trials of workflows in a world apart (U-47): nothing of them is stored, called or timed. They
/// are lived one after the other on a thread of their own, and their results are kept in memory
/// until others take their place or the server stops. Any thread.
class Simulations {
 public:
  Simulations(Clock& clock, FeedHub& hub) : clock_(clock), hub_(hub) {}
  ~Simulations();

  /// Fails with rate_limited when too many wait for their turn.
  Outcome<Value> begin(SimulationOrder order);
  /// Newest first, without their results.
  Value list(const AccountId& account) const;
  /// With its results so far and its definition. Fails with value_not_found.
  Outcome<Value> find(const AccountId& account, const std::string& id) const;
  /// Ends it after the trial under way; what was counted stays.
  Outcome<Value> stop(const AccountId& account, const std::string& id);
  Outcome<void> remove(const AccountId& account, const std::string& id);

  /// One seed lived again, as a run of the store would be.
  struct Lived {
    StoredRun run;
    graph::DefinitionRef definition;
  };
  Outcome<std::shared_ptr<const Lived>> live(const AccountId& account, const std::string& id,
                                             uint64_t seed);

  static constexpr size_t kept_max = 50;          ///< of all accounts
  static constexpr size_t waiting_max = 10;       ///< for their turn, of one account
  static constexpr int64_t run_ms_max = 600'000;  ///< one that takes longer is stopped

 private:
  enum class State : uint8_t { waiting, running, done, stopped, failed };
  struct Simulation;
  using Ref = std::shared_ptr<Simulation>;
  static std::string_view name_of(State state);
  static Value shown(const Simulation& simulation);
  Outcome<Ref> own(const AccountId& account, const std::string& id) const;
  void make_room();
  void run();
  void carry_out(const Ref& simulation);
  /// Those who look at it, that it has come this far.
  void tell(const Ref& simulation, State state, uint64_t lived);

  Clock& clock_;
  FeedHub& hub_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, Ref> all_;  ///< by id, so oldest first
  std::deque<Ref> waiting_;
  /// Seeds that were looked at last: a page asks for several parts of one.
  std::list<std::pair<std::string, std::shared_ptr<const Lived>>> lived_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace fermata::server
