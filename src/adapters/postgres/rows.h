#pragma once
#include <string_view>

#include "base/error.h"

namespace fermata::postgres {

/// The number that a record is sealed with: no other row of any table has the same.
uint64_t salt_of(std::string_view table, std::string_view key);

/// The failure that names a damaged row.
Failure<Error> damaged_row(std::string_view table, std::string_view key, std::string_view what);

}  // namespace fermata::postgres
