#pragma once
#include "bench/engine.h"
#include "core/policy/policy_set.h"

namespace fermata::bench {

// `./dev bench jobs` (J-95 to J-97).
void measure_job_throughput(const Limits& limits);
void measure_single_submits();
void measure_delivery();
void measure_queue();
void measure_idle_workers();
void measure_placement();
void measure_decisions();
void measure_scans();

/// A policy of so many rules, the last of which lets jobs of the topic `noop` pass.
policy::PolicyPtr policy_of(size_t count);
/// Puts one of fifty rules into force.
void govern(Engine& engine);

}  // namespace fermata::bench
