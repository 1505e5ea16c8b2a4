#include "core/graph/definition.h"

#include <gtest/gtest.h>

#include "core/graph/check_drawing.h"

namespace fermata::graph {

// G-30, G-32, G-52
TEST(NodeType, aliases_of_the_wire_contract_are_known) {
  EXPECT_EQ(node_type_of("ManualTrigger"), NodeType::manual);
  EXPECT_EQ(node_type_of("ScheduledTrigger"), NodeType::schedule);
  EXPECT_EQ(node_type_of("set"), NodeType::edit);
  EXPECT_EQ(node_type_of("switch"), NodeType::switch_);
  EXPECT_EQ(node_type_of("nothing"), std::nullopt);
}

TEST(NodeType, every_wire_name_leads_back_to_its_type) {
  for (std::string_view name : wire_names()) {
    ASSERT_TRUE(node_type_of(name)) << name;
    EXPECT_EQ(wire_name(*node_type_of(name)), name);
  }
}

// G-25
TEST(NodeType, triggers_routing_nodes_and_barriers_cannot_be_disabled) {
  for (NodeType type : {NodeType::manual, NodeType::conditional, NodeType::loop, NodeType::split,
                        NodeType::aggregator, NodeType::merge})
    EXPECT_TRUE(is_structural(type)) << wire_name(type);
  for (NodeType type : {NodeType::http, NodeType::wait, NodeType::noop, NodeType::code})
    EXPECT_FALSE(is_structural(type)) << wire_name(type);
}

TEST(Definition, finds_nodes_and_edges_by_id_and_name) {
  auto definition = defined(with_fields(drawn("t:manual a", "t>a"), "a", R"({"name": "Alpha"})"));
  EXPECT_EQ(definition->node_by_id("a"), 1u);
  EXPECT_EQ(definition->node_by_name("Alpha"), 1u);
  EXPECT_EQ(definition->node_by_name("a"), std::nullopt);
  EXPECT_EQ(definition->edge_by_id("t>a"), 0u);
  EXPECT_EQ(definition->edge_by_id("a>t"), std::nullopt);
  EXPECT_EQ(definition->names, (std::vector<std::string>{"t", "Alpha"}));
}

// G-22, G-48
TEST(Definition, error_and_timeout_edges_are_no_normal_out_edges) {
  auto definition = defined(with_fields(
      drawn("t:manual w:wait_for_signal a b c", "t>w w>a w>b=timeout w>c=error"), "w",
      R"({"parameters": {"name": "go", "on_timeout": "branch", "timeout_edge_id": "w>b"}})"));
  const Node& wait = definition->nodes[1];
  EXPECT_EQ(wait.out_edges, (std::vector<EdgeIndex>{1, 2, 3}));
  EXPECT_EQ(wait.normal_out, (std::vector<EdgeIndex>{1}));
  EXPECT_EQ(wait.routes, (std::vector<EdgeIndex>{2}));
  EXPECT_EQ(wait.error_edge, 3u);
}

// G-42
TEST(Definition, a_switch_has_a_route_per_rule_and_the_fallback_last) {
  auto definition = defined(with_fields(drawn("t:manual s:switch a b", "t>s s>a s>b"), "s",
                                        R"({"parameters": {"rules": [{"when": "$json.x == 1"},
      {"value": "$json.y", "operator": "==", "compare": "{{ $json.z }}"}],
      "routes": [null, "s>a", "s>b"]}})"));
  const Node& node = definition->nodes[1];
  EXPECT_EQ(node.rules, 2u);
  EXPECT_EQ(node.routes, (std::vector<EdgeIndex>{no_edge, 1, 2}));
  EXPECT_NE(node.expression("/rules/0/when"), nullptr);
  EXPECT_EQ(node.expression("/rules/1/when"), nullptr);
  EXPECT_NE(node.templated("/rules/1/value"), nullptr);
  EXPECT_NE(node.templated("/rules/1/compare"), nullptr);
  EXPECT_EQ(node.templated("/rules/0/value"), nullptr);
}

// G-42
TEST(Definition, a_switch_without_fallback_still_has_a_place_for_it) {
  auto definition = defined(with_fields(drawn("t:manual s:switch a", "t>s s>a"), "s",
                                        R"({"parameters": {"rules": [{"when": "$json.x == 1"}],
                                            "routes": ["s>a"]}})"));
  EXPECT_EQ(definition->nodes[1].routes, (std::vector<EdgeIndex>{1, no_edge}));
}

// G-10
TEST(Definition, raw_parameters_are_parsed_apart) {
  auto definition = defined(
      drawn("t:manual c:conditional l:loop x:code", "t>c c>l=true c>x=false l>c=body l>x=done"));
  EXPECT_NE(definition->nodes[1].expression("/expression"), nullptr);
  EXPECT_NE(definition->nodes[2].expression("/while"), nullptr);
  EXPECT_NE(definition->nodes[3].expression("/source"), nullptr);
  EXPECT_EQ(definition->nodes[2].routes, (std::vector<EdgeIndex>{3, 4}));
}

// G-43
TEST(Definition, a_plain_limit_of_a_loop_is_its_visit_limit) {
  Value document = drawn("t:manual l:loop a", "t>l l>a=body a>l");
  EXPECT_EQ(defined(document)->nodes[1].max_visits, 1'000u);
  document = with_fields(document, "l", R"({"max_visits": 7})");
  EXPECT_EQ(defined(document)->nodes[1].max_visits, 7u);
}

}  // namespace fermata::graph
