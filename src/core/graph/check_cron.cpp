#include "core/graph/check_cron.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <vector>

#include "base/time.h"
#include "core/graph/check_words.h"

namespace fermata::graph {
namespace {

struct CronField {
  std::string_view name;
  int least;
  int most;
  std::string_view words;  ///< names of the values from `least` on, separated by |
};

constexpr std::array<CronField, 5> cron_fields = {{
    {"minute", 0, 59, ""},
    {"hour", 0, 23, ""},
    {"day of month", 1, 31, ""},
    {"month", 1, 12, "JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC"},
    {"day of week", 0, 7, "SUN|MON|TUE|WED|THU|FRI|SAT"},
}};

std::optional<int> cron_number(std::string_view text) {
  int number = 0;
  auto [end, mistake] = std::from_chars(text.data(), text.data() + text.size(), number);
  bool whole = mistake == std::errc() && end == text.data() + text.size() && number >= 0;
  return whole ? std::optional(number) : std::nullopt;
}

/// A number in the field's range or one of its names, in any case.
std::optional<int> cron_value(const CronField& field, std::string_view text) {
  auto number = cron_number(text);
  if (number) {
    bool inside = *number >= field.least && *number <= field.most;
    return inside ? number : std::nullopt;
  }
  if (field.words.empty()) return std::nullopt;
  std::string upper(text);
  for (char& c : upper)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  auto words = parts_of(field.words);
  auto at = std::find(words.begin(), words.end(), upper);
  if (at == words.end()) return std::nullopt;
  return field.least + static_cast<int>(at - words.begin());
}

std::string cron_range_text(const CronField& field) {
  std::string text = std::to_string(field.least) + " to " + std::to_string(field.most);
  auto words = parts_of(field.words);
  if (!field.words.empty())
    text += " or " + std::string(words.front()) + " to " + std::string(words.back());
  return text;
}

struct CronItem {
  std::string mistake;
  std::vector<int> values;
};

/// One element of a list: `*`, a value or a range, each with an optional step.
CronItem read_cron_item(const CronField& field, std::string_view item) {
  std::string where = "In the " + std::string(field.name) + " field ";
  size_t slash = item.find('/');
  std::string_view range = item.substr(0, slash);
  int step = 1;
  if (slash != std::string_view::npos) {
    auto given = cron_number(item.substr(slash + 1));
    if (!given || *given < 1 || *given > field.most)
      return {where + "the step of " + quoted(item) + " must be 1 to " +
                  std::to_string(field.most) + ".",
              {}};
    step = *given;
  }
  int first = field.least, last = field.most;
  if (range != "*") {
    size_t dash = range.find('-');
    auto from = cron_value(field, range.substr(0, dash));
    auto to = dash == std::string_view::npos ? from : cron_value(field, range.substr(dash + 1));
    if (!from || !to)
      return {where + quoted(item) + " is not understood; use *, or " + cron_range_text(field) +
                  ", with ranges (a-b), lists (a,b) and steps (/n).",
              {}};
    if (*from > *to) return {where + "the range " + quoted(range) + " runs backwards.", {}};
    first = *from;
    last = dash == std::string_view::npos && slash != std::string_view::npos ? field.most : *to;
  }
  CronItem result;
  for (int value = first; value <= last; value += step) result.values.push_back(value);
  return result;
}

CronItem read_cron_field(const CronField& field, std::string_view text) {
  CronItem all;
  for (std::string_view item : parts_of(text, ',')) {
    CronItem one = read_cron_item(field, item);
    if (!one.mistake.empty()) return one;
    all.values.insert(all.values.end(), one.values.begin(), one.values.end());
  }
  return all;
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  size_t at = 0;
  while (true) {
    at = text.find_first_not_of(" \t", at);
    if (at == std::string_view::npos) return words;
    size_t end = std::min(text.find_first_of(" \t", at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end;
  }
}

}  // namespace

std::string cron_mistake(std::string_view text) {
  auto words = words_of(text);
  if (words.size() != cron_fields.size())
    return "A cron text has five fields (minute, hour, day of month, month, day of week); " +
           quoted(text) + " has " + std::to_string(words.size()) + ".";
  std::array<CronItem, 5> fields;
  for (size_t i = 0; i < fields.size(); ++i) {
    fields[i] = read_cron_field(cron_fields[i], words[i]);
    if (!fields[i].mistake.empty()) return fields[i].mistake;
  }
  // With a day of week given the two day fields are alternatives, so some day always fits.
  if (!words[4].starts_with('*')) return {};
  int earliest = *std::min_element(fields[2].values.begin(), fields[2].values.end());
  constexpr int leap_year = 2024;
  for (int month : fields[3].values)
    if (earliest <= days_in_month(leap_year, month)) return {};
  return "No month given has a day " + std::to_string(earliest) + ", so " + quoted(text) +
         " never comes.";
}

}  // namespace fermata::graph
