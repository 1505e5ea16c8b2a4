#include "cli/arguments.h"

#include <gtest/gtest.h>

namespace fermata::cli {
namespace {

const Option options[] = {
    {"server", "URL", "the server"},
    {"set", "NAME=VALUE", "a field", true},
    {"dry-run", "", "only look"},
};

Outcome<Arguments> parse(std::vector<std::string> words) {
  return Arguments::parse(words, options);
}

TEST(Arguments, options_and_words_stand_in_any_order) {
  auto arguments = parse({"a", "--server", "x", "b", "--dry-run", "--set=k=v", "--set", "l=w"});
  ASSERT_TRUE(arguments);
  EXPECT_EQ(arguments->positional(), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(arguments->get("server"), "x");
  EXPECT_TRUE(arguments->is_set("dry-run"));
  EXPECT_EQ(arguments->all("set"), (std::vector<std::string>{"k=v", "l=w"}));
}

TEST(Arguments, two_dashes_end_the_options) {
  auto arguments = parse({"--", "--server"});
  ASSERT_TRUE(arguments);
  EXPECT_EQ(arguments->positional(), std::vector<std::string>{"--server"});
}

TEST(Arguments, underscores_count_as_dashes) {
  auto arguments = parse({"--dry_run=false"});
  ASSERT_TRUE(arguments);
  EXPECT_TRUE(arguments->has("dry-run"));
  EXPECT_FALSE(arguments->is_set("dry-run"));
}

//
TEST(Arguments, unknown_option_names_the_nearest_one) {
  auto arguments = parse({"--sever", "x"});
  ASSERT_FALSE(arguments);
  EXPECT_EQ(arguments.error().code, ErrorCode::usage);
  EXPECT_NE(arguments.error().message.find("--server"), std::string::npos);
}

TEST(Arguments, missing_value_and_repeated_option_are_refused) {
  EXPECT_FALSE(parse({"--server"}));
  EXPECT_FALSE(parse({"--server", "a", "--server", "b"}));
}

TEST(Arguments, numbers_are_read_whole) {
  const Option numbers[] = {{"limit", "N", "how many"}};
  auto number = [&](std::string text) {
    std::vector<std::string> words = {"--limit", std::move(text)};
    auto arguments = Arguments::parse(words, numbers);
    return arguments->number("limit", 1);
  };
  EXPECT_EQ(*number("12"), 12u);
  EXPECT_FALSE(number("0"));
  EXPECT_FALSE(number("12x"));
  EXPECT_FALSE(number("-1"));
}

TEST(Arguments, word_counts_are_checked) {
  auto arguments = parse({"a", "b"});
  EXPECT_TRUE(arguments->expect(1, 2, "a FILE"));
  EXPECT_FALSE(arguments->expect(3, 3, "a FILE"));
  EXPECT_FALSE(arguments->expect(1, 1, "a FILE"));
  EXPECT_FALSE(parse({""})->expect(1, 1, "a FILE"));
}

TEST(Nearest, finds_slips_and_beginnings_but_nothing_far) {
  std::string_view names[] = {"cancel", "history", "completion"};
  EXPECT_EQ(nearest("cancle", names), "cancel");
  EXPECT_EQ(nearest("comp", names), "completion");
  EXPECT_EQ(nearest("xyzzyq", names), "");
  EXPECT_EQ(nearest("nonsense", names), "");
}

}  // namespace
}  // namespace fermata::cli
