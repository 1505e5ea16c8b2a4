#pragma once
#include <filesystem>

#include "base/error.h"

namespace fermata::sqlite {

/// Looks through the log that a crash has left behind, before SQLite does. SQLite takes the first
/// frame that does not match its checksum for the torn end of the last transaction and drops it and
/// all after it without a word. That is right only if nothing was committed after it: a transaction
/// is written after the one before it was synchronised, so a bad frame with a further transaction
/// behind it is not torn but damaged, and dropping it would lose what was answered. Fails with
/// data_damaged then.
Outcome<void> check_log(const std::filesystem::path& log);

}  // namespace fermata::sqlite
