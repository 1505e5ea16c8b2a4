#include <gtest/gtest.h>

#include "core/graph/check_drawing.h"

namespace fermata::graph {
namespace {

using Lines = std::vector<std::string>;

}  // namespace

// G-6, scenario row 29
TEST(CheckShape, a_cycle_without_limit_is_told_with_its_nodes) {
  auto checked = check_definition(drawn("t:manual a b c d", "t>a a>b b>c c>b c>d"));
  ASSERT_EQ(told(checked.errors), Lines{"cycle_unbounded /nodes/2"});
  EXPECT_EQ(checked.errors[0].related, (Lines{"/nodes/2", "/nodes/3"}));
  EXPECT_NE(checked.errors[0].message.find("b → c → b"), std::string::npos);
}

// G-6
TEST(CheckShape, each_group_of_cycles_is_told_once) {
  EXPECT_EQ(errors_of(drawn("t:manual a b c d", "t>a a>b b>a t>c c>d d>c")),
            (Lines{"cycle_unbounded /nodes/1", "cycle_unbounded /nodes/3"}));
}

// G-6
TEST(CheckShape, a_loop_node_or_a_visit_limit_bounds_a_cycle) {
  EXPECT_EQ(errors_of(drawn("t:manual l:loop a", "t>l l>a=body a>l")), Lines{});
  Value document = drawn("t:manual a b", "t>a a>b b>a");
  EXPECT_EQ(errors_of(document), Lines{"cycle_unbounded /nodes/1"});
  EXPECT_EQ(errors_of(with_fields(document, "b", R"({"max_visits": 5})")), Lines{});
}

// G-6
TEST(CheckShape, a_limit_on_one_cycle_does_not_bound_another_beside_it) {
  Value document = drawn("t:manual a b c", "t>a a>b b>a a>c c>a");
  EXPECT_EQ(errors_of(with_fields(document, "b", R"({"max_visits": 5})")),
            Lines{"cycle_unbounded /nodes/1"});
}

// G-7
TEST(CheckShape, a_mistyped_type_or_edge_is_told_once_and_not_again_by_its_consequences) {
  EXPECT_EQ(errors_of(drawn("t:manual s:splt a g:aggregator", "t>s s>a a>g")),
            Lines{"node_type_unknown /nodes/1/type"});
  EXPECT_EQ(errors_of(drawn("t:manual l:lop a", "t>l l>a a>l")),
            Lines{"node_type_unknown /nodes/1/type"});
  auto checked = check_definition(drawn("t:manual a b", "t>a a>x x>b"));
  EXPECT_EQ(told(checked.errors),
            (Lines{"edge_node_unknown /edges/1/dst", "edge_node_unknown /edges/2/src"}));
  EXPECT_EQ(told(checked.warnings), Lines{});
}

// G-65
TEST(CheckShape, an_aggregator_outside_every_split_has_nothing_to_gather) {
  EXPECT_EQ(errors_of(drawn("t:manual a g:aggregator", "t>a a>g")),
            Lines{"aggregator_without_split /nodes/2"});
  EXPECT_EQ(errors_of(drawn("t:manual s:split a g:aggregator", "t>s s>a a>g t>g")),
            Lines{"aggregator_without_split /nodes/3"});
  EXPECT_EQ(errors_of(drawn("t:manual s:split g:aggregator h:aggregator", "t>s s>g g>h")),
            Lines{"aggregator_without_split /nodes/3"});
}

// G-65
TEST(CheckShape, a_split_is_closed_by_one_aggregator) {
  auto checked = check_definition(
      drawn("t:manual s:split a b g:aggregator h:aggregator", "t>s s>a s>b a>g b>h"));
  EXPECT_EQ(told(checked.errors), Lines{"split_two_aggregators /nodes/1"});
  EXPECT_EQ(checked.errors[0].related, (Lines{"/nodes/4", "/nodes/5"}));
}

// G-65
TEST(CheckShape, a_split_is_not_reached_from_its_own_body) {
  Value document =
      with_fields(drawn("t:manual s:split a", "t>s s>a a>s"), "a", R"({"max_visits": 3})");
  EXPECT_EQ(errors_of(document), Lines{"split_recursion /nodes/1"});
  document = with_fields(drawn("t:manual s:split u:split a", "t>s s>u u>a a>s"), "a",
                         R"({"max_visits": 3})");
  EXPECT_EQ(errors_of(document), (Lines{"split_recursion /nodes/1", "split_recursion /nodes/2"}));
}

// G-65
TEST(CheckShape, going_back_behind_the_aggregator_is_no_recursion) {
  Value document = with_fields(
      drawn("t:manual s:split a g:aggregator c:loop e", "t>s s>a a>g g>c c>s=body c>e=done"), "a",
      "{}");
  EXPECT_EQ(errors_of(document), Lines{});
}

}  // namespace fermata::graph
