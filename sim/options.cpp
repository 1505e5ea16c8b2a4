#include "sim/options.h"

#include <charconv>

#include "sim/workloads/workload.h"

namespace fermata::sim {

const char* const usage_text =
    "Usage: fermata_simulator [OPTIONS]\n"
    "\n"
    "Runs the engine in a world that loses, repeats, delays and dies, one world per seed.\n"
    "\n"
    "  --seeds N         how many seeds to run (1000)\n"
    "  --from S          the first of them (1)\n"
    "  --seed S          replay one seed and print what happens in it\n"
    "  --workload NAME   only this workload; without it seeds are spread over all\n"
    "  --jobs N          threads (2)\n"
    "  --kept [FILE]     replay the seeds that once failed (sim/seeds/kept.txt)\n"
    "  --sabotage WHAT   break a promise: version_check, dedup, sweep, durability,\n"
    "                    together, fence, policy, scan, letters\n"
    "  --self-test       show that each sabotage is noticed within a few seeds\n"
    "\n"
    "Examples:\n"
    "  ./dev sim --seeds 5000\n"
    "  ./dev sim --seed 17 --workload graphs\n";

namespace {

bool read_number(const std::string& text, uint64_t& number) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

std::optional<Sabotage> sabotage_of(const std::string& name) {
  if (name == "version_check") return Sabotage::version_check;
  if (name == "dedup") return Sabotage::dedup;
  if (name == "sweep") return Sabotage::sweep;
  if (name == "durability") return Sabotage::durability;
  if (name == "together") return Sabotage::together;
  if (name == "fence") return Sabotage::fence;
  if (name == "policy") return Sabotage::policy;
  if (name == "scan") return Sabotage::scan;
  if (name == "letters") return Sabotage::letters;
  return std::nullopt;
}

/// Takes one option with its value; false when it is not understood.
bool take(Options& options, const std::string& name, const std::string& value) {
  uint64_t number = 0;
  if (name == "--workload") {
    options.workload = value;
    return workload_named(value) != nullptr;
  }
  if (name == "--sabotage") {
    auto sabotage = sabotage_of(value);
    if (sabotage) options.sabotage = *sabotage;
    return sabotage.has_value();
  }
  if (!read_number(value, number)) return false;
  if (name == "--seeds") options.seeds = number;
  if (name == "--from") options.from = number;
  if (name == "--seed") options.seed = number;
  if (name == "--jobs") options.jobs = static_cast<unsigned>(number == 0 ? 1 : number);
  return name == "--seeds" || name == "--from" || name == "--seed" || name == "--jobs";
}

}  // namespace

std::optional<Options> read_options(int argc, char** argv, std::string& mistake) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    std::string name = argv[i];
    bool more = i + 1 < argc && std::string(argv[i + 1]).rfind("--", 0) != 0;
    if (name == "--help" || name == "-h") {
      options.help = true;
    } else if (name == "--self-test") {
      options.self_test = true;
    } else if (name == "--kept") {
      options.kept = more ? argv[++i] : "sim/seeds/kept.txt";
    } else if (!more) {
      mistake = name + " is not known or needs a value";
      return std::nullopt;
    } else if (std::string value = argv[++i]; !take(options, name, value)) {
      mistake = name + " " + value + " is not understood";
      return std::nullopt;
    }
  }
  return options;
}

}  // namespace fermata::sim
