#pragma once
#include <string_view>
#include <vector>

/// Two texts compared line by line.
namespace fermata::front {

struct DiffLine {
  char op = '=';    ///< `=` in both, `-` in the first only, `+` in the second only
  size_t from = 0;  ///< 1-based line of the first text, 0 for `+`
  size_t to = 0;    ///< of the second, 0 for `-`
  std::string_view text;
};

/// A shortest way from one to the other. Where the parts that differ are too large to be held
/// against each other (`cells_max` pairs of lines) all of the one is taken out and all of the other
/// put in. The lines point into the texts.
std::vector<DiffLine> diff_lines(std::string_view from, std::string_view to,
                                 size_t cells_max = 4'000'000);

}  // namespace fermata::front
