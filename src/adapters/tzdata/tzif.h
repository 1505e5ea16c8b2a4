#pragma once
#include <string>
#include <string_view>

#include "core/wait/zone.h"

namespace fermata {

/// A compiled zone is a few kilobytes.
constexpr size_t tzif_bytes_max = 256 * 1024;

/// Reads a compiled zone (TZif versions 1 to 4, RFC 9636). Bytes that are none, contradict
/// themselves or count leap seconds fail with the reason; whatever the bytes are, nothing outside
/// of them is read.
Result<Zone, std::string> read_tzif(std::string_view bytes);

}  // namespace fermata
