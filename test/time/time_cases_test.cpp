#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "adapters/tzdata/tzdata_zones.h"
#include "base/json.h"
#include "core/wait/resolve.h"
#include "front/wait_preview.h"

/// The worked cases of test/data/time_cases.json, under both gap policies (W-49).
namespace fermata::testing {
namespace {

Value cases() {
  std::ifstream file("test/data/time_cases.json");
  std::stringstream text;
  text << file.rdbuf();
  auto parsed = parse_json(text.str());
  EXPECT_TRUE(parsed);
  return parsed ? *parsed : Value();
}

std::string text_of(const Value& value) {
  return value.is_string() ? std::string(value.as_string()) : std::string();
}

bool at_least(const std::string& version, const std::string& wanted) {
  return version == wanted || is_newer_release(version, wanted);
}

/// What should come out: an instant, or the code of a refusal.
std::string expectation(const Value& example, GapPolicy gap, const std::string& version) {
  if (example.get("expected_utc").is_null()) return text_of(example.get("expected_code"));
  Value expected = example.get("expected_utc");
  if (gap == GapPolicy::gap_end && !example.get("expected_utc_gap_end").is_null())
    expected = example.get("expected_utc_gap_end");
  std::string since = text_of(example.get("since_tzdata"));
  if (!since.empty() && at_least(version, since))
    expected = example.get("expected_utc_since_tzdata");
  return to_rfc3339(parse_rfc3339(expected.as_string()).value());
}

std::string outcome(const Value& example, GapPolicy gap, const ZoneTable& zones) {
  Value config = example.get("config").is_object() ? example.get("config") : Value::object();
  waits::WaitWorld world{parse_rfc3339(example.get("now_utc").as_string()).value(),
                         zones,
                         text_of(config.get("contact_timezone")),
                         text_of(config.get("account_timezone")),
                         {},
                         gap,
                         {}};
  config.erase("contact_timezone");
  config.erase("account_timezone");
  if (!example.get("target_date").is_null()) config.set("target_date", example.get("target_date"));
  auto read = waits::read_config(example.get("wait_type").as_string(), config);
  if (!read) return read.error().front().code;
  auto found = waits::resolve(*read, world);
  if (!found) return found.error().code;
  EXPECT_EQ(found->past, example.get("resumed_by") == Value("past_date"));
  if (found->intent) {
    EXPECT_EQ(waits::instant_of(*found->intent, zones), found->at);
  }
  return to_rfc3339(found->at);
}

/// The same through the body and the answer of `POST /waits/preview`.
std::string previewed(const Value& example, GapPolicy gap, const ZoneTable& zones) {
  Value config = example.get("config").is_object() ? example.get("config") : Value::object();
  Value body =
      Value::object({{"wait_type", example.get("wait_type")}, {"now", example.get("now_utc")}});
  for (const char* zone : {"contact_timezone", "account_timezone"}) {
    if (config.find(zone)) body.set(zone, config.get(zone));
    config.erase(zone);
  }
  if (!example.get("target_date").is_null()) config.set("target_date", example.get("target_date"));
  if (!config.find("gap_policy")) config.set("gap_policy", name_of(gap));
  // Elapsed time knows no gap, and says so when it is asked for a policy of one.
  if (example.get("wait_type") == Value("fixed_time")) config.erase("gap_policy");
  body.set("config", std::move(config));
  auto answer = front::preview_wait(body, {zones, Instant{0}});
  if (!answer) return std::string(name_of(answer.error().code));
  EXPECT_EQ(answer->get("past"), Value(example.get("resumed_by") == Value("past_date")));
  return std::string(answer->get("scheduled_at").as_string());
}

}  // namespace

// W-22, W-49
TEST(TimeCases, all_come_out_of_a_preview) {
  auto source = TzdataZones::open({});
  ASSERT_TRUE(source);
  auto zones = (*source)->zones({0});
  int shown = 0;
  Value all = cases();
  for (const Value& example : all.get("cases").items()) {
    std::string needs = text_of(example.get("needs_tzdata"));
    if (!needs.empty() && !at_least(zones->version(), needs)) continue;
    for (GapPolicy gap : {GapPolicy::gap_end, GapPolicy::shift})
      EXPECT_EQ(previewed(example, gap, *zones), expectation(example, gap, zones->version()))
          << text_of(example.get("name")) << " under " << name_of(gap);
    ++shown;
  }
  EXPECT_GE(shown, 60);
}

// W-49, R-1, R-2, R-3, R-4, R-5, R-6, R-7, R-8, R-9, R-10
TEST(TimeCases, all_come_out_under_both_policies) {
  auto source = TzdataZones::open({});
  ASSERT_TRUE(source);
  auto zones = (*source)->zones({0});
  int shown = 0, left_out = 0;
  Value all = cases();
  for (const Value& example : all.get("cases").items()) {
    std::string needs = text_of(example.get("needs_tzdata"));
    if (!needs.empty() && !at_least(zones->version(), needs)) {
      ++left_out;
      continue;
    }
    for (GapPolicy gap : {GapPolicy::gap_end, GapPolicy::shift})
      EXPECT_EQ(outcome(example, gap, *zones), expectation(example, gap, zones->version()))
          << text_of(example.get("name")) << " under " << name_of(gap);
    ++shown;
  }
  EXPECT_EQ(shown + left_out, all.get("meta").get("count").as_integer());
  EXPECT_GE(shown, 60);
}

}  // namespace fermata::testing
