#pragma once
#include "sim/options.h"
#include "sim/workloads/workload.h"

namespace fermata::sim {

/// Sums over the seeds of a campaign.
struct Totals {
  uint64_t seeds = 0;
  uint64_t failed = 0;
  SeedReport sum;
  void add(const SeedReport& report);
};

/// The workload a seed plays when none is named.
const WorkloadEntry& workload_of(uint64_t seed, const Options& options);
/// Plays one seed to its end.
SeedReport play_seed(uint64_t seed, const WorkloadEntry& workload, Sabotage sabotage, bool tracing);
void print_failure(uint64_t seed, std::string_view workload, const std::string& reason);

/// Plays a range of seeds on several threads; stops early after a few failures. The exit code.
int run_campaign(const Options& options);
/// Replays one seed with a trace.
int replay(const Options& options);
/// Replays every seed of the file.
int replay_kept(const Options& options);
/// Each sabotage must be noticed within a few seeds.
int self_test(const Options& options);

}  // namespace fermata::sim
