#pragma once
#include <cstdint>
#include <string>

#include "base/error.h"

namespace fermata {

/// A cursor of a list that pages by a growing number. Clients must treat it as opaque.
std::string cursor_of(uint64_t number);
/// The number in a cursor, `if_empty` for the first page; fails with invalid_query otherwise.
Outcome<uint64_t> cursor_number(const std::string& cursor, uint64_t if_empty);

}  // namespace fermata
