#pragma once
#include "base/random.h"
#include "sim/fault.h"
#include "sim/trace.h"

namespace fermata::sim {

/// What goes wrong in one seed, and the dice that say when. Some seeds are calm, some have one
/// crash at one port call, most have a handful of faults at different rates.
class Chaos {
 public:
  Chaos(uint64_t seed, const Trace& trace);

  /// True when the fault happens now; then it is counted.
  bool strikes(Fault fault);
  /// Stands at every port call: the process may die here.
  void port_call(std::string_view where);
  /// No more faults from now on.
  void heal() { healed_ = true; }
  bool healed() const { return healed_; }
  bool calm() const { return calm_; }
  void forbid(Fault fault) { rates_[static_cast<size_t>(fault)] = 0; }
  /// A workload that lives on a fault asks for it.
  void demand(Fault fault, double rate);

  Random& dice() { return dice_; }
  /// Uniform in [least, most].
  int64_t between(int64_t least, int64_t most);
  const FaultCounts& counts() const { return counts_; }

 private:
  const Trace& trace_;
  Random dice_;
  std::array<double, fault_count> rates_{};
  FaultCounts counts_{};
  uint64_t port_calls_ = 0;
  uint64_t crash_at_call_ = 0;  ///< 0: none
  bool calm_ = false;
  bool healed_ = false;
};

}  // namespace fermata::sim
