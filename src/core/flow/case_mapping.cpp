#include <algorithm>
#include <iterator>

#include "base/utf8.h"
#include "core/flow/code_points.h"

namespace fermata::flow::utf8 {

namespace {

/// Code points whose other case lies at one distance: all of them, or every second one.
struct CaseRun {
  uint32_t first;
  uint32_t last;
  uint32_t step;
  int32_t difference;
};
struct CaseText {
  uint32_t point;
  std::string_view text;
};

#define CASE_UPPER(first, last, step, difference)
#define CASE_LOWER(first, last, step, difference)
#define CASE_UPPER_TEXT(point, text)
#define CASE_LOWER_TEXT(point, text)

#undef CASE_UPPER
#define CASE_UPPER(first, last, step, difference) {first, last, step, difference},
constexpr CaseRun upper_runs[] = {
#include "core/flow/case_mapping.def"
};
#undef CASE_UPPER
#define CASE_UPPER(first, last, step, difference)

#undef CASE_LOWER
#define CASE_LOWER(first, last, step, difference) {first, last, step, difference},
constexpr CaseRun lower_runs[] = {
#include "core/flow/case_mapping.def"
};
#undef CASE_LOWER
#define CASE_LOWER(first, last, step, difference)

#undef CASE_UPPER_TEXT
#define CASE_UPPER_TEXT(point, text) {point, text},
constexpr CaseText upper_texts[] = {
#include "core/flow/case_mapping.def"
};
#undef CASE_UPPER_TEXT
#define CASE_UPPER_TEXT(point, text)

#undef CASE_LOWER_TEXT
#define CASE_LOWER_TEXT(point, text) {point, text},
constexpr CaseText lower_texts[] = {
#include "core/flow/case_mapping.def"
};

template <size_t n>
uint32_t mapped(const CaseRun (&runs)[n], uint32_t point) {
  const CaseRun* run =
      std::upper_bound(std::begin(runs), std::end(runs), point,
                       [](uint32_t value, const CaseRun& one) { return value < one.first; });
  if (run == std::begin(runs)) return point;
  --run;
  bool inside = point <= run->last && (point - run->first) % run->step == 0;
  return inside ? static_cast<uint32_t>(static_cast<int32_t>(point) + run->difference) : point;
}

template <size_t n>
std::string_view expanded(const CaseText (&texts)[n], uint32_t point) {
  const CaseText* found = std::ranges::lower_bound(texts, point, {}, &CaseText::point);
  return found != std::end(texts) && found->point == point ? found->text : std::string_view();
}

constexpr uint32_t sigma = 0x3a3;
constexpr std::string_view final_sigma = "\xcf\x82";

bool is_cased(uint32_t point) {
  if (point < 0x80) return (point | 0x20) >= 'a' && (point | 0x20) <= 'z';
  return mapped(upper_runs, point) != point || mapped(lower_runs, point) != point ||
         !expanded(upper_texts, point).empty();
}

/// Marks that do not end a word: apostrophes, points between letters, accents of their own.
bool is_ignored(uint32_t point) {
  return point == '\'' || point == '.' || point == ':' || point == 0xad || point == 0xb7 ||
         point == 0x2019 || (point >= 0x300 && point <= 0x36f);
}

/// A capital sigma at the end of a word has a small letter of its own.
bool ends_word(std::string_view text, size_t at) {
  bool after_letter = false;
  for (size_t i = at; i > 0 && !after_letter;) {
    do --i;
    while (i > 0 && (static_cast<unsigned char>(text[i]) & 0xc0) == 0x80);
    uint32_t point = decode(text, i);
    if (is_ignored(point)) continue;
    after_letter = is_cased(point);
    break;
  }
  if (!after_letter) return false;
  for (size_t i = at + width(text[at]); i < text.size(); i += width(text[i])) {
    uint32_t point = decode(text, i);
    if (!is_ignored(point)) return !is_cased(point);
  }
  return true;
}

}  // namespace

std::string to_upper(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t at = 0; at < text.size(); at += width(text[at])) {
    char lead = text[at];
    if (width(lead) == 1) {
      out.push_back(lead >= 'a' && lead <= 'z' ? static_cast<char>(lead - 32) : lead);
      continue;
    }
    uint32_t point = decode(text, at);
    std::string_view several = expanded(upper_texts, point);
    if (several.empty()) {
      append_utf8(out, mapped(upper_runs, point));
    } else {
      out += several;
    }
  }
  return out;
}

std::string to_lower(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t at = 0; at < text.size(); at += width(text[at])) {
    char lead = text[at];
    if (width(lead) == 1) {
      out.push_back(lead >= 'A' && lead <= 'Z' ? static_cast<char>(lead + 32) : lead);
      continue;
    }
    uint32_t point = decode(text, at);
    std::string_view several = expanded(lower_texts, point);
    if (point == sigma && ends_word(text, at)) {
      out += final_sigma;
    } else if (!several.empty()) {
      out += several;
    } else {
      append_utf8(out, mapped(lower_runs, point));
    }
  }
  return out;
}

}  // namespace fermata::flow::utf8
