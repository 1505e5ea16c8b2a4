#include "core/flow/front_matter.h"

#include "core/flow/durations.h"
#include "core/flow/names.h"

namespace fermata::flow {

namespace {

constexpr std::string_view fence = "```";

std::string_view without_spaces(std::string_view text) {
  constexpr std::string_view space = " \t\r";
  size_t begin = text.find_first_not_of(space);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(space) - begin + 1);
}

/// One line of the front matter and where its value begins.
struct Line {
  std::string_view key;
  std::string_view value;
  size_t offset;
};

void take_line(const Line& line, FrontMatter& front, Issues& issues) {
  auto refuse = [&](std::string_view expected) {
    issues.add(Check::syntax, line.offset,
               quoted(line.key) + " takes " + std::string(expected) + ", not " +
                   quoted(line.value.substr(0, 40)));
  };
  if (line.key == "compat") {
    front.rhythm = line.value == "rhythm";
    if (!front.rhythm) refuse("`rhythm`");
  } else if (line.key == "strict") {
    front.strict = line.value == "true";
    if (!front.strict && line.value != "false") refuse("`true` or `false`");
  } else if (line.key == "description") {
    front.description = line.value;
  } else if (line.key == "timeout") {
    front.timeout = read_duration(line.value);
    if (!front.timeout || front.timeout->ms <= 0) refuse("a duration such as `2h`");
  } else if (line.key == "on_failure") {
    front.rolls_back = line.value == "rollback";
    if (!front.rolls_back && line.value != "keep") refuse("`keep` or `rollback`");
  }
}

}  // namespace

FrontMatter read_front_matter(std::string_view text, Issues& issues) {
  FrontMatter front;
  size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos || !text.substr(begin).starts_with(fence)) return front;
  size_t opened = begin;
  // What may follow the first fence on its line, such as a language, means nothing.
  size_t at = text.find('\n', begin);
  while (at != std::string_view::npos) {
    size_t line_begin = at + 1;
    at = text.find('\n', line_begin);
    std::string_view line = text.substr(
        line_begin, at == std::string_view::npos ? std::string_view::npos : at - line_begin);
    if (without_spaces(line) == fence) {
      front.end = line_begin + line.size();
      return front;
    }
    size_t colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    std::string_view value = without_spaces(line.substr(colon + 1));
    size_t offset =
        value.empty() ? line_begin + colon : static_cast<size_t>(value.data() - text.data());
    take_line({without_spaces(line.substr(0, colon)), value, offset}, front, issues);
  }
  issues.add(Check::syntax, opened, "the front matter has no end: expected a line of ```");
  front.end = text.size();
  return front;
}

}  // namespace fermata::flow
