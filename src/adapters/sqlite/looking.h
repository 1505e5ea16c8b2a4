#pragma once
#include "adapters/sqlite/database.h"

namespace fermata::sqlite {

/// A connection that only looks at the store of a directory, beside its server or without one.
/// Where no server uses it, the log is checked first; a disk that cannot be written is read as it
/// is. Fails with data_damaged, schema_newer or io_failed.
Outcome<std::unique_ptr<Database>> open_to_look(const std::filesystem::path& directory);

}  // namespace fermata::sqlite
