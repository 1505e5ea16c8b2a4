#include "core/flow/names.h"

#include <gtest/gtest.h>

namespace fermata::flow {
namespace {

TEST(Names, the_nearest_candidate_is_suggested_if_it_is_near) {
  std::vector<std::string_view> known{"Math", "map", "filter", "parseInt"};
  EXPECT_EQ(nearest_name("math", known), "Math");
  EXPECT_EQ(nearest_name("mpa", known), "map");
  EXPECT_EQ(nearest_name("fliter", known), "filter");
  EXPECT_EQ(nearest_name("parsInt", known), "parseInt");
  EXPECT_EQ(nearest_name("xyzzy", known), "");
  EXPECT_EQ(nearest_name("x", {"y", "i", "z"}), "");
  EXPECT_EQ(nearest_name("x", {"y", "X"}), "X");
  EXPECT_EQ(nearest_name(std::string(100'000, 'x'), known), "");
  EXPECT_EQ(did_you_mean("fliter", known), "; did you mean `filter`?");
  EXPECT_EQ(did_you_mean("xyzzy", known), "");
}

}  // namespace
}  // namespace fermata::flow
