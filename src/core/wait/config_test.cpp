#include "core/wait/config.h"

#include <gtest/gtest.h>

#include "base/json.h"

namespace fermata::waits {
namespace {

Value json(std::string_view text) { return parse_json(text).value(); }

/// `code path` of every finding, or `fine`.
std::string findings(std::string_view type, std::string_view config, IsOpen is_open = nullptr) {
  auto read = read_config(type, json(config), is_open);
  if (read) return "fine";
  std::string out;
  for (const Finding& finding : read.error())
    out += (out.empty() ? "" : ", ") + finding.code + " " + finding.path;
  return out;
}

template <class Kind>
Kind kind_of(std::string_view type, std::string_view config) {
  auto read = read_config(type, json(config));
  EXPECT_TRUE(read) << config;
  return read ? std::get<Kind>(read->kind) : Kind();
}

}  // namespace

// W-41
TEST(WaitConfig, fixed_time_has_bounds_for_each_unit) {
  EXPECT_EQ(kind_of<FixedTime>("fixed_time", R"({"duration": 59, "unit": "minutes"})").length,
            Duration{59 * 60'000});
  EXPECT_EQ(kind_of<FixedTime>("fixed_time", R"({"duration": 12, "unit": "weeks"})").length,
            Duration{12 * 604'800'000LL});
  for (std::string_view config :
       {R"({"duration": 60, "unit": "minutes"})", R"({"duration": 24, "unit": "hours"})",
        R"({"duration": 31, "unit": "days"})", R"({"duration": 13, "unit": "weeks"})",
        R"({"duration": 1e300, "unit": "weeks"})"})
    EXPECT_EQ(findings("fixed_time", config), "duration_out_of_range /duration") << config;
  for (std::string_view config :
       {R"({"duration": 0, "unit": "minutes"})", R"({"duration": -5, "unit": "minutes"})",
        R"({"duration": 1.5, "unit": "hours"})", R"({"duration": "3", "unit": "hours"})",
        R"({"duration": null, "unit": "hours"})", R"({"unit": "hours"})"})
    EXPECT_EQ(findings("fixed_time", config), "invalid_duration /duration") << config;
  EXPECT_EQ(findings("fixed_time", R"({"duration": 1})"), "invalid_unit /unit");
  EXPECT_EQ(findings("fixed_time", R"({"duration": 1, "unit": "months"})"), "invalid_unit /unit");
  auto refused = read_config("fixed_time", json(R"({"duration": 100, "unit": "weeks"})"));
  EXPECT_NE(refused.error().front().message.find("Maximum wait duration is 12 weeks"),
            std::string::npos);
  refused = read_config("fixed_time", json(R"({"duration": -5, "unit": "minutes"})"));
  EXPECT_EQ(refused.error().front().message, "Duration must be a positive integer");
}

// W-40
TEST(WaitConfig, every_failure_is_listed_and_null_is_absent) {
  EXPECT_EQ(findings("until_time", R"({"target_time": "25:00", "days": [], "dayz": 1,
              "skip_today": "yes", "timezone": null, "gap_policy": "jump"})"),
            "unknown_field /dayz, invalid_time /target_time, invalid_days /days, "
            "invalid_config /skip_today, invalid_config /gap_policy");
  EXPECT_EQ(findings("fixed_time", R"({"duration": 1, "unit": "days", "target_time": "10:00"})"),
            "unknown_field /target_time");
  EXPECT_EQ(findings("until_moon", "{}"), "invalid_config ");
  EXPECT_EQ(findings("until_time", "[]"), "invalid_config ");
  EXPECT_EQ(findings("until_time", R"({"target_time": "10:00", "holidays": null})"), "fine");
}

// W-42
TEST(WaitConfig, until_date_has_one_source_and_real_days) {
  for (std::string_view date :
       {"2026-02-14", "2026-02-14T09:00", "2026-02-14 09:00:00", "2026-02-14T09:00:00.5Z",
        "2026-02-14T09:00:00.123456789+05:45", "2028-02-29T23:59:59-11:00"})
    EXPECT_EQ(findings("until_date", R"({"target_date": ")" + std::string(date) + "\"}"), "fine")
        << date;
  for (std::string_view date :
       {"2027-02-29", "2026-13-01", "2026-00-10", "2026-02-14T24:00", "2026-02-14T23:59:60",
        "2026-02-14T9:00", "14.02.2026", "soon", "", "2026-02-14T09:00:00+24:00", "2026-02-14Z",
        "2026-02-14T09:00:00.", "2026-2-14"})
    EXPECT_EQ(findings("until_date", R"({"target_date": ")" + std::string(date) + "\"}"),
              "invalid_date /target_date")
        << date;
  EXPECT_EQ(findings("until_date", "{}"), "invalid_config /target_date");
  EXPECT_EQ(findings("until_date", R"({"target_date": "2026-02-14", "anchor_date": "2026-02-14"})"),
            "invalid_config ");
}

// W-42
TEST(WaitConfig, offsets_are_whole_and_bounded) {
  auto until = kind_of<UntilDate>("until_date", R"({"anchor_date": "2026-02-14",
      "offset": {"years": -1, "months": 3, "days": 2, "hours": -1, "minutes": 30}})");
  EXPECT_EQ(until.offset.months, -9);
  EXPECT_EQ(until.offset.days, 2);
  EXPECT_EQ(until.offset.minutes, -30);
  auto with = [](std::string_view offset) {
    return findings("until_date",
                    R"({"anchor_date": "2026-02-14", "offset": )" + std::string(offset) + "}");
  };
  EXPECT_EQ(with(R"({"years": 100, "days": -3660})"), "fine");
  EXPECT_EQ(with(R"({"years": 100, "months": 1})"), "invalid_offset /offset");
  EXPECT_EQ(with(R"({"days": 3660, "minutes": 1})"), "invalid_offset /offset");
  EXPECT_EQ(with(R"({"days": 1.5})"), "invalid_offset /offset/days");
  EXPECT_EQ(with(R"({"weeks": 1})"), "unknown_field /offset/weeks");
  EXPECT_EQ(with("7"), "invalid_offset /offset");
  EXPECT_EQ(findings("until_date", R"({"target_date": "2026-02-14", "offset": {"days": 1}})"),
            "invalid_offset /offset");
}

// W-42, W-47
TEST(WaitConfig, reactions_to_dates_name_their_branch) {
  auto until = kind_of<UntilDate>("until_date", R"({"contact_field": "renewal_date",
      "past_action": "branch", "past_edge_id": "late", "missing_action": "exit",
      "follow_field": true})");
  EXPECT_EQ(until.past.action, DateAction::branch);
  EXPECT_EQ(until.past.edge_id, "late");
  EXPECT_EQ(until.missing.action, DateAction::exit);
  EXPECT_TRUE(until.follow_field);
  EXPECT_EQ(findings("until_date", R"({"target_date": "2026-02-14", "past_action": "branch"})"),
            "unknown_step /past_step");
  EXPECT_EQ(findings("until_date", R"({"target_date": "2026-02-14", "past_action": "jump"})"),
            "invalid_action /past_action");
  EXPECT_EQ(findings("until_date", R"({"target_date": "2026-02-14", "follow_field": true})"),
            "invalid_config /follow_field");
}

// W-43
TEST(WaitConfig, until_time_takes_days_and_holidays) {
  auto until = kind_of<UntilTime>("until_time", R"({"target_time": "08:05",
      "days": ["monday", "sunday"], "business_days_only": true,
      "holidays": ["2026-12-25", "02-29", {"date": "12-26", "name": "second"}]})");
  EXPECT_EQ(until.clock_minutes, 485);
  EXPECT_TRUE(until.days.days.has(0) && until.days.days.has(1) && !until.days.days.has(2));
  EXPECT_EQ(until.days.holidays, (std::vector<Holiday>{{2026, 12, 25}, {{}, 2, 29}, {{}, 12, 26}}));
  EXPECT_EQ(findings("until_time", R"({"target_time": "8:05"})"), "invalid_time /target_time");
  EXPECT_EQ(findings("until_time", R"({"target_time": "24:00"})"), "invalid_time /target_time");
  EXPECT_EQ(findings("until_time", "{}"), "invalid_time /target_time");
  EXPECT_EQ(findings("until_time", R"({"target_time": "08:05", "days": ["Monday"]})"),
            "invalid_days /days");
  EXPECT_EQ(
      findings("until_time", R"({"target_time": "08:05", "holidays": ["2026-02-29", "25-12"]})"),
      "invalid_holiday /holidays/0, invalid_holiday /holidays/1");
}

// W-43
TEST(WaitConfig, holidays_are_bounded) {
  Value holidays = Value::array();
  for (int i = 0; i <= 2'000; ++i) holidays.push("12-25");
  auto config = Value::object({{"target_time", "08:00"}, {"holidays", holidays}});
  auto read = read_config("until_time", config);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().front().code, "invalid_holiday");
}

// W-46
TEST(WaitConfig, spread_and_window_have_bounds) {
  auto read = read_config("fixed_time", json(R"({"duration": 1, "unit": "days",
      "spread_seconds": 3600, "gap_policy": "shift",
      "resume_window": {"start": "22:00", "end": "06:00", "days": ["friday"],
                        "timezone": "Europe/Berlin"}})"));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->spread_ms, 3'600'000);
  EXPECT_EQ(read->gap_policy, GapPolicy::shift);
  EXPECT_EQ(read->window->start_minutes, 1'320);
  EXPECT_EQ(read->window->timezone, "Europe/Berlin");
  auto with = [](std::string_view field) {
    return findings("fixed_time", R"({"duration": 1, "unit": "days", )" + std::string(field) + "}");
  };
  EXPECT_EQ(with(R"("spread_seconds": 3601)"), "invalid_config /spread_seconds");
  EXPECT_EQ(with(R"("resume_window": {"start": "08:00"})"), "invalid_window /resume_window/end");
  EXPECT_EQ(with(R"("resume_window": {"start": "08:00", "end": "08:00"})"),
            "invalid_window /resume_window/end");
  EXPECT_EQ(with(R"("resume_window": "always")"), "invalid_window /resume_window");
  EXPECT_EQ(with(R"("resume_window": {"start": "08:00", "end": "09:00", "days": []})"),
            "invalid_window /resume_window/days");
}

// W-40
TEST(WaitConfig, what_is_not_known_yet_is_left_unchecked) {
  auto is_open = [](const Value& value) {
    return value.is_string() && value.as_string().starts_with("$");
  };
  EXPECT_EQ(findings("fixed_time", R"({"duration": "$n", "unit": "$u"})", is_open), "fine");
  EXPECT_EQ(findings("until_date", R"({"target_date": "$d", "timezone": "$z"})", is_open), "fine");
  EXPECT_EQ(findings("until_time",
                     R"({"target_time": "$t", "days": ["$d"], "holidays": ["$h", "x"]})", is_open),
            "invalid_holiday /holidays/1");
}

}  // namespace fermata::waits
