#include <optional>

#include "base/time.h"
#include "core/graph/parameters.h"

namespace fermata::graph {
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
  std::optional<int> take_digit() {
    if (rest_.empty() || rest_[0] < '0' || rest_[0] > '9') return std::nullopt;
    return digits(1);
  }
  void expect(std::string_view any_of) {
    if (!take(any_of)) fail();
  }
  int fail() {
    ok_ = false;
    rest_ = {};
    return 0;
  }
  bool ok() const { return ok_; }
  bool done() const { return ok_ && rest_.empty(); }

 private:
  std::string_view rest_;
  bool ok_ = true;
};

struct ReadPart {
  bool ok = false;
  int64_t ms = 0;
};

ReadPart read_clock(DateText& text) {
  int hour = text.digits(2);
  text.expect(":");
  int minute = text.digits(2);
  if (hour > 23 || minute > 59) return {};
  int64_t ms = hour * 3'600'000LL + minute * 60'000LL;
  if (!text.take(":")) return {text.ok(), ms};
  int second = text.digits(2);
  if (second > 59) return {};
  ms += second * 1'000LL;
  if (!text.take(".")) return {text.ok(), ms};
  int64_t scale = 100;
  ms += text.digits(1) * scale;
  while (auto digit = text.take_digit()) ms += *digit * (scale /= 10);
  return {text.ok(), ms};
}

ReadPart read_offset(DateText& text) {
  if (text.done() || text.take("Z")) return {text.done(), 0};
  bool east = text.take("+");
  if (!east) text.expect("-");
  int hours = text.digits(2);
  text.expect(":");
  int minutes = text.digits(2);
  int64_t ms = hours * 3'600'000LL + minutes * 60'000LL;
  return {text.done() && hours <= 23 && minutes <= 59, east ? ms : -ms};
}

}  // namespace

std::optional<Instant> parse_wait_date(std::string_view written) {
  DateText text(written);
  CivilDate date;
  date.year = text.digits(4);
  text.expect("-");
  date.month = text.digits(2);
  text.expect("-");
  date.day = text.digits(2);
  if (!text.ok() || date.month < 1 || date.month > 12) return std::nullopt;
  if (date.day < 1 || date.day > days_in_month(date.year, date.month)) return std::nullopt;
  int64_t midnight = days_from_civil(date) * 86'400'000;
  if (text.done()) return Instant{midnight};
  text.expect("T ");
  ReadPart clock = read_clock(text);
  if (!clock.ok) return std::nullopt;
  ReadPart offset = read_offset(text);
  if (!offset.ok) return std::nullopt;
  return Instant{midnight + clock.ms - offset.ms};
}

std::optional<int64_t> plain_wait_ms(const NodeParameters& node) {
  if (node.type != NodeType::wait) return std::nullopt;
  const Value* amount = node.literal(node.values.find("duration") ? "duration" : "amount");
  const Value* unit = node.literal("unit");
  if (amount == nullptr || unit == nullptr || !unit->is_string()) return std::nullopt;
  struct UnitLength {
    std::string_view name;
    double ms;
  };
  constexpr UnitLength lengths[] = {
      {"seconds", 1e3}, {"minutes", 6e4}, {"hours", 3.6e6}, {"days", 8.64e7}, {"weeks", 6.048e8}};
  auto number = number_in(*amount);
  constexpr double ms_max = 1e15;
  for (const UnitLength& length : lengths)
    if (number && unit->as_string() == length.name && *number >= 0)
      return static_cast<int64_t>(*number < ms_max / length.ms ? *number * length.ms : ms_max);
  return std::nullopt;
}

}  // namespace fermata::graph
