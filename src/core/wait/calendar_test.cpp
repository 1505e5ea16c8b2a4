#include "core/wait/calendar.h"

#include <gtest/gtest.h>

namespace fermata {

//
TEST(Calendar, months_end_where_the_month_ends) {
  EXPECT_EQ(plus_months({2028, 1, 31}, 1), (CivilDate{2028, 2, 29}));
  EXPECT_EQ(plus_months({2026, 3, 31}, -1), (CivilDate{2026, 2, 28}));
  EXPECT_EQ(plus_months({2024, 2, 29}, 12), (CivilDate{2025, 2, 28}));
  EXPECT_EQ(plus_months({2026, 1, 15}, -13), (CivilDate{2024, 12, 15}));
  EXPECT_EQ(plus_months({2026, 12, 31}, 2), (CivilDate{2027, 2, 28}));
}

TEST(Calendar, weekdays_and_days_of_the_year_count_from_their_beginning) {
  EXPECT_EQ(weekday_of({2026, 1, 26}), 1);
  EXPECT_EQ(weekday_of({1969, 12, 28}), 0);
  EXPECT_EQ(day_of_year({2024, 12, 31}), 366);
  EXPECT_EQ(plus_days({2024, 2, 28}, 2), (CivilDate{2024, 3, 1}));
}

TEST(Calendar, local_times_are_written_without_an_offset) {
  EXPECT_EQ(to_text(LocalTime{{2026, 1, 26}, 36'000'000}), "2026-01-26T10:00:00");
  EXPECT_EQ(to_text(LocalTime{{2026, 1, 26}, 5}), "2026-01-26T00:00:00.005");
}

}  // namespace fermata
