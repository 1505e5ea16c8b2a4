#include <gtest/gtest.h>

#include "core/graph/check_drawing.h"

namespace fermata::graph {
namespace {

using Lines = std::vector<std::string>;

}  // namespace

// G-5
TEST(CheckWarnings, a_trigger_alone_completes_at_once) {
  EXPECT_EQ(warnings_of(drawn("t:manual", "")), Lines{"trigger_alone /nodes/0"});
}

// G-7
TEST(CheckWarnings, nodes_without_a_path_from_the_start_never_run) {
  EXPECT_EQ(warnings_of(drawn("t:manual a x y", "t>a x>y")),
            (Lines{"node_unreachable /nodes/2", "node_unreachable /nodes/3"}));
}

// G-41, G-43
TEST(CheckWarnings, routes_that_are_absent_end_the_branch) {
  EXPECT_EQ(warnings_of(drawn("t:manual c:conditional l:loop a", "t>c c>l=true l>a=body a>l")),
            (Lines{"route_missing /nodes/1/parameters/false_edge_id",
                   "route_missing /nodes/2/parameters/done_edge_id"}));
}

// G-42
TEST(CheckWarnings, a_switch_may_go_without_fallback_but_not_without_routes) {
  Value document = drawn("t:manual s:switch a", "t>s s>a");
  EXPECT_EQ(warnings_of(with_fields(document, "s", R"({"parameters": {
                "rules": [{"when": "$json.x == 1"}, {"when": "$json.x == 2"}],
                "routes": ["s>a"]}})")),
            Lines{"route_missing /nodes/1/parameters/routes/1"});
  EXPECT_EQ(warnings_of(with_fields(document, "s", R"({"parameters": {
                "rules": [{"when": "$json.x == 1"}], "routes": ["s>a"]}})")),
            Lines{});
}

// G-7
TEST(CheckWarnings, edges_of_a_routing_node_that_no_route_names_are_unused) {
  EXPECT_EQ(warnings_of(drawn("t:manual c:conditional a b x", "t>c c>a=true c>b=false c>x")),
            Lines{"edge_unused /edges/3"});
}

// G-22
TEST(CheckWarnings, an_error_edge_without_the_branch_policy_is_unused) {
  EXPECT_EQ(warnings_of(with_fields(drawn("t:manual a b", "t>a a>b"), "a",
                                    R"({"error": {"type": "ignore", "error_edge": "a>b"}})")),
            Lines{"edge_unused /edges/1"});
}

// G-23
TEST(CheckWarnings, retry_is_for_nodes_that_reach_outside_and_given_once) {
  Value document = drawn("t:manual a:log h:http", "t>a a>h");
  document = with_fields(document, "a", R"({"retry": {"max_attempts": 2}})");
  document = with_fields(document, "h", R"({"retry": {"max_attempts": 2},
      "parameters": {"url": "https://x.test", "retry": 3}})");
  EXPECT_EQ(warnings_of(document),
            (Lines{"retry_on_pure /nodes/1/retry", "retry_twice /nodes/2/parameters/retry"}));
}

// G-7
TEST(CheckWarnings, unknown_fields_and_parameters_get_the_nearest_name) {
  Value document = with_fields(drawn("t:manual h:http", "t>h"), "h", R"({"retries": 3,
      "parameters": {"url": "https://x.test", "methd": "GET"},
      "error": {"type": "halt", "edge": "x"}, "retry": {"attempts": 3}})");
  document.set("timeout", 5);
  auto checked = check_definition(document);
  EXPECT_EQ(told(checked.warnings),
            (Lines{"parameter_unknown /nodes/1/parameters/methd", "field_unknown /nodes/1/retries",
                   "field_unknown /nodes/1/error/edge", "field_unknown /nodes/1/retry/attempts",
                   "field_unknown /timeout"}));
  EXPECT_EQ(checked.warnings[0].message,
            "\"methd\" is no parameter of a http node and has no effect. Did you mean \"method\"?");
}

// U-35
TEST(CheckWarnings, schema_of_the_input_is_kept_beside_the_definition) {
  Value document = drawn("t:manual a", "t>a");
  auto plain = check_definition(document);
  Value schema = Value::object({{"type", "object"}});
  document.set("input_schema", schema);
  auto checked = check_definition(document);
  EXPECT_EQ(told(checked.warnings), Lines{});
  EXPECT_EQ(checked.layout.get("fields").get("input_schema"), schema);
  EXPECT_EQ(checked.definition->hash, plain.definition->hash) << "it runs as it did";
  document.set("input_schema", "an object");
  EXPECT_EQ(errors_of(document), Lines{"field_type /input_schema"});
}

// G-24
TEST(CheckWarnings, a_time_limit_has_no_effect_on_an_instant_node) {
  Value document = drawn("t:manual a:log h:http", "t>a a>h");
  document = with_fields(document, "a", R"({"timeout_ms": 5})");
  document = with_fields(document, "h", R"({"timeout_ms": 5})");
  EXPECT_EQ(warnings_of(document), Lines{"field_unknown /nodes/1/timeout_ms"});
}

TEST(CheckWarnings, a_secret_in_the_wrong_place_is_not_quoted) {  // A-13
  Value document = with_fields(drawn("t:manual h:http", "t>h"), "h",
                               R"({"credentials": {"id": "k", "values": "secret!"}})");
  auto checked = check_definition(document);
  EXPECT_EQ(told(checked.errors), Lines{"field_type /nodes/1/credentials/values"});
  EXPECT_EQ(checked.errors[0].message.find("secret!"), std::string::npos);
}

// G-4
TEST(CheckWarnings, inlined_credentials_do_not_become_part_of_the_definition) {
  Value document = with_fields(drawn("t:manual h:http", "t>h"), "h",
                               R"({"credentials": {"id": "k", "values": {"token": "secret!"}}})");
  auto checked = check_definition(document);
  EXPECT_EQ(told(checked.warnings), Lines{"credential_inlined /nodes/1/credentials/values"});
  EXPECT_EQ(to_json(checked.definition->nodes[1].credentials), R"({"id":"k"})");
  EXPECT_EQ(to_json(checked.definition->canonical).find("secret!"), std::string::npos);
  EXPECT_EQ(to_json(checked.layout).find("secret!"), std::string::npos);
}

// G-79
TEST(CheckWarnings, a_merge_that_gives_up_before_a_wait_beside_it_is_too_impatient) {
  std::string_view edges = "t>a t>w a>m w>m";
  Value document = with_fields(drawn("t:manual a w:wait m:merge", edges), "w",
                               R"({"parameters": {"amount": 1, "unit": "hours"}})");
  auto checked = check_definition(document);
  EXPECT_EQ(told(checked.warnings), Lines{"merge_timeout_short /nodes/3/parameters/timeout"});
  EXPECT_EQ(checked.warnings[0].related, Lines{"/nodes/2"});
  EXPECT_EQ(warnings_of(with_fields(document, "m", R"({"parameters": {"timeout": 0}})")), Lines{});
  EXPECT_EQ(warnings_of(with_fields(document, "m", R"({"parameters": {"timeout": 3600}})")),
            Lines{});
  EXPECT_EQ(
      warnings_of(with_fields(document, "m", R"({"parameters": {"wait_mode": "wait_for_any"}})")),
      Lines{});
  EXPECT_EQ(warnings_of(with_fields(document, "w", R"({"parameters": {"wait_type": "fixed_time",
                                    "config": {"duration": 6, "unit": "minutes"}}})")),
            Lines{"merge_timeout_short /nodes/3/parameters/timeout"});
}

// G-79: the timeout runs from the first arrival.
TEST(CheckWarnings, a_wait_before_everything_or_on_another_route_is_no_reason_to_worry) {
  std::string_view hour = R"({"parameters": {"amount": 1, "unit": "hours"}})";
  EXPECT_EQ(warnings_of(with_fields(drawn("t:manual w:wait a b m:merge", "t>w w>a w>b a>m b>m"),
                                    "w", hour)),
            Lines{});
  EXPECT_EQ(warnings_of(with_fields(
                drawn("t:manual c:conditional w:wait a m:merge", "t>c c>w=true c>a=false w>m a>m"),
                "w", hour)),
            Lines{});
}

// G-7
TEST(CheckWarnings, tokens_of_different_depth_never_meet_in_a_merge) {
  EXPECT_EQ(warnings_of(drawn("t:manual s:split a m:merge", "t>s t>a s>m a>m")),
            Lines{"merge_across_scopes /nodes/3"});
  EXPECT_EQ(warnings_of(drawn("t:manual s:split a b m:merge", "t>s s>a s>b a>m b>m")), Lines{});
}

// G-66
TEST(CheckWarnings, an_item_that_can_arrive_twice_needs_a_merge_first) {
  auto checked =
      check_definition(drawn("t:manual s:split x a b g:aggregator", "t>s s>x x>a x>b a>g b>g"));
  EXPECT_EQ(told(checked.warnings), Lines{"aggregator_many_paths /nodes/5"});
  EXPECT_EQ(checked.warnings[0].related, Lines{"/nodes/2"});
  EXPECT_EQ(
      warnings_of(drawn("t:manual s:split a b m:merge g:aggregator", "t>s s>a s>b a>m b>m m>g")),
      Lines{});
  EXPECT_EQ(warnings_of(drawn("t:manual s:split a b g:aggregator", "t>s s>a s>b a>g b>g")),
            Lines{"aggregator_many_paths /nodes/4"});
}

// G-66
TEST(CheckWarnings, routes_that_exclude_each_other_arrive_once) {
  EXPECT_EQ(warnings_of(drawn("t:manual s:split c:conditional a b g:aggregator",
                              "t>s s>c c>a=true c>b=false a>g b>g")),
            Lines{});
  EXPECT_EQ(warnings_of(drawn("t:manual s:split a b g:aggregator", "t>s s>a a>g a>b=error b>g")),
            Lines{});
}

// G-66
TEST(CheckWarnings, a_merge_that_only_one_of_two_paths_must_pass_does_not_help) {
  EXPECT_EQ(warnings_of(drawn("t:manual s:split x c:conditional a b m:merge g:aggregator",
                              "t>s s>x x>a x>c a>m c>m=true c>b=false b>g m>g")),
            Lines{"aggregator_many_paths /nodes/7"});
}

// G-66
TEST(CheckWarnings, a_nested_split_arrives_once) {
  EXPECT_EQ(warnings_of(drawn("t:manual s:split u:split a g:aggregator h:aggregator",
                              "t>s s>u u>a a>g g>h")),
            Lines{});
}

// G-66
TEST(CheckWarnings, a_loop_in_a_body_arrives_once_unless_it_forks) {
  EXPECT_EQ(
      warnings_of(drawn("t:manual s:split l:loop a g:aggregator", "t>s s>l l>a=body a>l l>g=done")),
      Lines{});
  EXPECT_EQ(warnings_of(drawn("t:manual s:split l:loop a g:aggregator",
                              "t>s s>l l>a=body a>l a>g l>g=done")),
            Lines{"aggregator_many_paths /nodes/4"});
}

}  // namespace fermata::graph
