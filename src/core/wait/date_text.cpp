#include "core/wait/date_text.h"

namespace fermata {
namespace {

/// Reads a text from the left; once something does not fit, everything after fails too.
class DateText {
 public:
  explicit DateText(std::string_view text) : rest_(text) {}

  int digits(size_t count) {
    int number = 0;
    for (size_t i = 0; i < count; ++i) {
      bool digit = i < rest_.size() && rest_[i] >= '0' && rest_[i] <= '9';
      if (!digit) return fail();
      number = number * 10 + (rest_[i] - '0');
    }
    rest_.remove_prefix(count);
    return number;
  }
  bool take(std::string_view any_of) {
    if (rest_.empty() || any_of.find(rest_[0]) == std::string_view::npos) return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool at_digit() const { return !rest_.empty() && rest_[0] >= '0' && rest_[0] <= '9'; }
  void expect(std::string_view any_of) {
    if (!take(any_of)) fail();
  }
  int fail() {
    ok_ = false;
    rest_ = {};
    return 0;
  }
  bool ok() const { return ok_; }
  bool at_end() const { return rest_.empty(); }
  bool done() const { return ok_ && rest_.empty(); }

 private:
  std::string_view rest_;
  bool ok_ = true;
};

CivilDate read_date(DateText& text) {
  CivilDate date;
  date.year = text.digits(4);
  text.expect("-");
  date.month = text.digits(2);
  text.expect("-");
  date.day = text.digits(2);
  bool real = text.ok() && date.month >= 1 && date.month <= 12 && date.day >= 1 &&
              date.day <= days_in_month(date.year, date.month);
  if (!real) text.fail();
  return date;
}

/// Minutes after midnight.
int read_clock(DateText& text) {
  int hour = text.digits(2);
  text.expect(":");
  int minute = text.digits(2);
  if (hour > 23 || minute > 59) text.fail();
  return hour * 60 + minute;
}

/// Seconds and their fraction, in milliseconds; nothing written is none.
int64_t read_seconds(DateText& text) {
  if (!text.take(":")) return 0;
  int second = text.digits(2);
  if (second > 59) text.fail();
  int64_t ms = second * 1'000LL;
  if (!text.take(".")) return ms;
  int64_t scale = 100;
  ms += text.digits(1) * scale;
  while (text.at_digit()) ms += text.digits(1) * (scale /= 10);
  return ms;
}

std::optional<int32_t> read_offset(DateText& text) {
  if (text.at_end()) return std::nullopt;
  if (text.take("Z")) return 0;
  bool east = text.take("+");
  if (!east) text.expect("-");
  int32_t seconds = read_clock(text) * 60;
  return east ? seconds : -seconds;
}

}  // namespace

std::optional<CivilDate> parse_civil_date(std::string_view written) {
  DateText text(written);
  CivilDate date = read_date(text);
  return text.done() ? std::optional(date) : std::nullopt;
}

std::optional<int> parse_clock(std::string_view written) {
  DateText text(written);
  int minutes = read_clock(text);
  return text.done() ? std::optional(minutes) : std::nullopt;
}

std::optional<WrittenDate> parse_written_date(std::string_view written) {
  DateText text(written);
  WrittenDate date;
  date.local.date = read_date(text);
  if (text.done()) return date;
  text.expect("T ");
  date.local.ms_of_day = read_clock(text) * 60'000LL;
  date.local.ms_of_day += read_seconds(text);
  date.offset_seconds = read_offset(text);
  return text.done() ? std::optional(date) : std::nullopt;
}

LocalMatch WrittenDate::match(const Zone& zone) const {
  if (!offset_seconds) return zone.match(local);
  Instant at = instant_at_offset(local, *offset_seconds);
  return {LocalMatch::Kind::unique, at, at};
}

LocalTime WrittenDate::local_in(const Zone& zone) const {
  return offset_seconds ? zone.local_at(instant_at_offset(local, *offset_seconds)) : local;
}

}  // namespace fermata
