#include "core/flow/names.h"

#include <algorithm>

namespace fermata::flow {

namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

/// Changes needed to turn one name into the other: insertions, removals, replacements and swapped
/// neighbours. Case costs nothing, so `math` is as near to `Math` as can be.
size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<size_t>> cost(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) cost[i][0] = i;
  for (size_t j = 0; j <= b.size(); ++j) cost[0][j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    for (size_t j = 1; j <= b.size(); ++j) {
      size_t change = lower(a[i - 1]) != lower(b[j - 1]);
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, cost[i - 1][j - 1] + change});
      bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
    }
  }
  return cost[a.size()][b.size()];
}

constexpr size_t name_length_max = 64;

}  // namespace

std::string_view nearest_name(std::string_view name,
                              const std::vector<std::string_view>& candidates) {
  if (name.size() > name_length_max) return {};
  size_t best = std::max<size_t>(1, name.size() / 3) + 1;
  std::string_view found;
  for (std::string_view candidate : candidates) {
    if (candidate.size() > name_length_max) continue;
    size_t cost = distance(name, candidate);
    // Something of the name must be left, else every letter is near to every other.
    if (cost >= best || cost >= std::min(name.size(), candidate.size())) continue;
    best = cost;
    found = candidate;
  }
  return found;
}

std::string did_you_mean(std::string_view name, const std::vector<std::string_view>& candidates) {
  std::string_view found = nearest_name(name, candidates);
  if (found.empty()) return {};
  return "; did you mean " + quoted(found) + "?";
}

}  // namespace fermata::flow
