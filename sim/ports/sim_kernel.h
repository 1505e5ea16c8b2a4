#pragma once
#include <functional>
#include <map>

#include "ports/policy_kernel.h"
#include "sim/chaos.h"
#include "sim/ports/sim_clock.h"

namespace fermata::sim {

/// The policy kernel outside: it outlives every crash of the engine, and has its own.
struct KernelOutside {
  bool up = true;
  int64_t generation = 1;  ///< of its policy
  /// What it says under that generation; set by the workload that uses it.
  std::function<job::Verdict(const PolicyQuestion&, int64_t generation)> judge{};
  uint64_t asked = 0;

  std::string snapshot() const { return "k" + std::to_string(generation); }
};

/// Questions of one process. Answers come late, twice, in another order, unintelligible or not at
/// all. No episode of a breaker is probed more often than it has tickets (J-31).
class SimKernel final : public PolicyKernel {
 public:
  SimKernel(Chaos& chaos, const SimClock& clock, KernelOutside& outside)
      : chaos_(chaos), clock_(clock), outside_(outside) {}

  void submit(PolicyQuestion question) override;
  std::vector<PolicyAnswer> harvest() override;
  /// When the next answer comes, in true time.
  std::optional<Instant> next() const;

 private:
  PolicyAnswer answer_to(const PolicyQuestion& question);
  Instant arrival();

  Chaos& chaos_;
  const SimClock& clock_;
  KernelOutside& outside_;
  std::multimap<Instant, PolicyAnswer> coming_;  ///< by true time
  std::map<int64_t, int64_t> probes_;            ///< by episode
};

}  // namespace fermata::sim
