#pragma once
#include <cstddef>

namespace fermata::bench {

/// Serves a whole server in this process and starts runs over keep-alive connections from a second
/// thread; gives completed runs per second.
double http_runs_per_second(const char* graph, size_t connections, size_t total);

}  // namespace fermata::bench
