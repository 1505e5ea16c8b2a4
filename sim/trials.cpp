#include <cstdio>
#include <fstream>
#include <sstream>

#include "sim/campaign.h"

namespace fermata::sim {

namespace {

constexpr uint64_t sabotage_seeds_max = 30;

struct Case {
  Sabotage sabotage;
  const char* name;
  const char* workload = nullptr;  ///< the one that needs what is broken; none: all in turn
};
constexpr Case cases[] = {{Sabotage::version_check, "version_check"},
                          {Sabotage::dedup, "dedup"},
                          {Sabotage::sweep, "sweep"},
                          {Sabotage::durability, "durability"},
                          {Sabotage::together, "together", "children"},
                          {Sabotage::together, "together", "sagas"},
                          {Sabotage::fence, "fence", "jobs"},
                          {Sabotage::policy, "policy", "governed"},
                          {Sabotage::scan, "scan", "scanned"},
                          {Sabotage::letters, "letters", "governed"}};

}  // namespace

int self_test(const Options& options) {
  int failed = 0;
  for (const Case& one : cases) {
    uint64_t seed = options.from;
    std::string reason;
    for (; reason.empty() && seed < options.from + sabotage_seeds_max; ++seed) {
      const WorkloadEntry& workload =
          one.workload ? *workload_named(one.workload) : workload_of(seed, options);
      SeedReport report = play_seed(seed, workload, one.sabotage, false);
      if (report.violation) reason = *report.violation;
    }
    if (reason.empty()) {
      std::printf("sabotage %s: not noticed in %llu seeds\n", one.name,
                  static_cast<unsigned long long>(sabotage_seeds_max));
      ++failed;
      continue;
    }
    std::printf("sabotage %s: noticed by seed %llu: %s\n", one.name,
                static_cast<unsigned long long>(seed - 1),
                reason.substr(0, reason.find('\n')).c_str());
  }
  return failed > 0 ? 1 : 0;
}

int replay_kept(const Options& options) {
  std::ifstream file(*options.kept);
  if (!file) {
    std::printf("cannot read %s\n", options.kept->c_str());
    return 2;
  }
  Totals totals;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line.substr(0, line.find('#')));
    std::string name;
    uint64_t seed = 0;
    if (!(words >> name >> seed)) continue;
    const WorkloadEntry* workload = workload_named(name);
    if (!workload) {
      std::printf("%s names the workload %s, which there is not\n", options.kept->c_str(),
                  name.c_str());
      return 2;
    }
    SeedReport report = play_seed(seed, *workload, options.sabotage, false);
    totals.add(report);
    if (report.violation) print_failure(seed, name, *report.violation);
  }
  std::printf("%llu kept seeds, %llu failed\n", static_cast<unsigned long long>(totals.seeds),
              static_cast<unsigned long long>(totals.failed));
  return totals.failed > 0 ? 1 : 0;
}

}  // namespace fermata::sim
