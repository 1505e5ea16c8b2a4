#include "front/line_diff.h"

#include <gtest/gtest.h>

#include <string>

namespace fermata::front {
namespace {

std::string told(std::string_view from, std::string_view to, size_t cells_max = 1'000) {
  std::string out;
  for (const DiffLine& line : diff_lines(from, to, cells_max))
    out += std::string(1, line.op) + std::string(line.text) + " ";
  return out;
}

TEST(LineDiff, lines_that_stay_are_told_once) {
  EXPECT_EQ(told("a\nb\nc", "a\nx\nc"), "=a -b +x =c ");
  EXPECT_EQ(told("a\nb\nc\nd\n", "b\nc\nd\ne\n"), "-a =b =c =d +e ");
  EXPECT_EQ(told("", "a\nb"), "+a +b ");
  EXPECT_EQ(told("a", ""), "-a ");
  EXPECT_EQ(told("a\n\nb", "a\n\nb\n"), "=a = =b ");
}

TEST(LineDiff, lines_know_their_numbers) {
  auto lines = diff_lines("a\nb\nc", "a\nc\nd");
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(lines[1].from, 2u);
  EXPECT_EQ(lines[1].to, 0u);
  EXPECT_EQ(lines[2].from, 3u);
  EXPECT_EQ(lines[2].to, 2u);
  EXPECT_EQ(lines[3].to, 3u);
}

TEST(LineDiff, what_is_too_large_is_taken_out_and_put_in) {
  EXPECT_EQ(told("s\na\nb\nc\ne", "s\nb\nd\ne", 4), "=s -a -b -c +b +d =e ");
}

}  // namespace
}  // namespace fermata::front
