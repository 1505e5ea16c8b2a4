#include "core/wait/zone_rule.h"

#include <algorithm>
#include <array>

namespace fermata {
namespace {

constexpr int64_t day_s = 86'400;
constexpr int rule_hours_max = 167;  ///< TZif version 3 lets a rule lie a week off
constexpr int offset_hours_max = 24;

int64_t days_of(const RuleDate& date, int64_t year) {
  int64_t new_year = days_from_civil({year, 1, 1});
  switch (date.form) {
    case RuleDate::Form::day_from_zero: return new_year + date.day;
    case RuleDate::Form::day_without_leap: {
      bool past_leap_day = date.day > 59 && days_in_month(year, 2) == 29;
      return new_year + date.day - 1 + (past_leap_day ? 1 : 0);
    }
    case RuleDate::Form::month_week_weekday: break;
  }
  CivilDate first{year, date.month, 1};
  int to_weekday = (date.weekday - weekday_of(first) + 7) % 7;
  int day = 1 + to_weekday + (date.week - 1) * 7;
  if (day > days_in_month(year, date.month)) day -= 7;
  return days_from_civil({year, date.month, day});
}

/// The changes of the year around a second and of its neighbours, in order. Where summer time ends
/// in the second in which the next begins, the beginning comes last and so wins. Two years to each
/// side are enough for dates that lie a week outside of theirs.
std::array<RuleChange, 10> changes_around(const ZoneRule& rule, int64_t second) {
  int64_t shown = second + rule.standard.seconds;
  int64_t days = shown / day_s - (shown % day_s < 0 ? 1 : 0);
  int64_t year = civil_from_days(days).year - 2;
  std::array<RuleChange, 10> changes;
  for (size_t i = 0; i < changes.size(); i += 2, ++year) {
    int64_t begins = days_of(rule.begins, year) * day_s + rule.begins.seconds;
    int64_t ends = days_of(rule.ends, year) * day_s + rule.ends.seconds;
    changes[i] = {begins - rule.standard.seconds, &*rule.summer};
    changes[i + 1] = {ends - rule.summer->seconds, &rule.standard};
  }
  std::stable_sort(changes.begin(), changes.end(),
                   [](const RuleChange& a, const RuleChange& b) { return a.at_s < b.at_s; });
  return changes;
}

/// Reads from the left; once something does not fit, everything after fails too.
class RuleText {
 public:
  explicit RuleText(std::string_view text) : rest_(text) {}
  bool ok() const { return ok_; }
  bool done() const { return ok_ && rest_.empty(); }
  bool at_end() const { return rest_.empty(); }
  bool take(char wanted) {
    if (rest_.empty() || rest_.front() != wanted) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void expect(char wanted) {
    if (!take(wanted)) fail();
  }
  int number(int least, int most) {
    int value = 0;
    size_t digits = 0;
    for (; digits < rest_.size() && digits < 4 && is_digit(rest_[digits]); ++digits)
      value = value * 10 + (rest_[digits] - '0');
    rest_.remove_prefix(digits);
    if (digits == 0 || value < least || value > most) fail();
    return ok_ ? value : least;
  }
  /// `CET`, or `<+03>` where it is no word.
  std::string name() {
    bool quoted = take('<');
    size_t end = 0;
    while (end < rest_.size() && (is_letter(rest_[end]) || (quoted && is_mark(rest_[end])))) ++end;
    std::string name(rest_.substr(0, end));
    rest_.remove_prefix(end);
    if (quoted) expect('>');
    if (name.size() < 3 || name.size() > 15) fail();
    return name;
  }
  /// `2`, `-1:30`, `+12:45:00` in seconds.
  int32_t clock(int hours_max) {
    bool negative = take('-');
    if (!negative) take('+');
    int32_t seconds = number(0, hours_max) * 3600;
    if (take(':')) seconds += number(0, 59) * 60;
    if (take(':')) seconds += number(0, 59);
    return negative ? -seconds : seconds;
  }
  void fail() {
    ok_ = false;
    rest_ = {};
  }
  bool before_offset() const { return !rest_.empty() && rest_.front() != ','; }

 private:
  static bool is_digit(char c) { return c >= '0' && c <= '9'; }
  static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
  static bool is_mark(char c) { return is_digit(c) || c == '+' || c == '-'; }
  std::string_view rest_;
  bool ok_ = true;
};

RuleDate read_rule_date(RuleText& text) {
  RuleDate date;
  text.expect(',');
  if (text.take('M')) {
    date.month = text.number(1, 12);
    text.expect('.');
    date.week = text.number(1, 5);
    text.expect('.');
    date.weekday = text.number(0, 6);
  } else if (text.take('J')) {
    date.form = RuleDate::Form::day_without_leap;
    date.day = text.number(1, 365);
  } else {
    date.form = RuleDate::Form::day_from_zero;
    date.day = text.number(0, 365);
  }
  if (text.take('/')) date.seconds = text.clock(rule_hours_max);
  return date;
}

}  // namespace

RuleChange rule_change_before(const ZoneRule& rule, int64_t second) {
  auto changes = changes_around(rule, second);
  RuleChange found = changes.front();
  for (const RuleChange& change : changes)
    if (change.at_s <= second) found = change;
  return found;
}

RuleChange rule_change_after(const ZoneRule& rule, int64_t second) {
  for (const RuleChange& change : changes_around(rule, second))
    if (change.at_s > second) return change;
  check(false);
  return {};
}

std::optional<ZoneRule> parse_zone_rule(std::string_view written) {
  RuleText text(written);
  ZoneRule rule;
  rule.standard.abbreviation = text.name();
  // POSIX counts hours west of Greenwich.
  rule.standard.seconds = -text.clock(offset_hours_max);
  if (text.at_end()) return text.ok() ? std::optional(rule) : std::nullopt;
  ZoneOffset summer{rule.standard.seconds + 3600, text.name(), true};
  if (text.before_offset()) summer.seconds = -text.clock(offset_hours_max);
  rule.summer = std::move(summer);
  rule.begins = read_rule_date(text);
  rule.ends = read_rule_date(text);
  if (!text.done()) return std::nullopt;
  return rule;
}

}  // namespace fermata
