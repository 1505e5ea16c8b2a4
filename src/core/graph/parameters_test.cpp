#include "core/graph/parameters.h"

#include <gtest/gtest.h>

#include "base/json.h"

namespace fermata::graph {
namespace {

using Lines = std::vector<std::string>;

struct Checked {
  NodeParameters parameters;
  Lines errors;
  Lines warnings;
  std::string message;  ///< of the first finding
};

Checked check_of(std::string_view type, std::string_view text) {
  Findings findings;
  Checked outcome;
  outcome.parameters =
      check_parameters(*node_type_of(type), parse_json(text).value(), "", findings);
  for (const Finding& finding : findings.errors)
    outcome.errors.push_back(finding.code + " " + finding.path);
  for (const Finding& finding : findings.warnings)
    outcome.warnings.push_back(finding.code + " " + finding.path);
  for (const auto* list : {&findings.warnings, &findings.errors})
    if (!list->empty()) outcome.message = list->front().message;
  return outcome;
}

Lines errors_in(std::string_view type, std::string_view text) {
  return check_of(type, text).errors;
}

}  // namespace

// G-2
TEST(Parameters, fixed_defaults_are_filled_in) {
  EXPECT_EQ(to_canonical_json(check_of("merge", "{}").parameters.values),
            R"({"cancel_losers":false,"flatten":false,"join":"outer","mode":"append",)"
            R"("timeout":300,"wait_mode":"wait_for_all"})");
  EXPECT_EQ(to_canonical_json(check_of("webhook", "{}").parameters.values),
            R"({"auth":"none","dedupe_header":"Idempotency-Key","method":"POST",)"
            R"("respond":"accepted"})");
  EXPECT_EQ(to_canonical_json(check_of("filter", R"({"where": "$item > 1"})").parameters.values),
            R"({"input_array":"$json","match_mode":"all","where":"$item > 1"})");
}

TEST(Parameters, null_counts_as_absent_unless_it_is_a_value) {
  EXPECT_EQ(
      to_canonical_json(check_of("wait", R"({"amount": null, "unit": null})").parameters.values),
      R"({"amount":1,"resume":"time_interval","unit":"seconds"})");
  EXPECT_EQ(
      to_json(
          check_of("http", R"({"url": "http://x", "body": null})").parameters.values.get("body")),
      "null");
}

// G-27
TEST(Parameters, numbers_may_be_text_or_references) {
  EXPECT_EQ(errors_in("limit", R"({"count": 3})"), Lines{});
  EXPECT_EQ(errors_in("limit", R"({"count": "3"})"), Lines{});
  EXPECT_EQ(errors_in("limit", R"({"count": "$input.n"})"), Lines{});
  EXPECT_EQ(errors_in("limit", R"({"count": "{{ 1 + 2 }}"})"), Lines{});
  for (std::string_view wrong : {"-1", "1.5", "\"many\"", "true", "[]", "\"$$5\"", "\"\""})
    EXPECT_EQ(errors_in("limit", "{\"count\": " + std::string(wrong) + "}"),
              Lines{"parameter_invalid /count"})
        << wrong;
}

TEST(Parameters, mistakes_say_what_is_expected) {
  EXPECT_EQ(check_of("split", R"({"input_array": [], "batch_size": 0})").message,
            "\"batch_size\" must be a whole number of at least 1; it is 0.");
  EXPECT_EQ(check_of("log", R"({"message": "x", "level": "wran"})").message,
            "\"level\" must be debug, info, warn or error; it is \"wran\". "
            "Did you mean \"warn\"?");
  EXPECT_EQ(check_of("loop", R"({"while": "$json", "max_visits": 200000})").message,
            "\"max_visits\" must be a whole number from 1 to 100000; it is 200000.");
  EXPECT_EQ(check_of("limit", "{}").message,
            "A limit node needs \"count\": a whole number of at least 0.");
}

// G-31, G-32: triggers act before any run exists.
TEST(Parameters, triggers_take_no_expressions) {
  EXPECT_EQ(errors_in("webhook", R"({"respond": "$input.how"})"),
            Lines{"parameter_invalid /respond"});
}

// G-32
TEST(Parameters, a_schedule_is_a_cron_text_or_an_interval) {
  EXPECT_EQ(errors_in("schedule", R"({"cron": "0 9 * * MON"})"), Lines{});
  EXPECT_EQ(errors_in("schedule", R"({"amount": "5", "unit": "minutes"})"), Lines{});
  EXPECT_EQ(errors_in("schedule", "{}"), Lines{"schedule_invalid "});
  EXPECT_EQ(errors_in("schedule", R"({"cron": "9 * *"})"), Lines{"schedule_invalid /cron"});
  EXPECT_EQ(errors_in("schedule", R"({"cron": 9})"), Lines{"schedule_invalid /cron"});
  EXPECT_EQ(errors_in("schedule", R"({"amount": 0, "unit": "month"})"),
            (Lines{"schedule_invalid /amount", "schedule_invalid /unit"}));
  EXPECT_EQ(errors_in("schedule", R"({"cron": "* * * * *", "amount": 1, "unit": "days"})"),
            Lines{"schedule_invalid /amount"});
  EXPECT_EQ(errors_in("schedule", R"({"cron": "* * * * *", "overlap": "maybe"})"),
            Lines{"parameter_invalid /overlap"});
}

// G-33, G-38
TEST(Parameters, http_checks_addresses_and_statuses_that_are_plain_text) {
  EXPECT_EQ(errors_in("http", "{}"), Lines{"parameter_missing /url"});
  EXPECT_EQ(errors_in("http", R"({"url": "example.com"})"), Lines{"parameter_invalid /url"});
  EXPECT_EQ(errors_in("http", R"({"url": "$input.url"})"), Lines{});
  EXPECT_EQ(errors_in("http", R"({"url": "http://x", "raise_on_status": "4xx, 503"})"), Lines{});
  EXPECT_EQ(errors_in("http", R"({"url": "http://x", "raise_on_status": "4xx,bad"})"),
            Lines{"parameter_invalid /raise_on_status"});
  EXPECT_EQ(errors_in("http", R"({"url": "http://x", "headers": [], "ignore_ssl": "no"})"),
            (Lines{"parameter_invalid /headers", "parameter_invalid /ignore_ssl"}));
}

// G-42, G-16
TEST(Parameters, rules_of_a_switch_are_conditions_or_comparisons) {
  auto rules = [](std::string_view rule) {
    return errors_in("switch", "{\"rules\": [" + std::string(rule) + "]}");
  };
  EXPECT_EQ(rules(R"({"value": "$a", "operator": "==", "compare": 1})"), Lines{});
  EXPECT_EQ(rules(R"({"value": "$a", "operator": "exists"})"), Lines{});
  EXPECT_EQ(rules(R"({"when": "$a == 1"})"), Lines{});
  EXPECT_EQ(rules("{}"), Lines{"parameter_missing /rules/0/when"});
  EXPECT_EQ(rules(R"({"operator": "=="})"),
            (Lines{"parameter_missing /rules/0/value", "parameter_missing /rules/0/compare"}));
  EXPECT_EQ(rules(R"({"value": 1, "compare": 1})"), Lines{"parameter_missing /rules/0/operator"});
  EXPECT_EQ(rules(R"({"value": 1, "operator": "~", "compare": 1})"),
            Lines{"parameter_invalid /rules/0/operator"});
  EXPECT_EQ(rules(R"({"when": "$a", "value": 1})"), Lines{"parameter_invalid /rules/0"});
  EXPECT_EQ(rules("5"), Lines{"parameter_invalid /rules/0"});
  EXPECT_EQ(errors_in("switch", "{}"), Lines{"parameter_missing /rules"});
  EXPECT_EQ(errors_in("switch", R"({"rules": "$json.rules"})"), Lines{"parameter_invalid /rules"});
}

// G-46
TEST(Parameters, joining_by_key_needs_the_key) {
  EXPECT_EQ(errors_in("merge", R"({"mode": "combine_by_key"})"), Lines{"parameter_missing /key"});
  EXPECT_EQ(errors_in("merge", R"({"mode": "combine_by_key", "key": "id"})"), Lines{});
}

// G-48
TEST(Parameters, a_signal_wait_that_branches_needs_its_edge) {
  EXPECT_EQ(errors_in("wait_for_signal", R"({"name": "go", "on_timeout": "branch"})"),
            Lines{"parameter_missing /timeout_edge_id"});
}

// G-48
TEST(Parameters, a_signal_wait_looks_into_signals_by_sound_criteria) {
  EXPECT_EQ(errors_in("wait_for_signal", R"({"name": "go", "match": {}})"), Lines{});
  EXPECT_EQ(errors_in("wait_for_signal", R"({"name": "go", "match": {"a": {"in": [1, 2]}}})"),
            Lines{});
  EXPECT_EQ(errors_in("wait_for_signal", R"({"name": "go", "match": {"a": {"in": 1}}})"),
            Lines{"parameter_invalid /match"});
  EXPECT_EQ(
      errors_in("wait_for_signal", R"({"name": "go", "match": {"a": {"in": "{{ $input.l }}"}}})"),
      Lines{});
}

// G-45, G-70: a scope needs its settings before the aggregator runs.
TEST(Parameters, an_aggregator_is_set_up_by_values_or_expressions) {
  EXPECT_EQ(errors_in("aggregator", R"({"timeout": "60", "result": "$json.x"})"), Lines{});
  EXPECT_EQ(errors_in("aggregator", R"({"timeout": "$input.t", "drop_ended": "{{ true }}"})"),
            Lines{});
  EXPECT_EQ(errors_in("aggregator", R"({"timeout": -1, "on_timeout": "later"})"),
            (Lines{"parameter_invalid /timeout", "parameter_invalid /on_timeout"}));
}

// G-52
TEST(Parameters, assignments_have_a_name_and_a_value) {
  EXPECT_EQ(
      errors_in("edit", R"({"assignments": [{"value": 1}, {"name": "x"},
                                  {"name": "y", "value": null, "type": "text"}]})"),
      (Lines{"parameter_missing /assignments/0/name", "parameter_missing /assignments/1/value",
             "parameter_invalid /assignments/2/type"}));
  EXPECT_EQ(errors_in("edit", R"({"target_path": "a", "array_path": "b"})"),
            Lines{"parameter_invalid /array_path"});
}

// G-53
TEST(Parameters, filter_and_sort_need_rules) {
  EXPECT_EQ(errors_in("filter", "{}"), Lines{"parameter_missing /rules"});
  EXPECT_EQ(errors_in("filter", R"({"rules": [], "where": "$item"})"),
            Lines{"parameter_invalid /where"});
  EXPECT_EQ(errors_in("filter", R"({"rules": [{"operator": "=="}, {"field": "x", "value": 1}]})"),
            (Lines{"parameter_missing /rules/0/field", "parameter_missing /rules/0/value",
                   "parameter_missing /rules/1/operator"}));
  EXPECT_EQ(errors_in("sort", R"({"rules": []})"), Lines{"parameter_invalid /rules"});
  EXPECT_EQ(errors_in("sort", R"({"rules": [{"field": "x", "direction": "down"}]})"),
            Lines{"parameter_invalid /rules/0/direction"});
}

// G-55
TEST(Parameters, dates_are_moved_by_an_amount_of_a_unit) {
  EXPECT_EQ(errors_in("dateTimeNow", "{}"), Lines{});
  EXPECT_EQ(errors_in("dateTimeAdd", R"({"amount": 1})"), Lines{});
  EXPECT_EQ(errors_in("dateTimeSubtract", R"({"unit": "fortnights"})"),
            (Lines{"parameter_invalid /unit", "parameter_missing /amount"}));
  EXPECT_EQ(errors_in("dateTimeFormat", "{}"), Lines{"parameter_missing /date"});
}

// G-10
TEST(Parameters, raw_parts_are_taken_out_of_what_is_evaluated) {
  auto parts = take_apart(
      check_of("edit", R"({"assignments": [{"name": "$n", "value": "$v"}]})").parameters);
  EXPECT_EQ(to_canonical_json(parts.evaluated),
            R"({"assignments":[{"name":"$n","type":"auto"}],"mode":"assignments"})");
  ASSERT_EQ(parts.templates.size(), 1u);
  EXPECT_EQ(parts.templates[0].pointer, "/assignments/0/value");

  parts = take_apart(check_of("aggregator", R"({"result": {"x": "$json"}})").parameters);
  EXPECT_EQ(parts.evaluated.find("result"), nullptr);
  EXPECT_EQ(parts.templates[0].pointer, "/result");

  parts = take_apart(check_of("filter", R"({"rules": [{"field": "a", "operator": "==",
      "value": "$item.b"}]})")
                         .parameters);
  EXPECT_EQ(parts.evaluated.find("rules"), nullptr);
  EXPECT_EQ(parts.templates[0].pointer, "/rules/0/value");

  parts = take_apart(check_of("conditional", R"({"expression": "$a", "true_edge_id": "$e",
                                                 "more": "$m"})")
                         .parameters);
  EXPECT_EQ(to_json(parts.evaluated), "{}");
  EXPECT_EQ(parts.expressions[0].pointer, "/expression");
}

}  // namespace fermata::graph
