#include "sim/workloads/registry.h"

#include <array>

namespace fermata::sim {

namespace {

constexpr std::array entries = {
#define WORKLOAD(name) WorkloadEntry{#name, make_##name},
#include "sim/workloads/workloads.def"
#undef WORKLOAD
};

}  // namespace

std::span<const WorkloadEntry> workloads() { return entries; }

const WorkloadEntry* workload_named(std::string_view name) {
  for (const WorkloadEntry& entry : entries)
    if (entry.name == name) return &entry;
  return nullptr;
}

void expect(bool holds, const std::string& reason) {
  if (!holds) throw Violation{reason};
}

}  // namespace fermata::sim
