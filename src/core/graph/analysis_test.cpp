#include "core/graph/analysis.h"

#include <gtest/gtest.h>

#include "core/graph/check_drawing.h"

namespace fermata::graph {
namespace {

/// Which nodes can still deliver over each incoming edge of a merge.
std::vector<std::string> delivering(const Definition& definition, std::string_view merge) {
  const MergeAnalysis* analysis = definition.merge_analysis(index_of(definition, merge));
  EXPECT_NE(analysis, nullptr);
  std::vector<std::string> lines;
  for (const NodeSet& nodes : analysis->can_deliver) lines.push_back(ids_in(definition, nodes));
  return lines;
}

std::string closing(const Definition& definition, std::string_view split) {
  NodeIndex node = definition.nodes[index_of(definition, split)].aggregator;
  return node == no_node ? "" : definition.nodes[node].id;
}

std::string repeatable_nodes(const Definition& definition) {
  NodeSet nodes(definition.nodes.size());
  for (NodeIndex i = 0; i < definition.nodes.size(); ++i)
    if (definition.nodes[i].repeatable) nodes.add(i);
  return ids_in(definition, nodes);
}

using Lines = std::vector<std::string>;

}  // namespace

TEST(Reach, a_node_reaches_itself_only_on_a_cycle) {
  auto reach = reach_of({{1}, {2}, {1, 3}, {}});
  EXPECT_FALSE(reach[0].has(0));
  EXPECT_TRUE(reach[0].has(3));
  EXPECT_TRUE(reach[1].has(1));
  EXPECT_TRUE(reach[2].has(2));
  EXPECT_TRUE(reach[3].empty());
}

TEST(Components, come_after_what_they_lead_to) {
  Components components = components_of({{1}, {2}, {1, 3}, {}});
  EXPECT_EQ(components.members, (std::vector<std::vector<NodeIndex>>{{3}, {1, 2}, {0}}));
  EXPECT_EQ(components.cyclic, (std::vector<bool>{false, true, false}));
}

// G-74, scenario row 2: once the conditional has chosen A, nothing is left before B.
TEST(MergeAnalysis, both_branches_of_a_conditional_can_deliver_until_it_has_run) {
  auto definition =
      defined(drawn("t:manual c:conditional a b m:merge", "t>c c>a=true c>b=false a>m b>m"));
  EXPECT_EQ(delivering(*definition, "m"), (Lines{"t c a", "t c b"}));
}

// G-74, scenario row 4: an error leaf beside the merge is no way to it.
TEST(MergeAnalysis, a_failure_that_branches_away_leaves_only_the_other_edge) {
  auto definition = defined(drawn("t:manual a b m:merge n:log", "t>a t>b a>m b>m b>n=error"));
  EXPECT_EQ(delivering(*definition, "m"), (Lines{"t a", "t b"}));
}

// G-73: error edges are level edges.
TEST(MergeAnalysis, an_error_edge_can_deliver_too) {
  auto definition = defined(drawn("t:manual a b m:merge n", "t>a t>b a>m b>n=error n>m"));
  EXPECT_EQ(delivering(*definition, "m"), (Lines{"t a", "t b n"}));
}

// G-74, scenario row 7: the second merge is reached through the first and beside it.
TEST(MergeAnalysis, a_merge_behind_a_merge_counts_paths_through_the_first) {
  auto definition =
      defined(drawn("t:manual a w:wait c m:merge n:merge", "t>a t>w t>c a>m w>m m>n c>n"));
  EXPECT_EQ(delivering(*definition, "m"), (Lines{"t a", "t w"}));
  EXPECT_EQ(delivering(*definition, "n"), (Lines{"t a w m", "t c"}));
}

// G-74, scenario row 8: a path must not pass the merge itself, so the way round does not count.
TEST(MergeAnalysis, a_loop_around_a_merge_does_not_wait_for_its_own_next_turn) {
  auto definition =
      defined(drawn("t:manual l:loop a b m:merge e", "t>l l>a=body l>e=done a>b a>m b>m m>l"));
  EXPECT_EQ(delivering(*definition, "m"), (Lines{"t l a", "t l a b"}));
  EXPECT_TRUE(definition->level_reach[index_of(*definition, "m")].has(index_of(*definition, "m")));
}

// G-74, scenario row 8: two tokens may pass X on their way to the merge beside C.
TEST(MergeAnalysis, two_tokens_over_one_edge_are_both_before_it) {
  auto definition = defined(drawn("t:manual a b x c m:merge", "t>a t>b t>c a>x b>x x>m c>m"));
  EXPECT_EQ(delivering(*definition, "m"), (Lines{"t a b x", "t c"}));
  EXPECT_TRUE(definition->nodes[index_of(*definition, "x")].repeatable);
  EXPECT_FALSE(definition->nodes[index_of(*definition, "m")].repeatable);
}

// G-73, scenario row 16: inside a branch nothing outside the split can deliver.
TEST(MergeAnalysis, a_merge_in_a_split_body_sees_only_its_own_branch) {
  auto definition =
      defined(drawn("t:manual s:split x a b m:merge g:aggregator", "t>s s>x x>a x>b a>m b>m m>g"));
  EXPECT_EQ(delivering(*definition, "m"), (Lines{"x a", "x b"}));
  EXPECT_EQ(ids_in(*definition, definition->level_reach[index_of(*definition, "s")]), "g");
}

// G-73: a branch begins at the end of the split's edge.
TEST(MergeAnalysis, an_edge_from_the_split_itself_delivers_only_at_the_start) {
  auto definition =
      defined(drawn("t:manual s:split a m:merge g:aggregator", "t>s s>m s>a a>m m>g"));
  EXPECT_EQ(delivering(*definition, "m"), (Lines{"", "a"}));
}

// G-73: a scope is a step from the split to its aggregator.
TEST(MergeAnalysis, a_split_before_a_merge_delivers_through_its_aggregator) {
  auto definition =
      defined(drawn("t:manual s:split x g:aggregator c m:merge", "t>s t>c s>x x>g g>m c>m"));
  EXPECT_EQ(delivering(*definition, "m"), (Lines{"t s g", "t c"}));
}

// G-73, G-22: a split that fails does so in its own lineage.
TEST(MergeAnalysis, the_error_edge_of_a_split_stays_outside_its_body) {
  auto definition = defined(
      drawn("t:manual s:split x n g:aggregator c m:merge", "t>s t>c s>x x>g s>n=error n>m c>m"));
  EXPECT_EQ(delivering(*definition, "m"), (Lines{"t s n", "t c"}));
  EXPECT_TRUE(definition->outside_splits[index_of(*definition, "n")]);
  EXPECT_FALSE(definition->outside_splits[index_of(*definition, "x")]);
}

// G-65
TEST(SplitAnalysis, nested_splits_are_closed_from_the_inside_out) {
  auto definition = defined(
      drawn("t:manual s:split u:split x g:aggregator h:aggregator e", "t>s s>u u>x x>g g>h h>e"));
  EXPECT_EQ(closing(*definition, "u"), "g");
  EXPECT_EQ(closing(*definition, "s"), "h");
  EXPECT_EQ(definition->outside_splits,
            (std::vector<bool>{true, true, false, false, false, true, true}));
}

// G-65
TEST(SplitAnalysis, an_inner_split_takes_the_only_aggregator) {
  auto definition =
      defined(drawn("t:manual s:split u:split x g:aggregator e", "t>s s>u u>x x>g g>e"));
  EXPECT_EQ(closing(*definition, "u"), "g");
  EXPECT_EQ(closing(*definition, "s"), "");
  EXPECT_FALSE(definition->outside_splits[index_of(*definition, "e")]);
}

// G-65
TEST(SplitAnalysis, several_splits_may_share_an_aggregator) {
  auto definition = defined(drawn("t:manual c:conditional s:split u:split g:aggregator",
                                  "t>c c>s=true c>u=false s>g u>g"));
  EXPECT_EQ(closing(*definition, "s"), "g");
  EXPECT_EQ(closing(*definition, "u"), "g");
}

// G-65
TEST(SplitAnalysis, paths_that_end_do_not_close_a_split) {
  auto definition = defined(drawn("t:manual s:split x y", "t>s s>x x>y"));
  EXPECT_EQ(closing(*definition, "s"), "");
  EXPECT_EQ(ids_in(*definition, definition->level_reach[1]), "");
}

TEST(Repeatable, a_chain_and_a_fan_out_run_once) {
  auto definition = defined(drawn("t:manual a b c d", "t>a a>b a>c c>d"));
  EXPECT_EQ(repeatable_nodes(*definition), "");
}

TEST(Repeatable, where_two_paths_meet_without_a_merge_it_may_run_twice) {
  auto definition = defined(drawn("t:manual a b x y m:merge z", "t>a t>b a>x b>x x>y y>m m>z"));
  EXPECT_EQ(repeatable_nodes(*definition), "x y");
}

TEST(Repeatable, two_edges_between_two_nodes_are_two_paths) {
  Value document = drawn("t:manual a", "t>a");
  Value edges = document.get("edges");
  edges.push(Value::object({{"id", "again"}, {"src", "t"}, {"dst", "a"}}));
  document.set("edges", edges);
  EXPECT_EQ(repeatable_nodes(*defined(document)), "a");
}

TEST(Repeatable, a_cycle_and_what_follows_it_may_run_again) {
  auto definition = defined(drawn("t:manual l:loop a e", "t>l l>a=body a>l l>e=done"));
  EXPECT_EQ(repeatable_nodes(*definition), "l a e");
}

TEST(Repeatable, each_branch_of_a_split_is_a_lineage_of_its_own) {
  auto definition =
      defined(drawn("t:manual s:split a b g:aggregator e", "t>s s>a s>b a>g b>g g>e"));
  EXPECT_EQ(repeatable_nodes(*definition), "");
}

TEST(Repeatable, an_aggregator_of_two_splits_in_a_row_of_tokens_may_run_twice) {
  auto definition =
      defined(drawn("t:manual s:split u:split g:aggregator e", "t>s t>u s>g u>g g>e"));
  EXPECT_EQ(repeatable_nodes(*definition), "g e");
}

TEST(Repeatable, what_no_path_reaches_stays_in_doubt) {
  auto definition = defined(drawn("t:manual a x", "t>a"));
  EXPECT_EQ(repeatable_nodes(*definition), "x");
}

}  // namespace fermata::graph
