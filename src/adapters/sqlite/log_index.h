#pragma once
#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>

namespace fermata::sqlite {

/// What the index of the log says of it. SQLite writes frames, synchronises them and only then
/// counts them in the index, so a log that is whole has at least as many.
struct LogIndex {
  uint32_t frames = 0;         ///< committed
  uint32_t moved = 0;          ///< of those, in the database file and synchronised there
  std::array<char, 8> salt{};  ///< of the log it belongs to
};

/// Reads the index that a crash has left behind; nothing when there is none, or none that can be
/// trusted. Only while nobody uses the database.
std::optional<LogIndex> read_log_index(const std::filesystem::path& file);

}  // namespace fermata::sqlite
