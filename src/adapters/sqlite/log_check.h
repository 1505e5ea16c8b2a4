#pragma once
#include <filesystem>

#include "base/error.h"

namespace fermata::sqlite {

/// The log of a database file, and the log's index.
std::filesystem::path log_of(const std::filesystem::path& file);
std::filesystem::path log_index_of(const std::filesystem::path& file);

/// Looks through the log that a crash has left beside a database file, before SQLite does. SQLite
/// takes the first frame that does not match its checksum for the torn end of the last transaction
/// and drops it and all after it without a word. That is right only if none of it was committed.
/// It was when a further transaction stands behind it, for that is written after the one before it
/// was synchronised; and it was when the index counts more frames than are there. Dropping it would
/// lose what was answered, or put old pages over new ones. Fails with data_damaged then.
Outcome<void> check_log(const std::filesystem::path& file);

}  // namespace fermata::sqlite
