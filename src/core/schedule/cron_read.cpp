#include <algorithm>
#include <charconv>
#include <vector>

#include "base/words.h"
#include "core/schedule/cron.h"

namespace fermata::schedule {
namespace {

constexpr size_t cron_bytes_max = 500;
constexpr int nth_max = 5;

struct CronField {
  std::string_view name;
  int least;
  int most;
  std::string_view words;  ///< names of the values from `least` on, three letters each
};
constexpr std::array<CronField, 6> cron_fields = {{
    {"second", 0, 59, ""},
    {"minute", 0, 59, ""},
    {"hour", 0, 23, ""},
    {"day of month", 1, 31, ""},
    {"month", 1, 12, "JANFEBMARAPRMAYJUNJULAUGSEPOCTNOVDEC"},
    {"day of week", 0, 7, "SUNMONTUEWEDTHUFRISAT"},
}};
constexpr size_t day_field = 3;
constexpr size_t weekday_field = 5;

struct Macro {
  std::string_view name;
  std::string_view fields;
};
constexpr std::array<Macro, 7> macros = {{{"@hourly", "0 * * * *"},
                                          {"@daily", "0 0 * * *"},
                                          {"@midnight", "0 0 * * *"},
                                          {"@weekly", "0 0 * * 0"},
                                          {"@monthly", "0 0 1 * *"},
                                          {"@yearly", "0 0 1 1 *"},
                                          {"@annually", "0 0 1 1 *"}}};

std::string upper(std::string_view text) {
  std::string made(text);
  for (char& c : made)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return made;
}

std::optional<int> number_of(std::string_view text) {
  int number = 0;
  auto [end, mistake] = std::from_chars(text.data(), text.data() + text.size(), number);
  bool whole = mistake == std::errc() && end == text.data() + text.size() && number >= 0;
  return whole && text.front() != '+' ? std::optional(number) : std::nullopt;
}

/// A number in the field's range or one of its names, in any case.
std::optional<int> value_of(const CronField& field, std::string_view text) {
  if (text.empty()) return std::nullopt;
  if (auto number = number_of(text))
    return *number >= field.least && *number <= field.most ? number : std::nullopt;
  if (text.size() != 3) return std::nullopt;
  std::string word = upper(text);
  for (size_t at = 0; at + 3 <= field.words.size(); at += 3)
    if (field.words.substr(at, 3) == word) return field.least + static_cast<int>(at / 3);
  return std::nullopt;
}

std::string range_text(const CronField& field) {
  std::string text = std::to_string(field.least) + " to " + std::to_string(field.most);
  if (field.words.empty()) return text;
  return text + " or " + std::string(field.words.substr(0, 3)) + " to " +
         std::string(field.words.substr(field.words.size() - 3));
}

std::vector<std::string_view> split(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> parts;
  while (true) {
    size_t end = text.find_first_of(separators);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words = split(text, " \t");
  std::erase(words, std::string_view());
  return words;
}

}  // namespace

/// Reads the fields into a Cron; stops at the first mistake.
class CronReader {
 public:
  Result<Cron, std::string> read(std::string_view text) {
    if (text.size() > cron_bytes_max)
      return Failure{"A cron text has at most " + std::to_string(cron_bytes_max) + " characters."};
    for (const Macro& macro : macros)
      if (text == macro.name) return read(macro.fields);
    if (text.starts_with('@')) return Failure{unknown_macro(text)};
    auto words = words_of(text);
    if (words.size() != 5 && words.size() != 6)
      return Failure{
          "A cron text has five fields (minute, hour, day of month, month, day of week) or six "
          "with seconds first; " +
          quoted(text) + " has " + std::to_string(words.size()) + "."};
    size_t first = cron_fields.size() - words.size();
    if (first == 0) cron_.seconds_ = 0;
    for (size_t i = 0; i < words.size() && mistake_.empty(); ++i) read_field(first + i, words[i]);
    if (!mistake_.empty()) return Failure{mistake_};
    if (cron_.weekdays_ >> 7 & 1) cron_.weekdays_ |= 1;
    return cron_;
  }

 private:
  static std::string unknown_macro(std::string_view text) {
    std::vector<std::string_view> names;
    for (const Macro& macro : macros) names.push_back(macro.name);
    std::string_view meant = nearest_word(text, names);
    return quoted(text) +
           " is not known; there are @hourly, @daily, @midnight, @weekly, @monthly, " +
           "@yearly and @annually." + (meant.empty() ? "" : " Did you mean " + quoted(meant) + "?");
  }

  void read_field(size_t index, std::string_view text) {
    const CronField& field = cron_fields[index];
    bool open = text.starts_with('*') || text.starts_with('?');
    if (field.name == "hour") cron_.every_hour_ = text.starts_with('*');
    if (index == day_field) cron_.days_restricted_ = !open;
    if (index == weekday_field) cron_.weekdays_restricted_ = !open;
    for (std::string_view item : split(text, ",")) {
      if (!mistake_.empty()) return;
      if (index == day_field && upper(item) == "L") {
        cron_.last_day_ = true;
      } else if (index == weekday_field && item.find('#') != std::string_view::npos) {
        read_nth_weekday(field, item);
      } else {
        read_item(index, item);
      }
    }
  }

  /// `MON#2`: the second Monday of the month.
  void read_nth_weekday(const CronField& field, std::string_view item) {
    size_t mark = item.find('#');
    auto weekday = value_of(field, item.substr(0, mark));
    auto nth = value_of({"", 1, nth_max, ""}, item.substr(mark + 1));
    if (!weekday || !nth)
      return complain(field, quoted(item) +
                                 " is not understood; MON#2 is the "
                                 "second Monday, from #1 to #5.");
    uint8_t& weeks = cron_.nth_weekdays_[static_cast<size_t>(*weekday % 7)];
    weeks = static_cast<uint8_t>(weeks | 1 << *nth);
  }

  /// One element of a list: `*`, a value or a range, each with an optional step.
  void read_item(size_t index, std::string_view item) {
    const CronField& field = cron_fields[index];
    size_t slash = item.find('/');
    std::string_view range = item.substr(0, slash);
    int step = 1;
    if (slash != std::string_view::npos) {
      auto given = value_of({"", 1, field.most, ""}, item.substr(slash + 1));
      if (!given)
        return complain(field, "the step of " + quoted(item) + " must be 1 to " +
                                   std::to_string(field.most) + ".");
      step = *given;
    }
    int first = field.least, last = index == weekday_field ? 6 : field.most;
    bool open = range == "*" || (range == "?" && (index == day_field || index == weekday_field));
    if (!open && !read_range(field, item, first, last)) return;
    for (int value = first; value <= last; value += step) bits(index) |= uint64_t{1} << value;
  }

  bool read_range(const CronField& field, std::string_view item, int& first, int& last) {
    std::string_view range = item.substr(0, item.find('/'));
    size_t dash = range.find('-');
    bool single = dash == std::string_view::npos;
    auto from = value_of(field, range.substr(0, dash));
    auto to = single ? from : value_of(field, range.substr(dash + 1));
    if (!from || !to) {
      complain(field, quoted(item) + " is not understood; use *, or " + range_text(field) +
                          ", with ranges (a-b), lists (a,b) and steps (/n).");
      return false;
    }
    // A week may end on Sunday: FRI-SUN.
    bool to_sunday = field.name == "day of week" && !single && *to == 0 && *from > 0;
    if (to_sunday) to = 7;
    if (*from > *to) {
      complain(field, "the range " + quoted(range) + " runs backwards.");
      return false;
    }
    first = *from;
    bool to_the_end = single && item.find('/') != std::string_view::npos;
    if (!to_the_end) last = *to;
    return true;
  }

  uint64_t& bits(size_t index) {
    switch (index) {
      case 0: return cron_.seconds_;
      case 1: return cron_.minutes_;
      case 2: return cron_.hours_;
      case 3: return cron_.days_;
      case 4: return cron_.months_;
      default: return cron_.weekdays_;
    }
  }
  void complain(const CronField& field, const std::string& what) {
    mistake_ = "In the " + std::string(field.name) + " field " + what;
  }

  Cron cron_;
  std::string mistake_;
};

Result<Cron, std::string> Cron::parse(std::string_view text) { return CronReader().read(text); }

}  // namespace fermata::schedule
