#include "base/box.h"

#include <gtest/gtest.h>

#include <string>

namespace fermata {
namespace {

TEST(Box, is_copied_as_a_whole) {
  Box<std::string> first(std::string("one"));
  Box<std::string> second = first;
  *second += " more";
  EXPECT_EQ(*first, "one");
  EXPECT_EQ(*second, "one more");
  first = second;
  EXPECT_EQ(first->size(), 8u);
  first = Box<std::string>(std::string("two"));
  EXPECT_EQ(*first, "two");
}

TEST(Box, moves_without_copying) {
  Box<std::string> first(std::string(100, 'x'));
  const char* text = first->data();
  Box<std::string> second = std::move(first);
  EXPECT_EQ(second->data(), text);
}

TEST(Box, is_made_by_the_first_write) {
  Box<std::string> box;
  EXPECT_EQ(sizeof box, sizeof(void*));
  Box<std::string> copy = box;
  *copy = "written";
  EXPECT_EQ(*copy, "written");
}

}  // namespace
}  // namespace fermata
