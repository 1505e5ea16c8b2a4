#include "core/wait/for_event.h"

#include <gtest/gtest.h>

#include "base/json.h"
#include "core/wait/address.h"
#include "core/wait/event_types.h"

namespace fermata::waits {
namespace {

Value json(std::string_view text) { return parse_json(text).value(); }

/// `code path` of every finding, or `fine`.
std::string findings(std::string_view config, const ForEventRules& rules = {},
                     IsOpen is_open = nullptr) {
  auto read = read_for_event(json(config), rules, is_open);
  if (read) return "fine";
  std::string out;
  for (const Finding& finding : read.error())
    out += (out.empty() ? "" : ", ") + finding.code + " " + finding.path;
  return out;
}

ForEvent read(std::string_view config) {
  auto made = read_for_event(json(config));
  EXPECT_TRUE(made) << config;
  return made ? *made : ForEvent();
}

}  // namespace

// W-51, S-18
TEST(EventTypes, other_spellings_mean_the_same_and_own_ones_are_custom) {
  for (auto [written, meant] : {std::pair{"email_open", "email_open"},
                                {"email_opened", "email_open"},
                                {"email_clicked", "email_click"},
                                {"sms_received", "sms_reply"},
                                {"form_submitted", "form_submit"},
                                {"form.submitted", "form_submit"},
                                {"appointment.booked", "appointment_booked"},
                                {"contact.tag.added", "tag_added"},
                                {"pipeline.stage.changed", "stage_changed"},
                                {"pipeline_stage_reached", "pipeline_stage_reached"},
                                {"payment.completed", "payment_received"},
                                {"custom.visited", "custom.visited"}})
    EXPECT_EQ(event_type_named(written), meant) << written;
  for (std::string_view unknown : {"email_eaten", "custom.", "", "Email_Open", "custom.\n"})
    EXPECT_EQ(event_type_named(unknown), std::nullopt) << unknown;
  EXPECT_EQ(event_type_named("custom." + std::string(200, 'x')), std::nullopt);
  std::vector<std::string> own{"lead_scored"};
  EXPECT_EQ(event_type_named("lead_scored", own), "lead_scored");
  EXPECT_EQ(run_signal_named("anything at all"), "anything at all");
  EXPECT_EQ(run_signal_named("email_opened"), "email_open");
  EXPECT_EQ(run_signal_named(""), std::nullopt);
}

// W-44
TEST(ForEvent, one_type_or_a_list_of_up_to_ten) {
  ForEvent one = read(R"({"event_type": "email_opened", "criteria": {"message_id": "m"},
                          "correlation_id": "k", "scope": "contact"})");
  ASSERT_EQ(one.events.size(), 1u);
  EXPECT_EQ(one.events[0].type, "email_open");
  EXPECT_EQ(one.events[0].criteria, json(R"({"message_id": "m"})"));
  EXPECT_EQ(one.events[0].correlation_id, "k");
  EXPECT_EQ(one.timeout, Duration{168 * 3'600'000LL});
  EXPECT_FALSE(one.all);
  ForEvent list = read(R"({"events": [{"event_type": "email_open", "branch": "opened"},
      {"event_type": "sms_reply", "criteria": {"text": "yes"}}], "criteria": {"a": 1}})");
  ASSERT_EQ(list.events.size(), 2u);
  EXPECT_EQ(list.events[0].branch, "opened");
  EXPECT_EQ(list.events[0].criteria, json(R"({"a": 1})"));
  EXPECT_EQ(list.events[1].criteria, json(R"({"text": "yes"})"));
  EXPECT_EQ(findings("{}"), "invalid_config /event_type");
  EXPECT_EQ(findings(R"({"event_type": "email_open", "events": []})"),
            "invalid_config /event_type");
  EXPECT_EQ(findings(R"({"events": []})"), "invalid_config /events");
  EXPECT_EQ(findings(R"({"events": [1, {"event_type": "email_open", "kind": 1}]})"),
            "invalid_config /events/0, unknown_field /events/1/kind");
  std::string eleven = R"({"event_type": "email_open"})";
  for (int i = 0; i < 10; ++i) eleven += R"(, {"event_type": "email_open"})";
  EXPECT_EQ(findings("{\"events\": [" + eleven + "]}"), "invalid_config /events");
}

// W-44, W-51, W-55
TEST(ForEvent, types_and_criteria_are_checked) {
  EXPECT_EQ(findings(R"({"event_type": "email_eaten"})"), "unknown_event_type /event_type");
  EXPECT_EQ(findings(R"({"event_type": 7})"), "unknown_event_type /event_type");
  EXPECT_EQ(findings(R"({"events": [{"criteria": {}}]})"),
            "unknown_event_type /events/0/event_type");
  EXPECT_EQ(findings(R"({"event_type": "approved", "scope": "execution"})"), "fine");
  std::vector<std::string> own{"lead_scored"};
  EXPECT_EQ(findings(R"({"event_type": "lead_scored"})", {.event_types = own}), "fine");
  EXPECT_EQ(findings(R"({"event_type": "email_open", "criteria": {"a": {"in": 3}}})"),
            "invalid_criteria /criteria");
  EXPECT_EQ(findings(R"({"event_type": "email_open", "criteria": [1]})"),
            "invalid_criteria /criteria");
  EXPECT_EQ(findings(R"({"event_type": "email_open", "scope": "account"})"),
            "invalid_config /criteria");
  EXPECT_EQ(findings(R"({"event_type": "email_open", "scope": "account", "criteria": {}})"),
            "invalid_config /criteria")
      << "criteria without a condition narrow nothing";
  EXPECT_EQ(findings(R"({"event_type": "email_open", "correlation_id": "a b"})"),
            "invalid_id /correlation_id");
  EXPECT_EQ(findings(R"({"event_type": "email_open", "scope": "account", "correlation_id": "k"})"),
            "fine");
  EXPECT_EQ(findings(R"({"event_type": "email_open", "scope": "world"})"), "invalid_config /scope");
}

// W-44
TEST(ForEvent, timeouts_have_bounds_and_actions) {
  EXPECT_EQ(read(R"({"event_type": "email_open", "timeout_hours": 1.5})").timeout,
            Duration{5'400'000});
  EXPECT_EQ(
      read(R"({"event_type": "email_open", "timeout": {"duration": 90, "unit": "days"}})").timeout,
      Duration{2160 * 3'600'000LL});
  for (std::string_view hours : {"0.99", "2160.01", "-1", "\"5\"", "0"})
    EXPECT_EQ(
        findings(R"({"event_type": "email_open", "timeout_hours": )" + std::string(hours) + "}"),
        "timeout_out_of_range /timeout_hours");
  EXPECT_EQ(
      findings(R"({"event_type": "email_open", "timeout": {"duration": 91, "unit": "days"}})"),
      "timeout_out_of_range /timeout/duration");
  EXPECT_EQ(findings(R"({"event_type": "email_open", "timeout": {"duration": 2}})"),
            "invalid_config /timeout/unit");
  EXPECT_EQ(findings(R"({"event_type": "email_open", "timeout_hours": 5,
                         "timeout": {"duration": 2, "unit": "days"}})"),
            "invalid_config /timeout");
  EXPECT_EQ(read(R"({"event_type": "email_open", "timeout_action": "end"})").timeout_action,
            TimeoutAction::exit);
  EXPECT_EQ(findings(R"({"event_type": "email_open", "timeout_action": "stop"})"),
            "invalid_timeout_action /timeout_action");
  EXPECT_EQ(findings(R"({"event_type": "email_open", "timeout_action": "branch"})"),
            "unknown_step /timeout_step");
  EXPECT_EQ(findings(R"({"events": [{"event_type": "email_open", "branch": "x"}],
                         "mode": "all"})"),
            "invalid_config /events/0/branch");
  auto settled = read_for_event(json(R"({"event_type": "email_open"})"),
                                {.event_types = {}, .default_timeout = Duration{7'200'000}});
  EXPECT_EQ(settled->timeout, Duration{7'200'000});
}

// W-56
TEST(ForEvent, lookback_is_a_word_or_minutes) {
  EXPECT_EQ(read(R"({"event_type": "email_open", "lookback": "none"})").lookback, Lookback::none);
  EXPECT_EQ(read(R"({"event_type": "email_open", "lookback": 10080})").lookback_minutes, 10'080);
  for (std::string_view wrong : {"10081", "-1", "1.5", "\"always\""})
    EXPECT_EQ(findings(R"({"event_type": "email_open", "lookback": )" + std::string(wrong) + "}"),
              "invalid_lookback /lookback");
  EXPECT_EQ(findings(R"({"event_type": "email_open", "related_at": "yesterday"})"),
            "invalid_lookback /related_at");
  EXPECT_EQ(findings(R"({"event_type": "email_open", "lookback": 5, "related_step": "mail"})"),
            "invalid_lookback /lookback");
}

// W-40
TEST(ForEvent, what_is_not_known_yet_is_left_unchecked) {
  IsOpen open = [](const Value& value) { return value == Value("?"); };
  EXPECT_EQ(findings(R"({"event_type": "?", "criteria": "?", "timeout_hours": "?",
                         "correlation_id": "?", "lookback": "?"})",
                     {}, open),
            "fine");
  EXPECT_EQ(findings(R"({"events": "?", "colour": 1})", {}, open), "unknown_field /colour");
}

// W-53
TEST(ForEvent, scope_follows_the_contact) {
  ForEvent unsaid = read(R"({"event_type": "email_open"})");
  EXPECT_EQ(*scope_of(unsaid, true), EventScope::contact);
  EXPECT_EQ(*scope_of(unsaid, false), EventScope::execution);
  ForEvent contact = read(R"({"event_type": "email_open", "scope": "contact"})");
  EXPECT_EQ(scope_of(contact, false).error().code, "invalid_config");
}

// W-52, S-14
TEST(Address, phones_and_mail_are_compared_as_they_are_meant) {
  EXPECT_EQ(normal_phone("+1 212 555 0100"), "+12125550100");
  EXPECT_EQ(normal_phone("0012125550100"), "+12125550100");
  EXPECT_EQ(normal_phone("(212) 555-0100"), "2125550100");
  EXPECT_EQ(normal_phone("+"), "");
  EXPECT_EQ(normal_email(" Ann@Example.ORG "), "ann@example.org");
}

}  // namespace fermata::waits
