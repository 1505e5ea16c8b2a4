#include "core/graph/nodes/date_pattern.h"

#include <gtest/gtest.h>

#include "core/graph/nodes/date_time.h"

namespace fermata::graph {
namespace {

std::string written(std::string_view format, std::string_view at, std::string_view zone = "UTC") {
  auto pattern = date_pattern(format);
  if (!pattern) return pattern.error();
  return write_date(*pattern,
                    local_moment(*parse_rfc3339(at), *zone_or_offset(*utc_table(), zone)));
}

std::string read(std::string_view format, std::string_view text, std::string_view zone = "UTC") {
  auto pattern = date_pattern(format);
  if (!pattern) return pattern.error();
  auto at = read_date(text, *pattern, *zone_or_offset(*utc_table(), zone));
  return at ? to_rfc3339(*at) : "unreadable";
}

constexpr std::string_view moment = "2026-02-03T04:05:06.078Z";

// G-55
TEST(ReferenceLayout, writes_the_parts_of_the_reference_time) {
  EXPECT_EQ(written("2006-01-02 15:04:05", moment), "2026-02-03 04:05:06");
  EXPECT_EQ(written("2006-01-02T15:04:05Z07:00", moment), "2026-02-03T04:05:06Z");
  EXPECT_EQ(written("2006-01-02T15:04:05Z07:00", moment, "-03:30"), "2026-02-03T00:35:06-03:30");
  EXPECT_EQ(written("Mon, 02 Jan 2006 15:04:05 MST", moment), "Tue, 03 Feb 2026 04:05:06 UTC");
  EXPECT_EQ(written("Monday, January 2, 2006", moment), "Tuesday, February 3, 2026");
  EXPECT_EQ(written("3:04PM", "2026-02-03T00:05:00Z"), "12:05AM");
  EXPECT_EQ(written("03:4:5 pm", "2026-02-03T13:05:06Z"), "01:5:6 pm");
  EXPECT_EQ(written("1/2/06", moment), "2/3/26");
  EXPECT_EQ(written("Jan _2|__2|002", moment), "Feb  3| 34|034");
}

// G-55
TEST(ReferenceLayout, writes_fractions_and_offsets) {
  EXPECT_EQ(written("15:04:05.000", moment), "04:05:06.078");
  EXPECT_EQ(written("15:04:05.000000", moment), "04:05:06.078000");
  EXPECT_EQ(written("15:04:05,00", moment), "04:05:06,07");
  EXPECT_EQ(written("15:04:05.999", moment), "04:05:06.078");
  EXPECT_EQ(written("15:04:05.999999", "2026-02-03T04:05:06.500Z"), "04:05:06.5");
  EXPECT_EQ(written("15:04:05.999", "2026-02-03T04:05:06Z"), "04:05:06");
  EXPECT_EQ(written("-0700 -07:00 -07 -070000 -07:00:00", moment, "+05:30"),
            "+0530 +05:30 +05 +053000 +05:30:00");
  EXPECT_EQ(written("2006 Z0700 Z07", moment), "2026 Z Z");
  EXPECT_EQ(written("2006 MST", moment, "+05:30"), "2026 +0530");
}

// G-55
TEST(ReferenceLayout, leaves_other_words_alone) {
  EXPECT_EQ(written("Month 01", moment), "Month 02");
  EXPECT_EQ(written("Janet 2006", moment), "Janet 2026");
  EXPECT_EQ(written("_2006_", moment), "_2026_");
  EXPECT_EQ(written("v.01", moment), "v.02");
}

// G-55
TEST(Strftime, writes_the_usual_conversions) {
  EXPECT_EQ(written("%Y-%m-%d %H:%M:%S", moment), "2026-02-03 04:05:06");
  EXPECT_EQ(written("%F %T %R %D", moment), "2026-02-03 04:05:06 04:05 02/03/26");
  EXPECT_EQ(written("%a %A %b %B %h", moment), "Tue Tuesday Feb February Feb");
  EXPECT_EQ(written("%c", moment), "Tue Feb  3 04:05:06 2026");
  EXPECT_EQ(written("%I:%M %p %P %r", "2026-02-03T13:05:06Z"), "01:05 PM pm 01:05:06 PM");
  EXPECT_EQ(written("%e|%k|%l|%j|%C|%y", moment), " 3| 4| 4|034|20|26");
  EXPECT_EQ(written("%-d/%-m %_H %0e", moment), "3/2  4 03");
  EXPECT_EQ(written("%f %L %N", moment), "078000 078 078000000");
  EXPECT_EQ(written("%z %:z %Z", moment, "+05:30"), "+0530 +05:30 +0530");
  EXPECT_EQ(written("%s", moment), "1770091506");
  EXPECT_EQ(written("%s", "1969-12-31T23:59:59.5Z"), "-1");
  EXPECT_EQ(written("100%% %Y%n%t", moment), "100% 2026\n\t");
}

// G-55
TEST(Strftime, counts_weeks_in_three_ways) {
  EXPECT_EQ(written("%G-W%V-%u %g %U %W %w", "2026-01-01T00:00:00Z"), "2026-W01-4 26 00 00 4");
  EXPECT_EQ(written("%G-W%V-%u %U %W", "2027-01-01T00:00:00Z"), "2026-W53-5 00 00");
  EXPECT_EQ(written("%G-W%V-%u %U %W %w", "2024-12-29T00:00:00Z"), "2024-W52-7 52 52 0");
  EXPECT_EQ(written("%G-W%V %U %W", "2024-12-30T00:00:00Z"), "2025-W01 52 53");
}

// G-55
TEST(DateFormat, that_makes_no_sense_is_refused) {
  EXPECT_EQ(written("%Y %Q", moment), "has the unknown conversion %Q");
  EXPECT_EQ(written("%Y %", moment), "has the unknown conversion %");
  EXPECT_EQ(written("%-a", moment), "has the unknown conversion %-a");
  EXPECT_EQ(written("%:Y", moment), "has the unknown conversion %:Y");
  EXPECT_EQ(written("YYYY-MM-DD", moment), "names no part of a date; write %Y-%m-%d or 2006-01-02");
  EXPECT_EQ(written("%%", moment), "names no part of a date; write %Y-%m-%d or 2006-01-02");
  EXPECT_EQ(written(std::string(date_format_bytes_max + 1, '2'), moment),
            "is longer than 256 bytes");
}

// G-55
TEST(DateReading, follows_the_format) {
  EXPECT_EQ(read("02/01/2006 15:04", "03/02/2026 04:05"), "2026-02-03T04:05:00.000Z");
  EXPECT_EQ(read("%d.%m.%Y %H:%M", "3.2.2026 4:05", "+02:00"), "2026-02-03T02:05:00.000Z");
  EXPECT_EQ(read("January 2, 2006 3:04 PM", "february 3, 2026 12:05 am"),
            "2026-02-03T00:05:00.000Z");
  EXPECT_EQ(read("2 Jan 06 15:04 -0700", "3 FEB 26 04:05 -0130"), "2026-02-03T05:35:00.000Z");
  EXPECT_EQ(read("20060102150405", "20260203040506"), "2026-02-03T04:05:06.000Z");
  EXPECT_EQ(read("2006.002", "2024.366"), "2024-12-31T00:00:00.000Z");
  EXPECT_EQ(read("%s", "1770091506"), "2026-02-03T04:05:06.000Z");
  EXPECT_EQ(read("%s", "-1"), "1969-12-31T23:59:59.000Z");
  EXPECT_EQ(read("%e %b %Y %u", " 3 Feb 2026 2"), "2026-02-03T00:00:00.000Z");
  EXPECT_EQ(read("%C%y", "1999"), "1999-01-01T00:00:00.000Z");
  EXPECT_EQ(read("06", "68"), "2068-01-01T00:00:00.000Z");
  EXPECT_EQ(read("06", "69"), "1969-01-01T00:00:00.000Z");
}

// G-55
TEST(DateReading, takes_fractions_with_and_without_being_asked) {
  EXPECT_EQ(read("2006-01-02 15:04:05", "2026-02-03 04:05:06.0789"), "2026-02-03T04:05:06.078Z");
  EXPECT_EQ(read("2006-01-02 15:04:05.000", "2026-02-03 04:05:06,5"), "2026-02-03T04:05:06.500Z");
  EXPECT_EQ(read("2006-01-02 15:04:05.999", "2026-02-03 04:05:06"), "2026-02-03T04:05:06.000Z");
  EXPECT_EQ(read("%F %T.%f", "2026-02-03 04:05:06.250000"), "2026-02-03T04:05:06.250Z");
  EXPECT_EQ(read("%F %T. %Z", "2026-02-03 04:05:06. EST"), "2026-02-03T09:05:06.000Z");
  EXPECT_EQ(read("2006-01-02 15:04:05.000", "2026-02-03 04:05:06"), "unreadable");
}

// G-55
TEST(DateReading, refuses_what_does_not_exist) {
  for (std::string_view text :
       {"2026-02-29 00:00:00", "2026-13-01 00:00:00", "2026-00-01 00:00:00", "2026-01-00 00:00:00",
        "2026-01-01 24:00:00", "2026-01-01 00:60:00", "2026-01-01 00:00:60", "2026-01-01 00:00:00 ",
        "2026-01-01 00:00", "26-01-01 00:00:00", "", "2026-01-01 00:00:00."})
    EXPECT_EQ(read("2006-01-02 15:04:05", text), "unreadable") << text;
  EXPECT_EQ(read("2006 3 PM", "2026 13 PM"), "unreadable");
  EXPECT_EQ(read("2006 -07:00", "2026 +24:00"), "unreadable");
  EXPECT_EQ(read("2006 MST", "2026 IST"), "unreadable");
  EXPECT_EQ(read("2006.002", "2026.366"), "unreadable");
  EXPECT_EQ(read("15:04", "04:05"), "unreadable");
  EXPECT_EQ(read("%G-W%V", "2026-W01"), "unreadable");
  EXPECT_EQ(read("2006", std::string(date_text_bytes_max + 1, '1')), "unreadable");
}

// G-55
TEST(StandardDates, are_read_with_and_without_offset) {
  auto standard = [](std::string_view text) {
    auto at = read_standard_date(text, *zone_or_offset(*utc_table(), "+02:00"));
    return at ? to_rfc3339(*at) : "unreadable";
  };
  for (std::string_view text :
       {"2026-02-03T04:05:00Z", "2026-02-03T04:05:00.000+00:00", "2026-02-03 06:05",
        "2026-2-3 6:05:00", "2026-02-03T06:05", "2026-02-03T06:05:00", "2026-02-03 04:05:00Z",
        "Tue, 03 Feb 2026 04:05:00 GMT", "Tue, 3 Feb 2026 06:05:00 +0200", "03 Feb 26 04:05 UT",
        "Mon, 02 Feb 26 23:05 EST", "3 Feb 2026 04:05:00 Z"})
    EXPECT_EQ(standard(text), "2026-02-03T04:05:00.000Z") << text;
  EXPECT_EQ(standard("2026-02-03"), "2026-02-02T22:00:00.000Z");
  EXPECT_EQ(standard("2026-02-03 06:05:00.250"), "2026-02-03T04:05:00.250Z");
  for (std::string_view text : {"", "tomorrow", "2026", "2026-02", "03/02/2026", "1770091506",
                                "2026-02-30", "2026-02-03 04:05:06 and more"})
    EXPECT_EQ(standard(text), "unreadable") << text;
}

}  // namespace
}  // namespace fermata::graph
