#include "base/result.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <type_traits>
#include <vector>

namespace fermata {
namespace {

using Words = Result<std::vector<std::string>, int>;

Words three_words() {
  return std::vector<std::string>{"a word too long to be kept in place", "another", "last"};
}

// A range-based loop keeps what its expression gives alive, but not what that was taken from.
TEST(Result, content_of_a_passing_result_can_be_looped_over) {
  std::string all;
  for (const std::string& word : three_words().value()) all += word + ".";
  for (const std::string& word : *three_words()) all += word.substr(0, 1);
  EXPECT_EQ(all, "a word too long to be kept in place.another.last.aal");
  static_assert(std::is_same_v<decltype(three_words().value()), std::vector<std::string>>);
  static_assert(std::is_same_v<decltype(*three_words()), std::vector<std::string>>);
}

TEST(Result, content_is_moved_out_and_not_copied) {
  Result<std::unique_ptr<int>, int> result = std::make_unique<int>(7);
  int* content = result->get();
  std::unique_ptr<int> taken = *std::move(result);
  EXPECT_EQ(taken.get(), content);
  Words words = three_words();
  const std::string* first = words->data();
  EXPECT_EQ(std::move(words).value().data(), first);
}

TEST(Result, a_failure_has_no_content) {
  Words failed = Failure{4};
  EXPECT_FALSE(failed);
  EXPECT_EQ(failed.error(), 4);
}

}  // namespace
}  // namespace fermata
