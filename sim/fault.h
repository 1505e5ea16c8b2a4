#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

/// What the simulator is made of at the bottom: faults, crashes, violations.
namespace fermata::sim {

enum class Fault : uint8_t {
#define FAULT(name, rate) name,
#include "sim/faults.def"
#undef FAULT
  count
};
constexpr size_t fault_count = static_cast<size_t>(Fault::count);
std::string_view name_of(Fault fault);
using FaultCounts = std::array<uint64_t, fault_count>;

/// Rare branches that a campaign must have reached (FoundationDB's CODE_PROBE).
enum class Probe : uint8_t {
#define PROBE(name) name,
#include "sim/probes.def"
#undef PROBE
  count
};
constexpr size_t probe_count = static_cast<size_t>(Probe::count);
std::string_view name_of(Probe probe);
using ProbeCounts = std::array<uint64_t, probe_count>;

/// Which promise of the ports is broken on purpose, to show that the simulator notices.
enum class Sabotage : uint8_t {
  none,
  version_check,
  dedup,
  sweep,
  durability,
  together,
  fence,
  policy,  ///< the engine does not hear of a policy that replaces another
  scan,    ///< what nobody has read is said to be harmless
  letters  ///< dead letters are not kept
};

/// Thrown out of a port: the process is gone, only the store and the outside world remain.
struct SimCrash {};

/// Thrown by an auditor: something happened that must not.
struct Violation {
  std::string reason;
};

}  // namespace fermata::sim
