#include "core/graph/nodes/date_parts.h"
#include "core/graph/nodes/date_time.h"

namespace fermata::graph {
namespace {

struct NumberSlot {
  int* target;
  int digits_min;
  int digits_max;
};

/// Where the number of a field goes, or no target when the field is none that can be read so.
NumberSlot slot_of(DateField field, DateParts& parts) {
  using enum DateField;
  switch (field) {
    case year: return {&parts.year, 4, 4};
    case century: return {&parts.century, 2, 2};
    case year_of_century: return {&parts.year_of_century, 2, 2};
    case month: return {&parts.month, 1, 2};
    case day: return {&parts.day, 1, 2};
    case year_day: return {&parts.year_day, 1, 3};
    case hour:
    case hour_of_half: return {&parts.hour, 1, 2};
    case minute: return {&parts.minute, 1, 2};
    case second: return {&parts.second, 1, 2};
    case weekday_from_monday:
    case weekday_from_sunday: return {&parts.ignored, 1, 1};
    default: return {nullptr, 0, 0};
  }
}

struct ZoneLetters {
  std::string_view letters;
  int hours;
};

/// Those of RFC 822; other abbreviations mean different things to different people.
constexpr ZoneLetters zone_letters[] = {
    {"UTC", 0},  {"GMT", 0},  {"UT", 0},   {"Z", 0},    {"EST", -5}, {"EDT", -4},
    {"CST", -6}, {"CDT", -5}, {"MST", -7}, {"MDT", -6}, {"PST", -8}, {"PDT", -7},
};

char upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }
bool is_letter(char c) { return upper(c) >= 'A' && upper(c) <= 'Z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Reads a text from the left, one piece of a pattern after the other.
class DateReader {
 public:
  explicit DateReader(std::string_view text) : rest_(text) {}
  const DateParts& parts() const { return parts_; }
  bool done() const { return rest_.empty(); }

  /// `next` is the piece that follows, if any.
  bool read(const DatePiece& piece, const DatePiece* next) {
    using enum DateField;
    switch (piece.field) {
      case literal: return skip(piece.letter);
      case month_name: return read_month(std::string_view::npos);
      case month_short: return read_month(short_name_letters);
      case weekday_name: return read_name(weekday_names, std::string_view::npos) >= 0;
      case weekday_short: return read_name(weekday_names, short_name_letters) >= 0;
      case half_upper:
      case half_lower: return read_half();
      case fraction: return read_fraction(piece);
      case offset: return read_offset(piece.width);
      case abbreviation: return read_abbreviation();
      case unix_seconds: return read_unix();
      default: break;
    }
    NumberSlot slot = slot_of(piece.field, parts_);
    if (piece.pad == DatePad::space) skip_spaces();
    if (slot.target == nullptr || !read_number(slot)) return false;
    return piece.field != second || read_unasked_fraction(next);
  }

 private:
  bool at(char c) const { return !rest_.empty() && rest_[0] == c; }
  bool at_digit() const { return !rest_.empty() && is_digit(rest_[0]); }
  bool at_point() const { return at('.') || at(','); }
  bool skip(char wanted) {
    if (!at(wanted)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void skip_spaces() {
    while (skip(' ')) continue;
  }
  bool starts_with(std::string_view word) const {
    if (rest_.size() < word.size()) return false;
    for (size_t i = 0; i < word.size(); ++i)
      if (upper(rest_[i]) != upper(word[i])) return false;
    return true;
  }

  bool read_number(NumberSlot slot) {
    int digits = 0;
    int number = 0;
    for (; digits < slot.digits_max && at_digit(); ++digits) {
      number = number * 10 + (rest_[0] - '0');
      rest_.remove_prefix(1);
    }
    *slot.target = number;
    return digits >= slot.digits_min;
  }

  /// The position of the name the text goes on with, or -1.
  template <size_t count>
  int read_name(const std::array<std::string_view, count>& names, size_t letters) {
    for (size_t i = 0; i < count; ++i) {
      std::string_view name = names[i].substr(0, letters);
      if (!starts_with(name)) continue;
      rest_.remove_prefix(name.size());
      return static_cast<int>(i);
    }
    return -1;
  }
  bool read_month(size_t letters) {
    parts_.month = read_name(month_names, letters) + 1;
    return parts_.month > 0;
  }

  bool read_half() {
    if (!starts_with("AM") && !starts_with("PM")) return false;
    parts_.afternoon = starts_with("PM");
    rest_.remove_prefix(2);
    return true;
  }

  bool read_fraction(const DatePiece& piece) {
    if (piece.letter != 0) {
      if (!at_point()) return piece.trimmed;
      rest_.remove_prefix(1);
    }
    int digits = 0;
    for (int unit = 100; at_digit() && digits < 9; ++digits, unit /= 10) {
      parts_.ms += unit * (rest_[0] - '0');
      rest_.remove_prefix(1);
    }
    return digits > 0;
  }
  /// Seconds may have a fraction that the pattern does not name, as everyone writes them with and
  /// without.
  bool read_unasked_fraction(const DatePiece* next) {
    bool asked = next != nullptr && (next->field == DateField::fraction ||
                                     (next->field == DateField::literal && at(next->letter)));
    if (asked || !at_point()) return true;
    return read_fraction({.field = DateField::fraction, .width = 9, .letter = '.'});
  }

  bool read_offset(int width) {
    if (skip('Z') || skip('z')) {
      parts_.offset_seconds = 0;
      return true;
    }
    bool west = at('-');
    if (!skip('-') && !skip('+')) return false;
    int units[3] = {0, 0, 0};
    for (int i = 0; i < width; ++i) {
      if (i > 0) skip(':');
      if (!read_number({&units[i], 2, 2})) return false;
    }
    if (units[0] > 23 || units[1] > 59 || units[2] > 59) return false;
    int seconds = units[0] * 3600 + units[1] * 60 + units[2];
    parts_.offset_seconds = west ? -seconds : seconds;
    return true;
  }

  bool read_abbreviation() {
    if (at('+') || at('-')) return read_offset(2);
    size_t end = 0;
    while (end < rest_.size() && is_letter(rest_[end])) ++end;
    for (const ZoneLetters& zone : zone_letters) {
      if (zone.letters.size() != end || !starts_with(zone.letters)) continue;
      parts_.offset_seconds = zone.hours * 3600;
      rest_.remove_prefix(end);
      return true;
    }
    return false;
  }

  bool read_unix() {
    bool negative = skip('-');
    int64_t seconds = 0;
    int digits = 0;
    for (; at_digit() && digits < 12; ++digits) {
      seconds = seconds * 10 + (rest_[0] - '0');
      rest_.remove_prefix(1);
    }
    parts_.unix_seconds = negative ? -seconds : seconds;
    return digits > 0;
  }

  std::string_view rest_;
  DateParts parts_;
};

const std::vector<DatePattern>& standard_patterns() {
  static const std::vector<DatePattern> patterns = [] {
    std::vector<DatePattern> list;
    for (std::string_view layout :
         {"2006-1-2", "2006-1-2 15:4", "2006-1-2 15:4:5", "2006-1-2T15:4", "2006-1-2T15:4:5",
          "2006-1-2 15:4:5Z07:00", "2006-1-2T15:4:5Z07:00", "Mon, 2 Jan 2006 15:4:5 MST",
          "2 Jan 2006 15:4:5 MST", "Mon, 2 Jan 06 15:4:5 MST", "Mon, 2 Jan 06 15:4 MST",
          "2 Jan 06 15:4:5 MST", "2 Jan 06 15:4 MST"})
      list.push_back(layout_pattern(layout));
    return list;
  }();
  return patterns;
}

}  // namespace

std::optional<Instant> read_date(std::string_view text, const DatePattern& pattern,
                                 const Zone& zone) {
  if (text.size() > date_text_bytes_max) return std::nullopt;
  DateReader reader(text);
  for (size_t i = 0; i < pattern.size(); ++i) {
    const DatePiece* next = i + 1 < pattern.size() ? &pattern[i + 1] : nullptr;
    if (!reader.read(pattern[i], next)) return std::nullopt;
  }
  if (!reader.done()) return std::nullopt;
  return instant_of_parts(reader.parts(), zone);
}

std::optional<Instant> read_standard_date(std::string_view text, const Zone& zone) {
  if (auto at = parse_rfc3339(text)) return at;
  for (const DatePattern& pattern : standard_patterns())
    if (auto at = read_date(text, pattern, zone)) return at;
  return std::nullopt;
}

}  // namespace fermata::graph
