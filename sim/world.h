#pragma once
#include <memory>
#include <optional>

#include "adapters/memory/entropy.h"
#include "host/host.h"
#include "sim/auditors/calls.h"
#include "sim/auditors/contact_ledger.h"
#include "sim/auditors/job_ledger.h"
#include "sim/auditors/ledger.h"
#include "sim/auditors/schedule_ledger.h"
#include "sim/clients.h"
#include "sim/ports/sim_calls.h"
#include "sim/ports/sim_kernel.h"
#include "sim/ports/sim_outbox.h"
#include "sim/ports/sim_scans.h"
#include "sim/ports/sim_store.h"
#include "sim/ports/sim_timers.h"

namespace fermata::sim {

class Workload;

/// What one seed did.
struct SeedReport {
  uint64_t turns = 0;
  uint64_t commits = 0;
  uint64_t crashes = 0;
  uint64_t conflicts = 0;
  uint64_t runs = 0;
  FaultCounts faults{};
  ProbeCounts probes{};
  std::optional<std::string> violation;
};

/// One seed: a store, an outside and clients that last, a process that dies and comes back, and the
/// dice that everything hangs on. One thread; the same seed gives the same history to the bit.
class World {
 public:
  World(uint64_t seed, Sabotage sabotage, bool tracing);
  ~World();

  /// Chaos, then healing, then the demand that everything ends.
  SeedReport run(Workload& workload);

  // For workloads.
  Chaos& chaos() { return chaos_; }
  HostSettings& settings() { return settings_; }
  /// Compiles a document; a workload that writes a wrong one has failed.
  graph::DefinitionRef define(const Value& document);
  /// The same, and a workflow that nodes may start by its name.
  graph::DefinitionRef define(const std::string& workflow, const Value& document);
  /// The same for a script.
  graph::DefinitionRef define_script(const std::string& source);
  graph::DefinitionRef define_script(const std::string& workflow, const std::string& source);
  /// The same for a document drawn at random: nothing when it has errors.
  graph::DefinitionRef define_if_legal(const Value& document);
  /// One that was made elsewhere.
  void add_definition(const graph::DefinitionRef& definition) { definitions_.add(definition); }
  /// Where callbacks go to, and what is answered.
  void receive_callbacks(std::function<CallAnswer(const CallRequest&)> receiver) {
    callback_outside_.receive(std::move(receiver));
  }
  const std::map<std::string, Delivery>& deliveries() const { return store_.deliveries(); }
  void send(Request request) { clients_.send(std::move(request)); }
  /// A start of a run, ready to be sent; the hash names the request.
  Request start(const std::string& run, const graph::DefinitionRef& definition, Value input);
  const Run* state(const RunId& id) const { return ledger_.state(id); }
  const StoredRun* stored(const RunId& id) const { return store_.truth(id); }
  const std::vector<RunId>& runs() const { return store_.runs(); }
  const std::map<JobId, job::Job>& jobs() const { return job_ledger_.states(); }
  const std::map<schedule::Key, ScheduleLedger::Watched>& schedules() const {
    return schedule_ledger_.all();
  }
  /// Of the process that lives now.
  JobIntake& job_intake();
  ScheduleIntake& schedule_intake();
  SignalIntake& signal_intake();
  /// What is stored of signals and waits, and in which order it came to be.
  const SimStore& store() const { return store_; }
  /// Stored at once, and put into force in the process that lives now and in all to come.
  void set_policy(policy::PolicyPtr policy);
  /// The same of pools and limits.
  void set_pools(fleet::PoolTablePtr pools);
  /// Has jobs judged by a policy kernel too; before the first process comes up.
  KernelOutside& use_kernel(PolicyMode mode, job::FailMode fail_mode);
  ContactIntake& contact_intake();
  const std::map<ContactKey, Contact>& contacts() const { return store_.contacts(); }
  /// What is in force from the next turn on; survives every crash, as the catalogue does.
  AccountTable& accounts() { return accounts_.table; }
  /// Zone data in force from the next turn on, as a server finds it on its disk.
  void set_zones(std::shared_ptr<const ZoneTable> zones) { zones_.table = std::move(zones); }
  Sabotage sabotage() const { return sabotage_; }
  Outside& outside() { return outside_; }
  const SimClock& clock() const { return clock_; }
  void probe(Probe probe) { ++report_.probes[static_cast<size_t>(probe)]; }
  /// How long after healing the last run may take.
  void allow(Duration time) { liveness_ = time; }
  void let_calls_fail() { calls_may_fail_ = true; }

 private:
  struct Process;

  std::optional<RunWrite> intrude(const RunId& id);
  void play(Workload& workload);
  void come_up();
  void put_in_force();
  uint64_t batches() const { return store_.commits() + (store_.in_flight() ? 1 : 0); }
  void die();
  void turn();
  void probe_host();
  void jump_clock();
  void pass_time(const NextTurn& next);
  bool done() const;
  void demand_life();
  void come_to_rest();
  void free_slots();
  [[noreturn]] void report_stuck();

  struct SimAccounts final : AccountSource {
    std::shared_ptr<const AccountTable> accounts() override {
      return std::make_shared<AccountTable>(table);
    }
    AccountTable table;
  };

  struct SimZones final : ZoneSource {
    std::shared_ptr<const ZoneTable> zones(Instant) override { return table; }
    std::shared_ptr<const ZoneTable> table = utc_table();
  };

  const Trace trace_;
  Chaos chaos_;
  SeedReport report_;
  SimClock clock_;
  SimDefinitions definitions_;
  const Sabotage sabotage_;
  int policies_in_force_ = 0;     ///< told to the engine, or kept from it
  Workload* workload_ = nullptr;  ///< while it is played
  Ledger ledger_;
  JobLedger job_ledger_;
  ScheduleLedger schedule_ledger_;
  ContactLedger contact_ledger_;
  SimAccounts accounts_;
  SimZones zones_;
  CallAuditor call_auditor_;
  SimOutbox outbox_{chaos_};
  SimStore store_;
  Outside outside_;
  Outside callback_outside_;
  KernelOutside kernel_outside_;
  SeededEntropy entropy_;
  Clients clients_;
  HostSettings settings_;
  policy::PolicyPtr policy_;
  fleet::PoolTablePtr pools_;
  std::unique_ptr<Process> process_;
  NextTurn next_;
  uint64_t chaos_turns_ = 0;
  uint64_t healed_turn_ = 0;
  Instant healed_at_;
  Duration liveness_{4 * 3'600'000};
  bool calls_may_fail_ = false;
};

}  // namespace fermata::sim
