#include "base/error.h"

#include <gtest/gtest.h>

#include <memory>

namespace fermata {
namespace {

Outcome<int> half(int number) {
  if (number % 2 != 0) return fail(ErrorCode::invalid_field, "odd");
  return number / 2;
}

Outcome<int> quarter(int number) {
  FERMATA_TRY(once, half(number));
  FERMATA_TRY_VOID(half(once));
  return half(once);
}

TEST(Error, every_code_has_its_row_of_the_table) {
  EXPECT_EQ(name_of(ErrorCode::bad_json), "bad_json");
  EXPECT_EQ(http_status_of(ErrorCode::bad_json), 400);
  EXPECT_EQ(name_of(ErrorCode::usage), "usage");
  EXPECT_EQ(http_status_of(ErrorCode::version_conflict), 412);
  EXPECT_FALSE(title_of(ErrorCode::internal).empty());
  EXPECT_FALSE(hint_of(ErrorCode::internal).empty());
}

TEST(Result, failures_return_early_through_the_macros) {
  EXPECT_EQ(*quarter(12), 3);
  EXPECT_EQ(quarter(6).error().message, "odd");
  EXPECT_EQ(quarter(5).error().code, ErrorCode::invalid_field);
}

TEST(Result, values_that_only_move_are_carried) {
  Outcome<std::unique_ptr<int>> result = std::make_unique<int>(5);
  std::unique_ptr<int> taken = *std::move(result);
  EXPECT_EQ(*taken, 5);
}

TEST(ResultDeathTest, reading_the_side_that_is_not_there_ends_the_process) {
  EXPECT_DEATH((void)*half(1), "check failed");
  EXPECT_DEATH((void)half(2).error(), "check failed");
}

}  // namespace
}  // namespace fermata
