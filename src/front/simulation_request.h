#pragma once
#include <optional>
#include <string>

#include "core/trial/plan.h"

namespace fermata::front {

/// Limits of what one simulation may be asked for (U-47).
struct SimulationLimits {
  static constexpr uint64_t seeds_max = 10'000;
  static constexpr int64_t horizon_ms_min = 86'400'000;
  static constexpr int64_t horizon_ms_max = int64_t{3'653} * 86'400'000;
  static constexpr size_t rules_max = 100;
  static constexpr size_t promises_max = 20;
};

/// The body of `POST /simulations`, read and checked. The definition and what the server gives are
/// filled in by the caller.
struct SimulationRequest {
  std::string name;
  std::string workflow;  ///< empty: a draft
  std::optional<uint32_t> version;
  Value definition;  ///< of a draft, or null
  std::string contact_id;
  std::optional<Instant> start_at;
  uint64_t seeds = 100;
  uint64_t first_seed = 1;
  trial::Plan plan;
};

/// Fails with `invalid_field` or `unknown_field`, one finding for every bad field.
Outcome<SimulationRequest> read_simulation(const Value& body);

}  // namespace fermata::front
