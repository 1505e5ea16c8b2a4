#include "front/line_diff.h"

#include <algorithm>
#include <cstdint>

namespace fermata::front {
namespace {

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

/// How long the longest common rest of the lines from (i, j) on is, row by row.
class CommonRest {
 public:
  CommonRest(const std::vector<std::string_view>& from, const std::vector<std::string_view>& to,
             size_t first, size_t from_end, size_t to_end)
      : first_(first), width_(to_end - first + 1), lengths_((from_end - first + 1) * width_, 0) {
    for (size_t i = from_end; i-- > first;)
      for (size_t j = to_end; j-- > first;)
        at(i, j) = from[i] == to[j] ? at(i + 1, j + 1) + 1 : std::max(at(i + 1, j), at(i, j + 1));
  }
  uint32_t& at(size_t i, size_t j) { return lengths_[(i - first_) * width_ + (j - first_)]; }

 private:
  const size_t first_, width_;
  std::vector<uint32_t> lengths_;
};

}  // namespace

std::vector<DiffLine> diff_lines(std::string_view from_text, std::string_view to_text,
                                 size_t cells_max) {
  std::vector<std::string_view> from = lines_of(from_text), to = lines_of(to_text);
  size_t first = 0;
  while (first < from.size() && first < to.size() && from[first] == to[first]) ++first;
  size_t from_end = from.size(), to_end = to.size();
  while (from_end > first && to_end > first && from[from_end - 1] == to[to_end - 1]) {
    --from_end;
    --to_end;
  }
  std::vector<DiffLine> out;
  size_t i = 0, j = 0;
  auto both = [&] { out.push_back({'=', i + 1, j + 1, from[i]}), ++i, ++j; };
  auto gone = [&] { out.push_back({'-', i + 1, 0, from[i]}), ++i; };
  auto come = [&] { out.push_back({'+', 0, j + 1, to[j]}), ++j; };
  while (i < first) both();
  if ((from_end - first + 1) * (to_end - first + 1) <= cells_max) {
    CommonRest rest(from, to, first, from_end, to_end);
    while (i < from_end && j < to_end) {
      if (from[i] == to[j]) {
        both();
      } else if (rest.at(i + 1, j) >= rest.at(i, j + 1)) {
        gone();
      } else {
        come();
      }
    }
  }
  while (i < from_end) gone();
  while (j < to_end) come();
  while (i < from.size()) both();
  return out;
}

}  // namespace fermata::front
