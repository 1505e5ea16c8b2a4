#include "sim/campaign.h"

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <thread>

#include <unistd.h>

namespace fermata::sim {

namespace {

constexpr uint64_t failures_shown_max = 5;
/// Fewer seeds than this need not reach every probe.
constexpr uint64_t probes_demanded_from = 5'000;
constexpr int stuck_seconds_max = 120;

/// What a thread plays, for the line a dying process still has to print.
struct Playing {
  char text[128] = {};
};
thread_local Playing playing;
std::atomic<uint64_t> finished_seeds{0};

void died(int number) {
  constexpr char head[] = "\nfailed: the engine died\n";
  (void)!write(STDOUT_FILENO, head, sizeof head - 1);
  (void)!write(STDOUT_FILENO, playing.text, std::strlen(playing.text));
  std::signal(number, SIG_DFL);
  std::raise(number);
}

std::string replay_line(uint64_t seed, std::string_view workload) {
  return "replay: ./dev sim --seed " + std::to_string(seed) + " --workload " +
         std::string(workload);
}

std::string listed_faults(const FaultCounts& counts) {
  std::string text;
  for (size_t i = 0; i < fault_count; ++i)
    if (counts[i] > 0)
      text += " " + std::string(name_of(static_cast<Fault>(i))) + " " + std::to_string(counts[i]);
  return text.empty() ? " none" : text;
}

std::string missing_probes(const ProbeCounts& counts) {
  std::string text;
  for (size_t i = 0; i < probe_count; ++i)
    if (counts[i] == 0) text += " " + std::string(name_of(static_cast<Probe>(i)));
  return text;
}

size_t reached_probes(const ProbeCounts& counts) {
  size_t reached = 0;
  for (uint64_t count : counts) reached += count > 0 ? 1 : 0;
  return reached;
}

void print_totals(const Totals& totals, double seconds) {
  std::printf(
      "%llu seeds, %llu failed, %llu runs, %llu turns, %llu commits, %llu crashes, "
      "%llu conflicts; faults:%s; probes reached: %zu of %zu; %.1f s\n",
      static_cast<unsigned long long>(totals.seeds), static_cast<unsigned long long>(totals.failed),
      static_cast<unsigned long long>(totals.sum.runs),
      static_cast<unsigned long long>(totals.sum.turns),
      static_cast<unsigned long long>(totals.sum.commits),
      static_cast<unsigned long long>(totals.sum.crashes),
      static_cast<unsigned long long>(totals.sum.conflicts),
      listed_faults(totals.sum.faults).c_str(), reached_probes(totals.sum.probes), probe_count,
      seconds);
}

/// Takes seeds until there are no more, on one of several threads.
struct Crew {
  explicit Crew(const Options& given) : options(given), playing_now(given.jobs) {}

  const Options& options;
  std::atomic<uint64_t> next{0};
  std::vector<std::atomic<uint64_t>> playing_now;  ///< per thread: its seed
  std::mutex mutex;
  Totals totals;

  void work(size_t thread) {
    for (;;) {
      uint64_t index = next.fetch_add(1);
      if (index >= options.seeds) return;
      uint64_t seed = options.from + index;
      playing_now[thread] = seed;
      const WorkloadEntry& workload = workload_of(seed, options);
      SeedReport report = play_seed(seed, workload, options.sabotage, false);
      std::lock_guard lock(mutex);
      totals.add(report);
      if (!report.violation) continue;
      print_failure(seed, workload.name, *report.violation);
      if (totals.failed >= failures_shown_max) next = options.seeds;
    }
  }
};

/// A seed that never returns is a failure too: names what every thread plays, then ends.
void watch_for_standstill(const Crew& crew, const std::atomic<bool>& over) {
  uint64_t last = 0;
  int seconds = 0;
  while (!over) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    uint64_t now = finished_seeds;
    seconds = now == last ? seconds + 1 : 0;
    last = now;
    if (seconds < stuck_seconds_max * 10) continue;
    std::printf("failed: no seed has ended for %d s\n", stuck_seconds_max);
    for (uint64_t seed : crew.playing_now)
      std::printf("%s\n", replay_line(seed, workload_of(seed, crew.options).name).c_str());
    std::fflush(stdout);
    std::_Exit(1);
  }
}

}  // namespace

void Totals::add(const SeedReport& report) {
  ++seeds;
  if (report.violation) ++failed;
  sum.turns += report.turns;
  sum.commits += report.commits;
  sum.crashes += report.crashes;
  sum.conflicts += report.conflicts;
  sum.runs += report.runs;
  for (size_t i = 0; i < fault_count; ++i) sum.faults[i] += report.faults[i];
  for (size_t i = 0; i < probe_count; ++i) sum.probes[i] += report.probes[i];
}

const WorkloadEntry& workload_of(uint64_t seed, const Options& options) {
  if (const WorkloadEntry* named = workload_named(options.workload)) return *named;
  return workloads()[seed % workloads().size()];
}

void print_failure(uint64_t seed, std::string_view workload, const std::string& reason) {
  std::printf("failed: %s\n%s\n", reason.c_str(), replay_line(seed, workload).c_str());
  std::fflush(stdout);
}

SeedReport play_seed(uint64_t seed, const WorkloadEntry& workload, Sabotage sabotage,
                     bool tracing) {
  std::snprintf(playing.text, sizeof playing.text, "%s\n",
                replay_line(seed, workload.name).c_str());
  for (int number : {SIGABRT, SIGSEGV, SIGFPE, SIGBUS}) std::signal(number, died);
  World world(seed, sabotage, tracing);
  std::unique_ptr<Workload> played = workload.make();
  SeedReport report = world.run(*played);
  ++finished_seeds;
  return report;
}

int run_campaign(const Options& options) {
  auto begun = std::chrono::steady_clock::now();
  Crew crew(options);
  std::atomic<bool> over = false;
  std::thread watcher([&] { watch_for_standstill(crew, over); });
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < options.jobs; ++i) threads.emplace_back([&crew, i] { crew.work(i); });
  for (std::thread& thread : threads) thread.join();
  over = true;
  watcher.join();
  std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
  print_totals(crew.totals, took.count());
  if (crew.totals.failed > 0) return 1;
  bool whole = options.workload.empty() && options.seeds >= probes_demanded_from;
  std::string missing = missing_probes(crew.totals.sum.probes);
  if (!missing.empty()) std::printf("not reached:%s\n", missing.c_str());
  return whole && !missing.empty() ? 1 : 0;
}

int replay(const Options& options) {
  const WorkloadEntry& workload = workload_of(*options.seed, options);
  SeedReport report = play_seed(*options.seed, workload, options.sabotage, true);
  if (report.violation) print_failure(*options.seed, workload.name, *report.violation);
  Totals totals;
  totals.add(report);
  print_totals(totals, 0);
  return report.violation ? 1 : 0;
}

}  // namespace fermata::sim
