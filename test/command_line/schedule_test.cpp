#include <gtest/gtest.h>

#include "base/json.h"
#include "test/command_line/process.h"

namespace fermata::test {
namespace {

// F-58, F-60
TEST(ScheduleNext, shows_each_occurrence_by_both_clocks) {
  std::vector<std::string> words = {
      "schedule", "next", "30 2 * * *", "--zone", "Europe/Berlin", "--from", "2026-03-28T12:00:00Z",
      "-n",       "2"};
  Finished shown = fermata(words);
  EXPECT_EQ(shown.exit, 0) << shown.err;
  EXPECT_EQ(shown.out,
            "2026-03-29T03:00:00+02:00  2026-03-29T01:00:00.000Z  CEST\n"
            "2026-03-30T02:30:00+02:00  2026-03-30T00:30:00.000Z  CEST\n");
  words.insert(words.end(), {"--gap-policy", "shift", "--json"});
  Finished shifted = fermata(words, {"TZ=Asia/Tokyo"});
  EXPECT_EQ(shifted.exit, 0) << shifted.err;
  EXPECT_EQ(parse_json(shifted.out)->get("next").items()[0].get("at"),
            Value("2026-03-29T01:30:00.000Z"));
}

// F-59
TEST(ScheduleNext, mistakes_are_told_with_what_to_do) {
  Finished zone = fermata({"schedule", "next", "@daily", "--zone", "Europe/Berlim"});
  EXPECT_EQ(zone.exit, 4);
  EXPECT_NE(zone.err.find("Did you mean \"Europe/Berlin\"?"), std::string::npos) << zone.err;
  EXPECT_EQ(fermata({"schedule", "next", "0 0 30 2 *"}).exit, 4);
  EXPECT_EQ(fermata({"schedule", "soon", "@daily"}).exit, 2);
  EXPECT_EQ(fermata({"schedule", "next"}).exit, 2);
}

// W-48
TEST(ZoneData, of_a_directory_that_cannot_be_read_is_refused_and_never_replaced) {
  Finished nowhere = fermata({"schedule", "next", "@daily"}, {"FERMATA_TZDATA=/nowhere"});
  EXPECT_EQ(nowhere.exit, 2);
  EXPECT_NE(nowhere.err.find("tzdata: /nowhere"), std::string::npos) << nowhere.err;
  EXPECT_NE(fermata({"version"}).out.find("(zone data 20"), std::string::npos);
}

}  // namespace
}  // namespace fermata::test
