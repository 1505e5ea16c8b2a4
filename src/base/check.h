#pragma once
#include <source_location>

namespace fermata {

/// Ends the process with file and line when a programmer's assumption is broken. On in release
/// builds. Bad input, full disks and lost connections are values (`Result`), never checks.
[[noreturn]] void check_failed(std::source_location where);

inline void check(bool holds, std::source_location where = std::source_location::current()) {
  if (!holds) [[unlikely]]
    check_failed(where);
}

}  // namespace fermata
