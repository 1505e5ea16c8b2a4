#include "sim/chaos.h"

#include <iterator>

namespace fermata::sim {

namespace {

constexpr std::string_view fault_names[] = {
#define FAULT(name, rate) #name,
#include "sim/faults.def"
#undef FAULT
};
constexpr double highest_rates[] = {
#define FAULT(name, rate) rate,
#include "sim/faults.def"
#undef FAULT
};
constexpr std::string_view probe_names[] = {
#define PROBE(name) #name,
#include "sim/probes.def"
#undef PROBE
};
constexpr uint64_t single_crash_call_max = 150;

}  // namespace

std::string_view name_of(Fault fault) { return fault_names[static_cast<size_t>(fault)]; }
std::string_view name_of(Probe probe) { return probe_names[static_cast<size_t>(probe)]; }

Chaos::Chaos(uint64_t seed, const Trace& trace)
    // The generator steps by a constant, so neighbouring seeds must not begin neighbouring streams.
    : trace_(trace), dice_(Random(seed).next()) {
  uint64_t kind = dice_.below(16);
  if (kind == 0) {
    calm_ = true;
    return;
  }
  if (kind <= 2) {
    // As SQLite's fault loops do it, spread over the seeds: one crash, at any one call.
    crash_at_call_ = 1 + dice_.below(single_crash_call_max);
    return;
  }
  for (size_t i = 0; i < fault_count; ++i) {
    if (highest_rates[i] == 0) continue;  // demanded, or never
    bool on = dice_.chance(0.4);
    double part = dice_.fraction();
    // Mostly rare, so that runs also get somewhere.
    if (on) rates_[i] = highest_rates[i] * part * part;
  }
}

void Chaos::demand(Fault fault, double rate) {
  if (!calm_) rates_[static_cast<size_t>(fault)] = rate;
}

bool Chaos::strikes(Fault fault) {
  double rate = rates_[static_cast<size_t>(fault)];
  if (healed_ || rate == 0 || !dice_.chance(rate)) return false;
  ++counts_[static_cast<size_t>(fault)];
  trace_.line("  fault ", name_of(fault));
  return true;
}

void Chaos::port_call(std::string_view where) {
  ++port_calls_;
  bool single = port_calls_ == crash_at_call_ && !healed_;
  if (single) ++counts_[static_cast<size_t>(Fault::crash)];
  if (!single && !strikes(Fault::crash)) return;
  trace_.line("  crash at ", where);
  throw SimCrash{};
}

int64_t Chaos::between(int64_t least, int64_t most) {
  return least + static_cast<int64_t>(dice_.below(static_cast<uint64_t>(most - least + 1)));
}

}  // namespace fermata::sim
