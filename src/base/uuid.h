#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "base/time.h"

namespace fermata {

/// Time-ordered UUID (version 7) from an instant and 74 bits of entropy.
std::string uuid_v7(Instant at, uint64_t entropy_high, uint64_t entropy_low);
/// Name-based UUID (version 5, OID namespace): the same name gives the same id.
std::string uuid_v5(std::string_view name);
/// Random UUID (version 4).
std::string uuid_v4(uint64_t entropy_high, uint64_t entropy_low);
bool is_uuid(std::string_view text);

}  // namespace fermata
