#include "core/model/account_settings.h"

#include <gtest/gtest.h>

#include "base/json.h"

namespace fermata {
namespace {

std::vector<std::string> complaints(const std::string& json) {
  std::vector<std::string> out;
  auto read = read_account_settings(*parse_json(json), utc_table().get());
  if (read) return out;
  for (const Finding& finding : read.error()) out.push_back(finding.code + " " + finding.path);
  return out;
}
using Lines = std::vector<std::string>;

AccountSettings settings(const std::string& json) {
  auto read = read_account_settings(*parse_json(json), utc_table().get());
  EXPECT_TRUE(read) << json;
  return read ? *read : AccountSettings{};
}

// W-81
TEST(AccountSettings, what_is_not_said_has_its_default) {
  AccountSettings read = settings("{}");
  EXPECT_EQ(read, AccountSettings{});
  EXPECT_EQ(read.timezone, "");
  EXPECT_EQ(read.business.days, DaySet::monday_to_friday());
  EXPECT_EQ(read.gap_policy, GapPolicy::gap_end);
  EXPECT_EQ(read.limits.waits_per_execution, 100);
  EXPECT_EQ(read.limits.waits_per_account, 10'000);
  EXPECT_EQ(read.limits.listeners_per_minute, 100);
  EXPECT_EQ(read.signals.retention_hours, 168);
  EXPECT_EQ(read.signals.late_window_hours, 24);
  EXPECT_EQ(read.waits.default_timeout_hours, 168);
  EXPECT_EQ(read.waits.overdue_alert_s, 300);
  EXPECT_FALSE(read.waits.resumes_off);
  EXPECT_EQ(read.callbacks.timeout_ms, 10'000);
  EXPECT_EQ(read.callbacks.give_up_hours, 72);
  EXPECT_EQ(read.retention_days, 90);
}

// W-29, W-81
TEST(AccountSettings, what_is_shown_reads_as_the_same) {
  AccountSettings read = settings(
      R"({"timezone":"UTC","business_days":["sunday","monday"],"gap_policy":"shift",
          "holidays":["12-25",{"date":"2026-12-28","name":"substitute day"}],
          "limits":{"waits_per_execution":0,"waits_per_account":5,"listeners_per_minute":7},
          "signals":{"retention_hours":1,"event_types":["cart_left"],"late_window_hours":0},
          "waits":{"default_timeout_hours":2160,"overdue_alert_s":10,"resumes_off":true},
          "callbacks":{"url":"https://crm.example/hook","timeout_ms":1000,"give_up_hours":1,
                       "allow_networks":["10.0.0.0/8","fd00::/8"]},
          "alerts":{"url":"http://pager.example"},"audit":{"signals":"all"},
          "retention_days":365})");
  EXPECT_EQ(read.holidays.at(1).name, "substitute day");
  EXPECT_TRUE(read.business.holidays.at(0).falls_on({2031, 12, 25}));
  Value shown = account_settings_value(read);
  EXPECT_EQ(shown.get("business_days"), *parse_json(R"(["monday","sunday"])"));
  auto again = read_account_settings(shown, utc_table().get());
  ASSERT_TRUE(again);
  EXPECT_EQ(*again, read);
}

// W-29, W-81
TEST(AccountSettings, every_bound_is_held) {
  EXPECT_EQ(complaints(R"({"timezone":"Mars/Base"})"), Lines{"unknown_timezone /timezone"});
  EXPECT_EQ(complaints(R"({"business_days":[]})"), Lines{"invalid_setting /business_days"});
  EXPECT_EQ(complaints(R"({"business_days":["someday","monday"]})"),
            Lines{"invalid_setting /business_days/0"});
  EXPECT_EQ(complaints(R"({"holidays":["12-25","13-01",{"date":"2026-02-30"},{"name":"x"}]})"),
            (Lines{"invalid_holiday /holidays/1", "invalid_holiday /holidays/2",
                   "invalid_holiday /holidays/3"}));
  EXPECT_EQ(complaints(R"({"gap_policy":"skip"})"), Lines{"invalid_setting /gap_policy"});
  auto bounds = [](const std::string& part, const std::string& name, int64_t least, int64_t most) {
    auto at = [&](int64_t number) {
      std::string field = "\"" + name + "\":" + std::to_string(number);
      return complaints(part.empty() ? "{" + field + "}" : "{\"" + part + "\":{" + field + "}}");
    };
    Lines refused{"invalid_setting /" + (part.empty() ? "" : part + "/") + name};
    EXPECT_EQ(at(least), Lines{}) << name;
    EXPECT_EQ(at(most), Lines{}) << name;
    EXPECT_EQ(at(least - 1), refused) << name;
    EXPECT_EQ(at(most + 1), refused) << name;
  };
  bounds("limits", "waits_per_execution", 0, 1'000'000'000);
  bounds("limits", "waits_per_account", 0, 1'000'000'000);
  bounds("limits", "listeners_per_minute", 0, 1'000'000'000);
  bounds("signals", "retention_hours", 1, 2'160);
  bounds("signals", "late_window_hours", 0, 168);
  bounds("waits", "default_timeout_hours", 1, 2'160);
  bounds("waits", "overdue_alert_s", 10, 86'400);
  bounds("callbacks", "timeout_ms", 1'000, 30'000);
  bounds("callbacks", "give_up_hours", 1, 720);
  bounds("", "retention_days", 90, 3'650);
  EXPECT_EQ(complaints(R"({"waits":{"resumes_off":"yes"}})"),
            Lines{"invalid_setting /waits/resumes_off"});
  EXPECT_EQ(complaints(R"({"callbacks":{"url":"ftp://x"}})"),
            Lines{"invalid_setting /callbacks/url"});
  EXPECT_EQ(complaints(R"({"callbacks":{"allow_networks":["everywhere"]}})"),
            Lines{"invalid_setting /callbacks/allow_networks/0"});
  EXPECT_EQ(complaints(R"({"callbacks":{"allow_networks":["10.0.0.0/33","fd00::/64","::/129"]}})"),
            (Lines{"invalid_setting /callbacks/allow_networks/0",
                   "invalid_setting /callbacks/allow_networks/2"}));
  for (const char* network :
       {"25:61", "10.0.0/8", "10.0.0.256", "1.2.3.4.5", "fd00:::/8", "::1::", "1:2:3:4:5:6:7:8:9",
        "12345::", "fd00::g/8", "10.0.0.0/", "/8", "10.0.0.0/08000", "::ffff:1.2.3"})
    EXPECT_EQ(complaints(R"({"callbacks":{"allow_networks":[")" + std::string(network) + R"("]}})"),
              Lines{"invalid_setting /callbacks/allow_networks/0"})
        << network;
  for (const char* network : {"10.1.2.3", "0.0.0.0/0", "::", "::/0", "::1", "fd00::/8",
                              "fe80::1:2/64", "1:2:3:4:5:6:7:8/128", "::ffff:10.0.0.0/104"})
    EXPECT_EQ(complaints(R"({"callbacks":{"allow_networks":[")" + std::string(network) + R"("]}})"),
              Lines{})
        << network;
  EXPECT_EQ(complaints(R"({"holidays":[{"date":"12-25","name":"a\u0007"}]})"),
            Lines{"invalid_holiday /holidays/0"});
  EXPECT_EQ(complaints(R"({"business_days":["mon"]})"), Lines{"invalid_setting /business_days/0"});
  EXPECT_EQ(complaints(R"({"holidays":[{"date":"2026-01-01","nmae":"x"}]})"),
            Lines{"invalid_holiday /holidays/0"});
  EXPECT_EQ(complaints(R"({"audit":{"signals":"none"}})"), Lines{"invalid_setting /audit/signals"});
  EXPECT_EQ(complaints(R"({"colour":1,"waits":{"x":2}})"),
            (Lines{"unknown_field /colour", "unknown_field /waits/x"}));
}

// W-81
TEST(AccountSettings, lists_are_bounded) {
  auto many = [](const char* item, size_t count) {
    std::string list = "[";
    for (size_t i = 0; i < count; ++i) list += (i ? "," : "") + std::string(item);
    return list + "]";
  };
  EXPECT_EQ(complaints("{\"holidays\":" + many("\"12-25\"", 2'000) + "}"), Lines{});
  EXPECT_EQ(complaints("{\"holidays\":" + many("\"12-25\"", 2'001) + "}"),
            Lines{"invalid_holiday /holidays"});
  EXPECT_EQ(complaints("{\"signals\":{\"event_types\":" + many("\"a\"", 501) + "}}"),
            Lines{"invalid_setting /signals/event_types"});
  EXPECT_EQ(complaints(R"({"signals":{"event_types":["two words"]}})"),
            Lines{"invalid_setting /signals/event_types/0"});
}

}  // namespace
}  // namespace fermata
