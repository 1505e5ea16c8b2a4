#include "adapters/tzdata/tzif.h"

#include <array>

namespace fermata {
namespace {

constexpr std::string_view tzif_magic = "TZif";
constexpr size_t unused_header_bytes = 15;
constexpr size_t offset_record_bytes = 6;
constexpr size_t abbreviation_bytes_max = 16;

/// Reads from the left; past the end it gives zeros and is no longer `ok`.
class BigEndian {
 public:
  explicit BigEndian(std::string_view bytes) : rest_(bytes) {}
  bool ok() const { return ok_; }
  std::string_view rest() const { return rest_; }
  std::string_view take(size_t count) {
    if (count > rest_.size()) {
      ok_ = false;
      rest_ = {};
      return {};
    }
    std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }
  uint8_t u8() { return static_cast<uint8_t>(number(1)); }
  uint32_t u32() { return static_cast<uint32_t>(number(4)); }
  /// Two's complement of 4 or 8 bytes.
  int64_t signed_of(size_t width) {
    uint64_t value = number(width);
    return width == 4 ? static_cast<int32_t>(value) : static_cast<int64_t>(value);
  }

 private:
  uint64_t number(size_t width) {
    uint64_t value = 0;
    for (char byte : take(width)) value = value << 8 | static_cast<uint8_t>(byte);
    return value;
  }
  std::string_view rest_;
  bool ok_ = true;
};

struct Header {
  char version = 0;
  uint32_t ut_marks = 0;
  uint32_t standard_marks = 0;
  uint32_t leap_seconds = 0;
  uint32_t changes = 0;
  uint32_t offsets = 0;
  uint32_t letters = 0;
  /// Of the block that follows, with instants of `width` bytes.
  uint64_t block_bytes(size_t width) const {
    return uint64_t{changes} * (width + 1) + uint64_t{offsets} * offset_record_bytes + letters +
           uint64_t{leap_seconds} * (width + 4) + standard_marks + ut_marks;
  }
};

std::optional<Header> read_header(BigEndian& in) {
  Header header;
  if (in.take(tzif_magic.size()) != tzif_magic) return std::nullopt;
  header.version = static_cast<char>(in.u8());
  in.take(unused_header_bytes);
  header.ut_marks = in.u32();
  header.standard_marks = in.u32();
  header.leap_seconds = in.u32();
  header.changes = in.u32();
  header.offsets = in.u32();
  header.letters = in.u32();
  if (!in.ok()) return std::nullopt;
  return header;
}

/// An abbreviation within the letters, which end with a zero each.
std::optional<std::string> abbreviation_at(std::string_view letters, size_t index) {
  if (index >= letters.size()) return std::nullopt;
  size_t end = letters.find('\0', index);
  if (end == std::string_view::npos || end - index > abbreviation_bytes_max) return std::nullopt;
  std::string_view found = letters.substr(index, end - index);
  for (char c : found)
    if (c < ' ' || c > '~') return std::nullopt;
  return std::string(found);
}

Result<ZoneData, std::string> read_block(const Header& header, BigEndian& in, size_t width) {
  if (header.leap_seconds > 0) return Failure{std::string("it counts leap seconds")};
  if (header.offsets == 0 || header.offsets > 256) return Failure{std::string("it has no offset")};
  if (header.block_bytes(width) > in.rest().size())
    return Failure{std::string("it ends too early")};
  ZoneData data;
  data.changes_s.reserve(header.changes);
  for (uint32_t i = 0; i < header.changes; ++i) data.changes_s.push_back(in.signed_of(width));
  for (char index : in.take(header.changes))
    data.offset_after.push_back(static_cast<uint8_t>(index));
  std::vector<uint8_t> names;
  for (uint32_t i = 0; i < header.offsets; ++i) {
    int64_t seconds = in.signed_of(4);
    bool summer = in.u8() != 0;
    names.push_back(in.u8());
    data.offsets.push_back({static_cast<int32_t>(seconds), {}, summer});
  }
  std::string_view letters = in.take(header.letters);
  for (size_t i = 0; i < names.size(); ++i) {
    auto name = abbreviation_at(letters, names[i]);
    if (!name) return Failure{std::string("an abbreviation is not readable")};
    data.offsets[i].abbreviation = *std::move(name);
  }
  in.take(size_t{header.standard_marks} + header.ut_marks);
  return data;
}

/// The rule between two line ends, after the block; an empty one is none.
Result<std::optional<ZoneRule>, std::string> read_footer(BigEndian& in) {
  std::string_view rest = in.rest();
  size_t end = rest.size() > 0 ? rest.find('\n', 1) : std::string_view::npos;
  if (rest.empty() || rest.front() != '\n' || end == std::string_view::npos)
    return Failure{std::string("its rule is missing")};
  std::string_view text = rest.substr(1, end - 1);
  if (text.empty()) return std::optional<ZoneRule>();
  auto rule = parse_zone_rule(text);
  if (!rule) return Failure{std::string("its rule is not readable")};
  return rule;
}

}  // namespace

Result<Zone, std::string> read_tzif(std::string_view bytes) {
  if (bytes.size() > tzif_bytes_max) return Failure{std::string("it is too large")};
  BigEndian in(bytes);
  auto header = read_header(in);
  if (!header) return Failure{std::string("it is no compiled zone")};
  bool wide = header->version != 0;
  if (wide) {
    // What follows the first header is for readers of 32 bits; the whole comes again after it.
    if (header->version < '2' || header->version > '4')
      return Failure{std::string("its version is not known")};
    if (header->block_bytes(4) > in.rest().size()) return Failure{std::string("it ends too early")};
    in.take(static_cast<size_t>(header->block_bytes(4)));
    header = read_header(in);
    if (!header) return Failure{std::string("it ends too early")};
  }
  FERMATA_TRY(data, read_block(*header, in, wide ? 8 : 4));
  if (wide) {
    FERMATA_TRY(rule, read_footer(in));
    data.rule = std::move(rule);
  }
  return Zone::from(std::move(data));
}

}  // namespace fermata
