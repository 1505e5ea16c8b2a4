#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "adapters/system/memory.h"
#include "bench/cluster.h"
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
     {[] { measure_job_throughput(machine_limits); }, measure_single_submits, measure_delivery,
      measure_queue, measure_idle_workers, measure_placement, measure_decisions, measure_scans}},
    {"waits", {measure_many_waits, measure_resumes, measure_wait_herd, measure_listeners}},
    {"cluster",
     {measure_cluster_limits, measure_cluster_transitions, measure_cluster_runs,
      measure_cluster_timers, measure_cluster_jobs, measure_cluster_replicas}},
};

int usage() {
  std::fprintf(stderr,
               "usage: fermata_bench [core|flow|jobs|waits|cluster] [--only LETTERS] [--enforce] "
               "[--keep FILE] [--against FILE]\n");
  return 2;
}

/// Ratios to the limit need it measured. In the suite `core` that is a part of its own.
bool needs_limit(const Suite& suite, const std::string& only) {
  std::string related = suite.name == "core" ? "bd" : suite.name == "jobs" ? "abcd" : "";
  return only.find_first_of(related) != std::string::npos;
}

/// What the program ends with.
int conclude(bool enforce, const std::string& keep, const std::string& against) {
  std::printf("\n%d floors missed\n", floors_missed());
  bool failed = enforce && floors_missed() > 0;
  if (!against.empty()) {
    int worse = worse_than_kept(against);
    if (worse < 0) std::fprintf(stderr, "bench: %s cannot be read\n", against.c_str());
    failed = failed || worse != 0;
  }
  if (broken_measurements() > 0) {
    std::printf("%d measurements were not of what they name\n", broken_measurements());
    failed = true;
  }
  // What is worse or broken is not what others are held against.
  if (!keep.empty() && !failed && !keep_figures(keep)) {
    std::fprintf(stderr, "bench: %s cannot be written\n", keep.c_str());
    failed = true;
  }
  return failed ? 1 : 0;
}

}  // namespace

}  // namespace fermata::bench

/// `fermata_bench [core|flow|jobs|waits|cluster] [--only LETTERS] [--enforce] [--keep FILE]
/// [--against FILE]`: measures in one run, on one disk, and prints ratios to what the machine
/// itself can do. With --enforce a missed floor is exit code 1, with --against a figure worse than
/// 1.2 times the one that --keep has written there; a measurement that did not measure what it
/// was meant to always is. `fermata_bench worker PORT` is the other end of some of it.
int main(int argc, char** argv) {
  using namespace fermata::bench;
  if (argc == 3 && std::string(argv[1]) == "worker")
    return serve_jobs(static_cast<uint16_t>(std::atoi(argv[2])));
  fermata::keep_freed_memory();
  const Suite* suite = &suites[0];
  std::string only = "abcdefgh";
  std::string keep, against;
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
    } else if (word == "--keep" && i + 1 < argc) {
      keep = argv[++i];
    } else if (word == "--against" && i + 1 < argc) {
      against = argv[++i];
    } else {
      return usage();
    }
  }
  if (needs_limit(*suite, only)) {
    if (suite->name == "core") {
      only += 'a';
    } else {
      machine_limits = measure_limits();
    }
  }
  for (size_t i = 0; i < suite->parts.size(); ++i)
    if (only.find(static_cast<char>('a' + i)) != std::string::npos) suite->parts[i]();
  return conclude(enforce, keep, against);
}
