#pragma once
#include <map>
#include <set>

#include "test/scenario/world.h"

namespace fermata::scenario {

/// A worker as it should be: repeats what was not answered, registers again when it is not known
/// any more, and has an effect once per idempotency key.
class SteadyWorker {
 public:
  /// What it reports for a job that it was given.
  using Work = std::function<job::Report(const Value& delivered)>;
  SteadyWorker(World& world, Work work) : world_(world), work_(std::move(work)) {}

  static job::Report success(Value output = Value::object({{"ok", true}}));
  static job::Report failure(job::AttemptOutcome how);

  /// Claims once and reports all that it holds.
  void round();
  /// Rounds, a second apart, until it holds or has not for long.
  bool work_until(const std::function<bool()>& holds);

  /// Topics in the order of their first effect.
  const std::vector<std::string>& effects() const { return effects_; }
  const std::set<std::string>& keys() const { return keys_; }
  size_t deliveries() const { return deliveries_; }

 private:
  struct Held {
    uint32_t attempt = 0;
    uint64_t fence = 0;
    job::Report report;
  };
  void enroll();
  void claim();
  void take(const Value& delivered);
  void report();

  World& world_;
  const Work work_;
  RegistrationId registration_;
  bool registered_ = false;
  int registrations_ = 0;
  uint64_t seq_ = 0;
  bool answered_ = true;  ///< the latest claim was
  std::map<std::string, Held> held_;
  std::vector<std::string> effects_;
  std::set<std::string> keys_;
  size_t deliveries_ = 0;
};

}  // namespace fermata::scenario
