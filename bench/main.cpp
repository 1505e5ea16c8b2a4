#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "adapters/system/memory.h"
#include "bench/engine.h"
#include "bench/flow.h"
#include "bench/jobs.h"
#include "bench/waits.h"
#include "bench/worker.h"

namespace fermata::bench {

namespace {

/// What is measured under one name, each part under a letter, in this order.
struct Suite {
  std::string name;
  std::vector<void (*)()> parts;
};

Limits machine_limits;

const Suite suites[] = {
    {"core",
     {[] { machine_limits = measure_limits(); }, [] { measure_transitions(machine_limits); },
      [] { measure_runs(machine_limits); }, [] { measure_latency(machine_limits); }, measure_timers,
      measure_split, measure_restart, measure_long_history}},
    {"flow",
     {measure_language, measure_parking, measure_snapshots, measure_tasks, measure_fan_out,
      measure_parked_scripts, measure_delays}},
    {"jobs",
     {measure_job_throughput, measure_single_submits, measure_delivery, measure_queue,
      measure_idle_workers, measure_placement, measure_decisions, measure_scans}},
    {"waits", {measure_many_waits, measure_resumes, measure_wait_herd, measure_listeners}},
};

int usage() {
  std::fprintf(stderr,
               "usage: fermata_bench [core|flow|jobs|waits] [--only LETTERS] [--enforce]\n");
  return 2;
}

/// Ratios to the limit need it measured.
bool needs_limit(const Suite& suite, const std::string& only) {
  return suite.name == "core" && only.find_first_of("bd") != std::string::npos;
}

}  // namespace

}  // namespace fermata::bench

/// `fermata_bench [core|flow|jobs|waits] [--only LETTERS] [--enforce]`: measures in one run, on one
/// disk, and prints ratios to what the machine itself can do. With --enforce a missed floor is exit
/// code
/// 1. `fermata_bench worker PORT` is the other end of some of it.
int main(int argc, char** argv) {
  using namespace fermata::bench;
  if (argc == 3 && std::string(argv[1]) == "worker")
    return serve_jobs(static_cast<uint16_t>(std::atoi(argv[2])));
  fermata::keep_freed_memory();
  const Suite* suite = &suites[0];
  std::string only = "abcdefgh";
  bool enforce = false;
  for (int i = 1; i < argc; ++i) {
    std::string word = argv[i];
    const Suite* named = nullptr;
    for (const Suite& one : suites)
      if (one.name == word) named = &one;
    if (named) {
      suite = named;
    } else if (word == "--enforce") {
      enforce = true;
    } else if (word == "--only" && i + 1 < argc) {
      only = argv[++i];
    } else {
      return usage();
    }
  }
  if (needs_limit(*suite, only)) only += 'a';
  for (size_t i = 0; i < suite->parts.size(); ++i)
    if (only.find(static_cast<char>('a' + i)) != std::string::npos) suite->parts[i]();
  std::printf("\n%d floors missed\n", floors_missed());
  return enforce && floors_missed() > 0 ? 1 : 0;
}
