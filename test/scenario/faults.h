#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "ports/store.h"

/// What may go wrong at a port, one place at a time: the n-th call that a fault concerns is struck,
/// for every n until nothing is struck any more.
namespace fermata::scenario {

/// Thrown by a port: the process ends here, and only the store remains.
struct Crash {};

enum class Fault : uint8_t {
  none,
  crash_before_commit,
  crash_after_commit,
  conflict,         ///< another writer came first, or so it seems
  unknown_written,  ///< the commit happened, but nobody said so
  unknown_lost,     ///< the commit did not happen, and nobody said so
  unavailable,
  load_fails,
  crash_before_submit,
  crash_after_submit,  ///< the request is on its way when the process ends
};
std::string name_of(Fault fault);
std::vector<Fault> all_faults();

class FaultPlan {
 public:
  FaultPlan() = default;
  FaultPlan(Fault fault, uint64_t nth) : fault_(fault), left_(nth) {}
  Fault fault() const { return fault_; }
  /// True when the call under way is the one to be struck.
  bool strikes(Fault fault) {
    if (fault != fault_ || left_ == 0) return false;
    if (--left_ > 0) return false;
    struck_ = true;
    return true;
  }
  bool struck() const { return struck_; }

 private:
  Fault fault_ = Fault::none;
  uint64_t left_ = 0;
  bool struck_ = false;
};

/// A store that fails as planned. One that is slow lets two turns pass before it answers; what it
/// has not answered is lost in a crash.
class FaultyStore final : public Store {
 public:
  FaultyStore(Store& store, FaultPlan& plan, bool slow) : store_(store), plan_(plan), slow_(slow) {}
  Outcome<std::vector<StoredRun>> load(std::span<const RunId> ids,
                                       uint64_t checkpoint_before = UINT64_MAX) override;
  Outcome<std::vector<StoredJob>> load_jobs(std::span<const JobId> ids) override;
  Outcome<OpenJobsPage> open_jobs(uint64_t after, size_t limit) override;
  Outcome<std::vector<StoredSchedule>> load_schedules(std::span<const schedule::Key> keys) override;
  Outcome<OpenSchedulesPage> open_schedules(uint64_t after, size_t limit) override;
  Outcome<PendingDeliveryPage> pending_deliveries(uint64_t after, size_t limit) override {
    return store_.pending_deliveries(after, limit);
  }
  Outcome<std::vector<Delivery>> load_deliveries(std::span<const std::string> ids) override {
    return store_.load_deliveries(ids);
  }
  Outcome<std::vector<fleet::RegistrationRecord>> registrations() override {
    return store_.registrations();
  }
  Outcome<std::vector<AccountSpent>> spent_on(int64_t day) override { return store_.spent_on(day); }
  Outcome<std::vector<std::optional<SignalRecord>>> load_signals(
      std::span<const SignalKey> keys) override {
    return store_.load_signals(keys);
  }
  Outcome<Windowed> signals_in(const SignalWindow& window, uint64_t after, size_t limit) override {
    return store_.signals_in(window, after, limit);
  }
  Outcome<OpenSignals> open_signals(uint64_t after, size_t limit) override {
    return store_.open_signals(after, limit);
  }
  Outcome<std::vector<std::pair<AccountId, uint64_t>>> counted_waits() override {
    return store_.counted_waits();
  }
  Outcome<std::vector<WaitRecord>> limited_waits(size_t after, size_t limit) override {
    return store_.limited_waits(after, limit);
  }
  Outcome<std::vector<RunId>> runs_of_other_zones(const std::string& version, const RunId& after,
                                                  size_t limit) override {
    return store_.runs_of_other_zones(version, after, limit);
  }
  Outcome<std::vector<WaitRecord>> listening_waits(size_t after, size_t limit) override {
    return store_.listening_waits(after, limit);
  }
  Outcome<std::vector<WaitRecord>> ended_listeners(const Signal& signal, Instant since,
                                                   size_t limit) override {
    return store_.ended_listeners(signal, since, limit);
  }
  Outcome<std::vector<RunId>> live_runs_with(const AccountId& account, const std::string& label_key,
                                             const std::string& label_value, size_t limit) override;
  Outcome<PassedPage> passed(Instant since, uint64_t after, size_t limit) override {
    return store_.passed(since, after, limit);
  }
  std::vector<CommitOutcome> commit(const CommitBatch& batch) override;
  void submit(CommitBatch batch) override;
  std::optional<CommitAnswer> harvest() override;
  Outcome<PendingPage> pending(uint64_t after, size_t limit) override;

  bool in_flight() const { return batch_.has_value(); }
  void crashed() { batch_.reset(); }

 private:
  Store& store_;
  FaultPlan& plan_;
  const bool slow_;
  std::optional<CommitBatch> batch_;
  int asked_ = 0;  ///< for the answer to the batch under way
};

}  // namespace fermata::scenario
