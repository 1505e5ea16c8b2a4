#pragma once
#include <memory>
#include <span>
#include <string_view>

#include "sim/world.h"

namespace fermata::sim {

/// Something that users of the engine do, and what must have come out in the end whatever went
/// wrong in between.
class Workload {
 public:
  virtual ~Workload() = default;
  /// Sends the first requests; may set limits.
  virtual void prepare(World& world) = 0;
  /// After every turn.
  virtual void watch(World&) {}
  /// When somebody of the workload wants to act next, in true time.
  virtual std::optional<Instant> next() const { return std::nullopt; }
  /// False while it has not got all that it wants.
  virtual bool idle() const { return true; }
  /// When every run has ended.
  virtual void judge(World& world) = 0;
};

struct WorkloadEntry {
  std::string_view name;
  std::unique_ptr<Workload> (*make)();
};
std::span<const WorkloadEntry> workloads();
const WorkloadEntry* workload_named(std::string_view name);

/// Fails the seed with a reason when the condition does not hold.
void expect(bool holds, const std::string& reason);

}  // namespace fermata::sim
