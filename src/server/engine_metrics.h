#pragma once
#include <string>

#include "host/host.h"

namespace fermata::server {

/// What the engine and its store do: commits, conflicts, timers (C-109).
std::string engine_metrics(const HostCounters& counters);

}  // namespace fermata::server
