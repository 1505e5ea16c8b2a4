#include "adapters/sqlite/log_check.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <fstream>
#include <vector>

#include "adapters/sqlite/log_index.h"

namespace fermata::sqlite {
namespace {

// The format is described in https://www.sqlite.org/fileformat2.html#walformat.
constexpr size_t log_header_bytes = 32;
constexpr size_t frame_header_bytes = 24;
constexpr uint32_t magic = 0x377f0682;  ///< the lowest bit tells the order of bytes in checksums

uint32_t big_endian(const char* at) {
  uint32_t value = 0;
  for (int i = 0; i < 4; ++i) value = value << 8 | static_cast<unsigned char>(at[i]);
  return value;
}

struct Checksum {
  uint32_t a = 0;
  uint32_t b = 0;
  bool operator==(const Checksum&) const = default;

  static Checksum stored(const char* at) { return {big_endian(at), big_endian(at + 4)}; }

  Checksum over(const char* bytes, size_t size, bool swap) const {
    Checksum sum = *this;
    for (size_t i = 0; i < size; i += 8) {
      std::array<uint32_t, 2> words;
      std::memcpy(words.data(), bytes + i, sizeof(words));
      if (swap) words = {__builtin_bswap32(words[0]), __builtin_bswap32(words[1])};
      sum.a += words[0] + sum.b;
      sum.b += words[1] + sum.a;
    }
    return sum;
  }
};

class LogReader {
 public:
  explicit LogReader(const std::filesystem::path& log) : file_(log, std::ios::binary) {}

  enum class Header { absent, good, bad };
  Header read_header() {
    std::array<char, log_header_bytes> bytes{};
    if (!file_.read(bytes.data(), bytes.size())) return Header::absent;
    // A log that was made just before a power cut can be all zeros.
    if (std::all_of(bytes.begin(), bytes.end(), [](char c) { return c == 0; })) {
      return Header::absent;
    }
    uint32_t kind = big_endian(bytes.data());
    swap_ = ((kind & 1) != 0) != (std::endian::native == std::endian::big);
    page_bytes_ = big_endian(bytes.data() + 8);
    std::memcpy(salt_.data(), bytes.data() + 16, salt_.size());
    last_ = Checksum::stored(bytes.data() + 24);
    bool good = (kind & ~1u) == magic && page_bytes_ >= 512 && page_bytes_ <= 65536 &&
                std::has_single_bit(page_bytes_) &&
                Checksum{}.over(bytes.data(), 24, swap_) == last_;
    if (!good) return Header::bad;
    frame_.resize(frame_header_bytes + page_bytes_);
    return Header::good;
  }

  /// False at the end of the file.
  bool next() {
    if (!file_.read(frame_.data(), static_cast<std::streamsize>(frame_.size()))) return false;
    Checksum stored = Checksum::stored(frame_.data() + 16);
    Checksum sum = last_.over(frame_.data(), 8, swap_)
                       .over(frame_.data() + frame_header_bytes, page_bytes_, swap_);
    of_this_log_ = std::memcmp(frame_.data() + 8, salt_.data(), salt_.size()) == 0;
    follows_ = of_this_log_ && sum == stored;
    commits_ = of_this_log_ && big_endian(frame_.data() + 4) != 0;
    last_ = stored;
    return true;
  }

  const std::array<char, 8>& salt() const { return salt_; }
  /// True when the frame continues the one before it, going by the checksum stored there.
  bool follows() const { return follows_; }
  /// True when it ends a transaction.
  bool commits() const { return commits_; }

 private:
  std::ifstream file_;
  bool swap_ = false;
  uint32_t page_bytes_ = 0;
  std::array<char, 8> salt_{};
  Checksum last_;
  std::vector<char> frame_;
  bool of_this_log_ = false;
  bool follows_ = false;
  bool commits_ = false;
};

/// What a log holds, from its beginning to where it is whole.
struct LogContent {
  bool has_header = false;
  uint64_t committed_frames = 0;  ///< up to the end of the last transaction that is whole
  std::array<char, 8> salt{};
};

Outcome<LogContent> read_log(const std::filesystem::path& log) {
  LogContent content;
  LogReader reader(log);
  LogReader::Header header = reader.read_header();
  if (header == LogReader::Header::absent) return content;
  if (header == LogReader::Header::bad) {
    return fail(ErrorCode::data_damaged, log.string() + ": the log's header is damaged");
  }
  content.has_header = true;
  content.salt = reader.salt();
  uint64_t frame = 0;
  uint64_t bad_frame = 0;
  bool committed = false;  // a transaction ended at or after the bad frame, in an unbroken chain
  while (reader.next()) {
    ++frame;
    if (bad_frame == 0) {
      if (reader.follows()) {
        if (reader.commits()) content.committed_frames = frame;
        continue;
      }
      bad_frame = frame;
      committed = reader.commits();
      continue;
    }
    if (!reader.follows()) {
      committed = false;
    } else if (committed) {
      return fail(ErrorCode::data_damaged, log.string() + ": frame " + std::to_string(bad_frame) +
                                               " of the log is damaged, with commits behind it");
    }
    committed = committed || reader.commits();
  }
  return content;
}

/// Holds the log against its index, as far as both are of the same time.
Outcome<void> check_count(const std::filesystem::path& log, const LogContent& content,
                          const LogIndex& index) {
  // Without a log the file must have everything; with one, pages of an older state would cover it.
  bool missing = content.has_header
                     ? content.salt == index.salt && content.committed_frames < index.frames
                     : index.moved < index.frames;
  if (!missing) return {};
  return fail(ErrorCode::data_damaged,
              log.string() + ": the log ends at frame " + std::to_string(content.committed_frames) +
                  ", but " + std::to_string(index.frames) + " frames were committed to it");
}

}  // namespace

std::filesystem::path log_of(const std::filesystem::path& file) { return file.string() + "-wal"; }

std::filesystem::path log_index_of(const std::filesystem::path& file) {
  return file.string() + "-shm";
}

Outcome<void> check_log(const std::filesystem::path& file) {
  std::filesystem::path log = log_of(file);
  FERMATA_TRY(content, read_log(log));
  std::optional<LogIndex> index = read_log_index(log_index_of(file));
  if (!index) return {};
  return check_count(log, content, *index);
}

}  // namespace fermata::sqlite
