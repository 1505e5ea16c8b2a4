#pragma once
#include <gtest/gtest.h>

#include <atomic>

#include "adapters/memory/entropy.h"
#include "adapters/memory/memory_store.h"
#include "adapters/memory/virtual_clock.h"
#include "adapters/memory/wheel_timers.h"
#include "base/json.h"
#include "core/graph/check.h"
#include "host/host.h"

/// A host on one thread whose commits land when the test says so.
namespace fermata {

/// Holds what is submitted until it is let go.
class WaitingStore final : public Store {
 public:
  Outcome<std::vector<StoredRun>> load(std::span<const RunId> ids,
                                       uint64_t checkpoint_before = UINT64_MAX) override {
    runs_loaded += ids.size();
    return memory.load(ids, checkpoint_before);
  }
  Outcome<std::vector<StoredJob>> load_jobs(std::span<const JobId> ids) override {
    jobs_loaded += ids.size();
    return memory.load_jobs(ids);
  }
  Outcome<std::vector<StoredSchedule>> load_schedules(
      std::span<const schedule::Key> keys) override {
    return memory.load_schedules(keys);
  }
  Outcome<OpenSchedulesPage> open_schedules(uint64_t after, size_t limit) override {
    return memory.open_schedules(after, limit);
  }
  Outcome<OpenJobsPage> open_jobs(uint64_t after, size_t limit) override {
    return memory.open_jobs(after, limit);
  }
  Outcome<std::vector<std::pair<AccountId, uint64_t>>> counted_waits() override {
    return memory.counted_waits();
  }
  Outcome<std::vector<WaitRecord>> limited_waits(size_t after, size_t limit) override {
    return memory.limited_waits(after, limit);
  }
  Outcome<std::vector<RunId>> runs_of_other_zones(const std::string& version, const RunId& after,
                                                  size_t limit) override {
    return memory.runs_of_other_zones(version, after, limit);
  }
  Outcome<PendingDeliveryPage> pending_deliveries(uint64_t after, size_t limit) override {
    return memory.pending_deliveries(after, limit);
  }
  Outcome<std::vector<Delivery>> load_deliveries(std::span<const std::string> ids) override {
    return memory.load_deliveries(ids);
  }
  Outcome<std::vector<fleet::RegistrationRecord>> registrations() override {
    return memory.registrations();
  }
  Outcome<std::vector<AccountSpent>> spent_on(int64_t day) override { return memory.spent_on(day); }
  Outcome<std::vector<std::optional<SignalRecord>>> load_signals(
      std::span<const SignalKey> keys) override {
    return memory.load_signals(keys);
  }
  Outcome<Windowed> signals_in(const SignalWindow& window, uint64_t after, size_t limit) override {
    return memory.signals_in(window, after, limit);
  }
  Outcome<OpenSignals> open_signals(uint64_t after, size_t limit) override {
    return memory.open_signals(after, limit);
  }
  Outcome<std::vector<WaitRecord>> listening_waits(size_t after, size_t limit) override {
    return memory.listening_waits(after, limit);
  }
  Outcome<std::vector<WaitRecord>> ended_listeners(const Signal& signal, Instant since,
                                                   size_t limit) override {
    return memory.ended_listeners(signal, since, limit);
  }
  Outcome<std::vector<RunId>> live_runs_with(const AccountId& account, const std::string& label_key,
                                             const std::string& label_value,
                                             size_t limit) override {
    return memory.live_runs_with(account, label_key, label_value, limit);
  }
  Outcome<PassedPage> passed(Instant since, uint64_t after, size_t limit) override {
    return memory.passed(since, after, limit);
  }
  std::vector<CommitOutcome> commit(const CommitBatch& batch) override {
    return memory.commit(batch);
  }
  void submit(CommitBatch batch) override {
    EXPECT_FALSE(flying) << "one batch at a time";
    sizes.push_back(batch.runs.size());
    flying = std::move(batch);
  }
  std::optional<CommitAnswer> harvest() override {
    if (!flying || holds) return std::nullopt;
    CommitBatch batch = *std::exchange(flying, std::nullopt);
    CommitOutcome outcome = std::exchange(fails_once_with, CommitOutcome::done);
    std::vector<CommitOutcome> outcomes(batch.size(), outcome);
    if (outcome == CommitOutcome::done && refuses && refuses(batch)) {
      outcome = CommitOutcome::refused;
      outcomes.assign(batch.size(), outcome);
    }
    if (outcome == CommitOutcome::done) outcomes = memory.commit(batch);
    return CommitAnswer{std::move(batch), std::move(outcomes)};
  }
  Outcome<PendingPage> pending(uint64_t after, size_t limit) override {
    return memory.pending(after, limit);
  }

  MemoryStore memory;
  std::optional<CommitBatch> flying;
  std::vector<size_t> sizes;  ///< runs of each batch
  size_t runs_loaded = 0;
  size_t jobs_loaded = 0;
  std::atomic<bool> holds = false;
  CommitOutcome fails_once_with = CommitOutcome::done;
  std::function<bool(const CommitBatch&)> refuses;  ///< what it does not take though it is there
};

class HostTest : public testing::Test {
 protected:
  struct NoCalls final : Calls {
    void submit(const CallTicket&, CallRequest) override {}
    void abandon(const CallTicket&) override {}
    std::vector<CallAnswer> harvest() override { return {}; }
    bool holds(const CallTicket&) const override { return false; }
    size_t in_flight() const override { return 0; }
  };
  struct Told final : Feed {
    void committed(const RunSummary& summary, const HistoryChunk& events) override {
      runs.push_back(summary.id.text());
      event_count += events.count;
    }
    void job_replayed(const job::Summary& job) override { replayed.push_back(job.id.text()); }
    void run_unreadable(const RunId& run, Instant) override { unreadable.push_back(run.text()); }
    std::vector<std::string> unreadable;
    std::vector<std::string> runs;
    std::vector<std::string> replayed;
    uint64_t event_count = 0;
  };
  struct OneDefinition final : Definitions {
    Outcome<graph::DefinitionRef> definition(const DefinitionHash&) override { return only; }
    Outcome<FoundWorkflow> workflow(const AccountId&, const WorkflowId&, uint32_t) override {
      if (refusal) return Failure{*refusal};
      return FoundWorkflow{only, 1, active};
    }
    graph::DefinitionRef only;
    std::optional<Error> refusal;
    bool active = true;
  };

  HostTest() {
    // Hears signals for ever.
    auto checked = graph::check_definition(*parse_json(
        R"({"nodes":[{"id":"t","type":"manual","trigger":true},
                     {"id":"h","type":"wait_for_signal","max_visits":1000,
                      "parameters":{"name":"news"}},
                     {"id":"n","type":"noop","max_visits":1000}],
            "edges":[{"id":"1","src":"t","dst":"h"},{"id":"2","src":"h","dst":"n"},
                     {"id":"3","src":"n","dst":"h"}]})"));
    EXPECT_TRUE(checked.definition) << (checked.errors.empty() ? "" : checked.errors[0].message);
    definitions.only = checked.definition;
  }
  Host& host() {
    if (!host_)
      host_ = std::make_unique<Host>(
          HostPorts{store, timers, calls, clock, entropy, told, definitions, zones, nullptr,
                    nullptr, accounts, kernel, counters, &store.memory, scans, output_kernel},
          settings);
    return *host_;
  }
  void restart() { host_.reset(); }

  void send(const std::string& run, CommandBody body, const std::string& name = "") {
    bool taken = host().submit({RunId(run), std::move(body), "tester"},
                               [this, name](Outcome<RunSummary> outcome) {
                                 answers.push_back(name + (outcome ? "" : " refused"));
                                 last = std::move(outcome);
                               });
    EXPECT_TRUE(taken);
  }
  void start(const std::string& run, const std::string& name = "", const std::string& hash = "") {
    StartRun body;
    body.account = AccountId("acme");
    body.workflow = WorkflowId("w");
    body.definition = definitions.only;
    body.request_hash = hash;
    send(run, std::move(body), name);
  }
  void signal(const std::string& run, const std::string& name = "") {
    send(run, SignalRun{"news", Value(), ""}, name);
  }
  /// Turns until there is nothing more to do at once.
  void settle() {
    while (host().turn().at_once) {
    }
  }
  StoredRun stored(const std::string& run) { return *store.memory.find(RunId(run), 1, SIZE_MAX); }

  HostSettings settings;
  ZoneSource* zones = nullptr;  ///< set before the first turn, as the next
  AccountSource* accounts = nullptr;
  PolicyKernel* kernel = nullptr;
  Counters* counters = nullptr;
  Scans* scans = nullptr;
  OutputKernel* output_kernel = nullptr;
  WaitingStore store;
  WheelTimers timers;
  NoCalls calls;
  VirtualClock clock{Instant{1'700'000'000'000}};
  SeededEntropy entropy{1};
  Told told;
  OneDefinition definitions;
  std::vector<std::string> answers;  ///< names, in the order in which they were answered
  Outcome<RunSummary> last = fail(ErrorCode::internal, "nothing was answered");

 private:
  std::unique_ptr<Host> host_;
};

}  // namespace fermata
