#include "core/graph/check_cron.h"

#include <gtest/gtest.h>

namespace fermata::graph {

// G-32
TEST(Cron, names_ranges_lists_and_steps_are_understood) {
  for (std::string_view text : {"* * * * *", "0 9 * * 1-5", "*/15 0,12 1-7 JAN,jul MON-FRI",
                                "  5   4 * *  7 ", "0/10 * 31 * *", "0 0 29 2 *", "0 0 31 2 MON"})
    EXPECT_EQ(cron_mistake(text), "") << text;
}

// G-32
TEST(Cron, mistakes_name_their_field) {
  struct Case {
    std::string_view text, part;
  };
  for (const Case& example :
       {Case{"* * * *", "five fields"}, Case{"", "five fields"}, Case{"* * * * * *", "has 6"},
        Case{"60 * * * *", "minute"}, Case{"* 24 * * *", "hour"}, Case{"* * 0 * *", "day of month"},
        Case{"* * * FEBR *", "month"}, Case{"* * * * 8", "day of week"},
        Case{"*/0 * * * *", "step"}, Case{"5-1 * * * *", "backwards"},
        Case{"1,,2 * * * *", "minute"}, Case{"-1 * * * *", "minute"},
        Case{"0 0 30 2 *", "never comes"}, Case{"0 0 31 4,6 *", "never"}}) {
    std::string mistake = cron_mistake(example.text);
    EXPECT_NE(mistake.find(example.part), std::string::npos) << example.text << ": " << mistake;
  }
}

}  // namespace fermata::graph
