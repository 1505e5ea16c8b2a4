#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"

namespace fermata::flow {

/// `1d12h` as everywhere, or ISO 8601 as in `PT30M` (F-32). A day is 24 h.
std::optional<Duration> read_duration(std::string_view text);

/// The largest units first: `1d12h`, `1m30s`, `250ms`; `0ms` for nothing.
std::string format_duration(Duration duration);

}  // namespace fermata::flow
