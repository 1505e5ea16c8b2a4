#include "front/wait_calendar.h"

#include <gtest/gtest.h>

#include "base/json.h"

namespace fermata::front {
namespace {

const Instant now = *parse_rfc3339("2026-01-26T10:00:00Z");

WaitSlot slot(const char* at, const char* type, uint64_t waits) {
  return {*parse_rfc3339(at), type, waits};
}

/// A zone that is 5 h 45 min ahead, as Nepal is.
ZoneTable zones() {
  return {"test",
          {{"Asia/Kathmandu", std::make_shared<const Zone>(Zone::fixed(20'700, "+0545"))},
           {"UTC", std::make_shared<const Zone>(Zone::fixed(0, "UTC"))}}};
}

// W-21
TEST(WaitCalendar, days_and_hours_begin_where_the_zone_has_them) {
  ZoneTable table = zones();
  auto day =
      read_calendar({{"bucket", "day"}, {"zone", "Asia/Kathmandu"}}, AccountId("a"), table, now);
  ASSERT_TRUE(day);
  std::vector<WaitSlot> slots{slot("2026-01-26T18:00:00Z", "fixed_time", 2),
                              slot("2026-01-26T18:15:00Z", "fixed_time", 3),
                              slot("2026-01-26T18:15:00Z", "for_event", 4)};
  Value shown = calendar_value(*day, slots);
  ASSERT_EQ(shown.get("buckets").size(), 2u);
  EXPECT_EQ(shown.get("buckets").items()[0].get("start"), Value("2026-01-25T18:15:00.000Z"));
  const Value& second = shown.get("buckets").items()[1];
  EXPECT_EQ(second.get("start"), Value("2026-01-26T18:15:00.000Z"));
  EXPECT_EQ(second.get("local_start"), Value("2026-01-27T00:00:00"));
  EXPECT_EQ(second.get("total"), Value(7));
  EXPECT_EQ(second.get("timeouts"), Value(4));
  EXPECT_EQ(second.get("by_type").get("fixed_time"), Value(3));
  auto hour = read_calendar({{"zone", "Asia/Kathmandu"}}, AccountId("a"), table, now);
  EXPECT_EQ(calendar_value(*hour, slots).get("buckets").items()[0].get("start"),
            Value("2026-01-26T17:15:00.000Z"));
}

TEST(WaitCalendar, mistakes_are_named) {
  ZoneTable table = zones();
  auto code = [&](const NamedValues& query) {
    auto read = read_calendar(query, AccountId("a"), table, now);
    return read ? std::string() : std::string(name_of(read.error().code));
  };
  EXPECT_EQ(code({}), "");
  EXPECT_EQ(code({{"zone", "Mars/Olympus"}}), "unknown_timezone");
  EXPECT_EQ(code({{"bucket", "week"}}), "invalid_query");
  EXPECT_EQ(code({{"from", "2026-02-01T00:00:00Z"}, {"to", "2026-01-01T00:00:00Z"}}),
            "invalid_query");
  EXPECT_EQ(code({{"from", "2026-01-01T00:00:00Z"}, {"to", "2027-01-03T00:00:00Z"}}),
            "invalid_query");
}

}  // namespace
}  // namespace fermata::front
