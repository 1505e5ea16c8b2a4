#pragma once
#include "sim/workloads/workload.h"

namespace fermata::sim {

// One file each.
#define WORKLOAD(name) std::unique_ptr<Workload> make_##name();
#include "sim/workloads/workloads.def"
#undef WORKLOAD

}  // namespace fermata::sim
