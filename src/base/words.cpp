#include "base/words.h"

#include <algorithm>
#include <vector>

namespace fermata {
namespace {

constexpr size_t shown_bytes_max = 60;
constexpr size_t nearest_word_max = 40;

char lowered(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// Optimal string alignment distance without regard to case: swapped letters count once.
size_t word_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      bool same = lowered(a[i - 1]) == lowered(b[j - 1]);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (same ? 0 : 1)});
      bool swapped = i > 1 && j > 1 && lowered(a[i - 1]) == lowered(b[j - 2]) &&
                     lowered(a[i - 2]) == lowered(b[j - 1]);
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

}  // namespace

std::string shortened(std::string text) {
  if (text.size() <= shown_bytes_max) return text;
  size_t end = shown_bytes_max;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return text.substr(0, end) + "…";
}

std::string quoted(std::string_view text) { return '"' + shortened(std::string(text)) + '"'; }

std::string_view nearest_word(std::string_view word, std::span<const std::string_view> candidates) {
  if (word.empty() || word.size() > nearest_word_max) return {};
  std::string_view best;
  size_t best_distance = std::max<size_t>(1, word.size() / 3) + 1;
  for (std::string_view candidate : candidates) {
    size_t shorter = std::min(candidate.size(), word.size());
    size_t longer = std::max(candidate.size(), word.size());
    if (longer - shorter >= best_distance) continue;
    size_t distance = word_distance(word, candidate);
    if (distance >= best_distance) continue;
    best = candidate;
    best_distance = distance;
  }
  return best;
}

}  // namespace fermata
