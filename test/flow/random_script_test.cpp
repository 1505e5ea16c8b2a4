#include <gtest/gtest.h>

#include "core/flow/script.h"
#include "sim/model/flow_script.h"

namespace fermata::test {
namespace {

using flow::CheckedScript;
using sim::model::ScriptShape;
using sim::model::ScriptWriter;

constexpr uint64_t seeds = 400;

std::string script(uint64_t seed) {
  ScriptShape shape;
  shape.effects = seed % 3 != 0;
  shape.workflow = seed % 2 == 0;
  shape.odd_layout = seed % 5 != 0;
  return ScriptWriter(seed, shape).write();
}

// F-1, F-5, F-6, F-7, F-8
TEST(RandomScripts, all_pass_the_checks) {
  for (uint64_t seed = 1; seed <= seeds; ++seed) {
    std::string source = script(seed);
    CheckedScript checked = flow::check_script(source);
    ASSERT_TRUE(checked.errors.empty())
        << "seed " << seed << ", " << checked.errors[0].line << ":" << checked.errors[0].column
        << " " << checked.errors[0].message << "\n"
        << source;
  }
}

TEST(RandomScripts, are_the_same_for_the_same_seed) {
  EXPECT_EQ(script(7), script(7));
  EXPECT_NE(script(7), script(9));
}

/// A script with something torn out, doubled or put in.
std::string damaged(std::string source, Random& dice) {
  static constexpr std::string_view pieces[] = {"(",  ")",    "{",     "}",    "[",     "]",
                                                "`",  "${",   "'",     "/*",   "=>",    ";",
                                                "\n", "else", "await", "let ", "class", "é"};
  size_t at = dice.below(source.size());
  switch (dice.below(3)) {
    case 0: source.erase(at, dice.below(8) + 1); break;
    case 1: source.insert(at, source.substr(dice.below(source.size()), dice.below(12))); break;
    default: source.insert(at, pieces[dice.below(std::size(pieces))]);
  }
  return source;
}

// F-57
TEST(RandomScripts, damaged_ones_are_answered_with_places_inside_the_text) {
  Random dice(11);
  for (uint64_t seed = 1; seed <= seeds; ++seed) {
    std::string source = script(seed);
    for (int i = 0; i < 4; ++i) source = damaged(std::move(source), dice);
    CheckedScript checked = flow::check_script(source);
    int lines = 1 + static_cast<int>(std::count(source.begin(), source.end(), '\n'));
    for (const Finding& finding : checked.errors) {
      ASSERT_GE(finding.line, 1);
      ASSERT_LE(finding.line, lines) << source;
      ASSERT_GE(finding.column, 1);
      ASSERT_FALSE(finding.message.empty());
    }
    bool sorted = std::is_sorted(checked.errors.begin(), checked.errors.end(),
                                 [](const Finding& a, const Finding& b) {
                                   return std::pair(a.line, a.column) < std::pair(b.line, b.column);
                                 });
    ASSERT_TRUE(sorted) << source;
  }
}

}  // namespace
}  // namespace fermata::test
