#include <gtest/gtest.h>

#include "base/json.h"
#include "core/graph/parameters.h"
#include "core/wait/zone_table.h"

namespace fermata::graph {
namespace {

using Lines = std::vector<std::string>;

struct WaitOutcome {
  NodeParameters parameters;
  Lines errors;
  Lines warnings;
};

WaitOutcome wait_of(std::string_view text) {
  Findings findings;
  WaitOutcome outcome;
  outcome.parameters = check_parameters(NodeType::wait, parse_json(text).value(), "", findings);
  for (const Finding& finding : findings.errors)
    outcome.errors.push_back(finding.code + " " + finding.path);
  for (const Finding& finding : findings.warnings)
    outcome.warnings.push_back(finding.code + " " + finding.path);
  return outcome;
}

}  // namespace

// G-81, scenario row 23: what an amount is worth is decided by the run.
TEST(WaitParameters, an_interval_takes_any_amount_but_warns_of_impossible_ones) {
  for (std::string_view fine : {"\"2\"", "\"$input.n\"", "0", "1.5"}) {
    auto outcome = wait_of("{\"amount\": " + std::string(fine) + "}");
    EXPECT_EQ(outcome.errors, Lines{}) << fine;
    EXPECT_EQ(outcome.warnings, Lines{}) << fine;
  }
  for (std::string_view odd : {"-1", "\"x\"", "40000000"}) {
    auto outcome = wait_of("{\"amount\": " + std::string(odd) + "}");
    EXPECT_EQ(outcome.errors, Lines{}) << odd;
    EXPECT_EQ(outcome.warnings, Lines{"parameter_invalid /amount"}) << odd;
  }
  EXPECT_EQ(wait_of(R"({"unit": "weeks"})").errors, Lines{"parameter_invalid /unit"});
  EXPECT_EQ(wait_of(R"({"resume": "webhook"})").errors, Lines{"parameter_invalid /resume"});
}

// W-41
TEST(WaitParameters, fixed_time_has_bounds_per_unit) {
  auto errors = [](std::string_view duration, std::string_view unit) {
    return wait_of("{\"wait_type\": \"fixed_time\", \"duration\": " + std::string(duration) +
                   ", \"unit\": \"" + std::string(unit) + "\"}")
        .errors;
  };
  for (auto [duration, unit] : {std::pair<std::string_view, std::string_view>{"59", "minutes"},
                                {"23", "hours"},
                                {"30", "days"},
                                {"12", "weeks"},
                                {"\"$input.n\"", "days"}})
    EXPECT_EQ(errors(duration, unit), Lines{}) << duration;
  for (auto [duration, unit] : {std::pair<std::string_view, std::string_view>{"60", "minutes"},
                                {"24", "hours"},
                                {"31", "days"},
                                {"13", "weeks"},
                                {"0", "days"},
                                {"1.5", "days"},
                                {"\"5\"", "days"}})
    EXPECT_EQ(errors(duration, unit), Lines{"parameter_invalid /duration"}) << duration;
  EXPECT_EQ(errors("5", "seconds"), Lines{"parameter_invalid /unit"});
  EXPECT_EQ(wait_of(R"({"wait_type": "fixed_time"})").errors,
            (Lines{"parameter_missing /duration", "parameter_missing /unit"}));
}

// G-81
TEST(WaitParameters, fields_may_stand_under_config) {
  auto outcome =
      wait_of(R"({"wait_type": "fixed_time", "config": {"duration": 90, "unit": "minutes"}})");
  EXPECT_EQ(outcome.errors, Lines{"parameter_invalid /config/duration"});
  EXPECT_EQ(to_canonical_json(outcome.parameters.values),
            R"({"duration":90,"unit":"minutes","wait_type":"fixed_time"})");
  EXPECT_EQ(wait_of(R"({"wait_type": "fixed_time", "unit": "days", "duration": 1,
                        "config": {"unit": "days"}})")
                .errors,
            Lines{"parameter_invalid /config/unit"});
  EXPECT_EQ(wait_of(R"({"config": 5})").errors, Lines{"parameter_invalid /config"});
}

// W-42
TEST(WaitParameters, until_date_needs_a_real_day) {
  auto errors = [](std::string_view date) {
    return wait_of("{\"wait_type\": \"until_date\", \"target_date\": \"" + std::string(date) +
                   "\"}")
        .errors;
  };
  for (std::string_view fine :
       {"2026-03-01", "2024-02-29", "2026-03-01T09:00", "2026-03-01 09:00:59",
        "2026-03-01T09:00:00.123Z", "2026-03-01T09:00:00+01:00", "$json.d"})
    EXPECT_EQ(errors(fine), Lines{}) << fine;
  for (std::string_view wrong :
       {"2026-02-29", "2026-13-01", "tomorrow", "2026-03-01T24:00", "2026-03-01T09:00:60Z",
        "2026-03-01T09", "2026-3-1", "", "2026-03-01T09:00:00+1", "2026-03-01T09:00Zz"})
    EXPECT_EQ(errors(wrong), Lines{"parameter_invalid /target_date"}) << wrong;
  EXPECT_EQ(wait_of(R"({"wait_type": "until_date"})").errors,
            Lines{"parameter_missing /target_date"});
}

// W-42, W-43, W-46
TEST(WaitParameters, fields_are_held_against_the_rules_of_waits) {
  auto errors = [](std::string_view more) {
    return wait_of("{\"wait_type\": \"until_date\", " + std::string(more) + "}").errors;
  };
  EXPECT_EQ(errors(R"("target_date": "2026-03-01", "timezone": "UTC", "past_action": "exit")"),
            Lines{});
  EXPECT_EQ(errors(R"("anchor_date": "2026-03-01", "repeat": "yearly", "target_time": "09:00",
                     "offset": {"days": -7}, "gap_policy": "shift", "spread_seconds": 60)"),
            Lines{});
  EXPECT_EQ(errors(R"("anchor_date": "2026-03-01", "offset": {"weeks": 1})"),
            Lines{"parameter_invalid /offset/weeks"});
  EXPECT_EQ(errors(R"("target_date": "2026-03-01", "past_action": "branch")"),
            Lines{"parameter_missing /past_step"});
  EXPECT_EQ(wait_of(R"({"wait_type": "until_time", "config": {"target_time": "10:00",
                        "days": ["monday"]}})")
                .errors,
            Lines{});
  EXPECT_EQ(wait_of(R"({"wait_type": "until_time", "config": {"target_time": "10"}})").errors,
            Lines{"parameter_invalid /config/target_time"});
  EXPECT_EQ(wait_of(R"({"wait_type": "until_time"})").errors,
            Lines{"parameter_missing /target_time"});
}

// W-45
TEST(WaitParameters, names_of_zones_are_held_against_the_zone_data) {
  ZoneTable zones("2026f", {{"Europe/Berlin", utc_table()->find("UTC")}});
  auto findings_of = [&](NodeType type, std::string_view text) {
    Findings findings;
    findings.zones = &zones;
    check_parameters(type, parse_json(text).value(), "", findings);
    Lines lines;
    for (const Finding& finding : findings.errors)
      lines.push_back(finding.code + " " + finding.path + " " + finding.message);
    for (const Finding& finding : findings.warnings) lines.push_back("warning " + finding.path);
    return lines;
  };
  EXPECT_EQ(findings_of(NodeType::wait, R"({"wait_type": "until_time", "target_time": "10:00",
                                            "timezone": "Europe/Berlin"})"),
            Lines{});
  EXPECT_EQ(findings_of(NodeType::wait, R"({"wait_type": "until_time", "target_time": "10:00",
                                            "timezone": "europe/berlin"})"),
            Lines{"parameter_invalid /timezone \"europe/berlin\" is no known time zone (zone data "
                  "2026f). Did you mean \"Europe/Berlin\"?"});
  EXPECT_EQ(findings_of(NodeType::wait, R"({"wait_type": "until_time", "target_time": "10:00",
                                            "timezone": "$input.zone"})"),
            Lines{});
  EXPECT_EQ(findings_of(NodeType::date_time_now, R"({"timezone": "Mars/Base"})"),
            Lines{"warning /timezone"});
  EXPECT_EQ(findings_of(NodeType::date_time_now, R"({"timezone": "+02:00"})"), Lines{});
  EXPECT_EQ(findings_of(NodeType::schedule, R"({"cron": "@daily", "timezone": "+02:00"})").size(),
            1u);
}

// W-42
TEST(WaitParameters, fields_and_zones_of_contacts_are_taken) {
  auto errors = [](std::string_view more) {
    return wait_of("{\"wait_type\": \"until_date\", " + std::string(more) + "}").errors;
  };
  EXPECT_EQ(errors(R"("contact_field": "renewal_date", "follow_field": true)"), Lines{});
  EXPECT_EQ(errors(R"("contact_field": "renewal_date", "missing_action": "continue")"), Lines{});
  EXPECT_FALSE(errors(R"("contact_field": "renewal_date", "missing_action": "guess")").empty());
  EXPECT_EQ(errors(R"("target_date": "2026-03-01", "timezone_mode": "contact")"), Lines{});
  EXPECT_EQ(errors(R"("target_date": "2026-03-01", "follow_field": true)"),
            Lines{"parameter_invalid /follow_field"});
  EXPECT_EQ(wait_of(R"({"wait_type": "for_event", "event_type": "email_open"})").errors, Lines{});
  EXPECT_EQ(wait_of(R"({"wait_type": "forever"})").errors, Lines{"parameter_invalid /wait_type"});
}

}  // namespace fermata::graph
