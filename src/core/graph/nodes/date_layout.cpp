#include <algorithm>

#include "core/graph/nodes/date_pattern.h"

namespace fermata::graph {
namespace {

struct LayoutWord {
  std::string_view text;
  DatePiece piece;
};

bool goes_on_in_lower_case(std::string_view rest) {
  return !rest.empty() && rest[0] >= 'a' && rest[0] <= 'z';
}

/// "Month" is no weekday and "_2006" no day: the few words that what follows can undo.
bool undone_by(const LayoutWord& word, std::string_view rest) {
  if (word.text == "Jan" || word.text == "Mon") return goes_on_in_lower_case(rest);
  return word.text == "_2" && rest.starts_with("006");
}

/// Finds the part of the reference time Mon Jan 2 15:04:05 MST 2006 that a text begins with.
const LayoutWord* layout_word_at(std::string_view text) {
  using enum DateField;
  // Where one word is the beginning of another, the longer one stands first.
  static constexpr LayoutWord words[] = {
      {"January", {month_name}},
      {"Jan", {month_short}},
      {"Monday", {weekday_name}},
      {"Mon", {weekday_short}},
      {"MST", {abbreviation}},
      {"002", {year_day, 3}},
      {"01", {month, 2}},
      {"02", {day, 2}},
      {"03", {hour_of_half, 2}},
      {"04", {minute, 2}},
      {"05", {second, 2}},
      {"06", {year_of_century, 2}},
      {"15", {hour, 2}},
      {"1", {month, 2, DatePad::none}},
      {"2006", {year, 4}},
      {"2", {day, 2, DatePad::none}},
      {"__2", {year_day, 3, DatePad::space}},
      {"_2", {day, 2, DatePad::space}},
      {"3", {hour_of_half, 2, DatePad::none}},
      {"4", {minute, 2, DatePad::none}},
      {"5", {second, 2, DatePad::none}},
      {"PM", {half_upper}},
      {"pm", {half_lower}},
      {"-070000", {offset, 3}},
      {"-07:00:00", {.field = offset, .width = 3, .colon = true}},
      {"-0700", {offset, 2}},
      {"-07:00", {.field = offset, .width = 2, .colon = true}},
      {"-07", {offset, 1}},
      {"Z070000", {.field = offset, .width = 3, .z = true}},
      {"Z07:00:00", {.field = offset, .width = 3, .colon = true, .z = true}},
      {"Z0700", {.field = offset, .width = 2, .z = true}},
      {"Z07:00", {.field = offset, .width = 2, .colon = true, .z = true}},
      {"Z07", {.field = offset, .width = 1, .z = true}},
  };
  for (const LayoutWord& word : words)
    if (text.starts_with(word.text) && !undone_by(word, text.substr(word.text.size())))
      return &word;
  return nullptr;
}

/// `.000` and `,999` of any length, unless another digit follows.
size_t fraction_digits(std::string_view rest) {
  if (rest.size() < 2 || (rest[0] != '.' && rest[0] != ',')) return 0;
  if (rest[1] != '0' && rest[1] != '9') return 0;
  size_t end = std::min(rest.find_first_not_of(rest[1], 1), rest.size());
  bool digit_follows = end < rest.size() && rest[end] >= '0' && rest[end] <= '9';
  return digit_follows ? 0 : end - 1;
}

}  // namespace

DatePattern layout_pattern(std::string_view layout) {
  DatePattern pattern;
  while (!layout.empty()) {
    if (size_t digits = fraction_digits(layout)) {
      pattern.push_back({.field = DateField::fraction,
                         .width = static_cast<uint8_t>(digits),
                         .letter = layout[0],
                         .trimmed = layout[1] == '9'});
      layout.remove_prefix(digits + 1);
      continue;
    }
    const LayoutWord* word = layout_word_at(layout);
    if (word == nullptr) {
      pattern.push_back({.field = DateField::literal, .letter = layout[0]});
      layout.remove_prefix(1);
      continue;
    }
    pattern.push_back(word->piece);
    layout.remove_prefix(word->text.size());
  }
  return pattern;
}

}  // namespace fermata::graph
