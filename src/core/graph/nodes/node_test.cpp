#include "core/graph/nodes/node.h"

#include <gtest/gtest.h>

#include <limits>

#include "core/graph/nodes/node_fixture.h"
#include "core/graph/nodes/parts.h"

namespace fermata::graph {
namespace {

// G-27
TEST(NodeNumbers, are_numbers_or_numeric_text) {
  EXPECT_EQ(number_of(Value(2)), 2.0);
  EXPECT_EQ(number_of(Value(0.5)), 0.5);
  EXPECT_EQ(number_of(Value("2.5")), 2.5);
  EXPECT_EQ(number_of(Value(" -1e3 ")), -1000.0);
  for (const Value& other : {Value(), Value(true), Value(""), Value("x"), Value("2s"), Value("nan"),
                             Value("inf"), Value::array(), Value::object()})
    EXPECT_EQ(number_of(other), std::nullopt) << to_json(other);
  EXPECT_EQ(number_of(Value(std::numeric_limits<double>::infinity())), std::nullopt);
}

// G-27
TEST(NodeNumbers, integers_keep_every_digit_and_have_no_fraction) {
  EXPECT_EQ(integer_of(Value("9007199254740993")), 9'007'199'254'740'993);
  EXPECT_EQ(integer_of(Value(std::numeric_limits<int64_t>::min())),
            std::numeric_limits<int64_t>::min());
  EXPECT_EQ(integer_of(Value(3.0)), 3);
  EXPECT_EQ(integer_of(Value("3.0")), 3);
  EXPECT_EQ(integer_of(Value(" 4")), 4);
  EXPECT_EQ(integer_of(Value(3.5)), std::nullopt);
  EXPECT_EQ(integer_of(Value("3.5")), std::nullopt);
  EXPECT_EQ(integer_of(Value(1e19)), std::nullopt);
  EXPECT_EQ(integer_of(Value(-0x1p63)), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(integer_of(Value("")), std::nullopt);
}

// G-51
TEST(NodeFailure, of_an_evaluation_tells_where) {
  auto failure = node_failure(flow::EvalError{"code_failed", "no such thing", {}, 3, 9});
  EXPECT_EQ(failure.value.code, "code_failed");
  EXPECT_EQ(failure.value.message, "no such thing");
  EXPECT_EQ(failure.value.details, json(R"({"line": 3, "column": 9})"));
}

// G-15
TEST(NodeFailure, of_an_evaluation_keeps_its_details) {
  Value references = json(R"({"references": [{"reference": "$No.x", "missing": "$No"}]})");
  auto failure = node_failure(flow::EvalError{"unresolved_reference", "no $No", references});
  EXPECT_EQ(failure.value.details, references);
}

TEST(NodeFailure, at_an_element_tells_its_position) {
  EXPECT_EQ(at_element({"x", "", {}}, 4).value.details, json(R"({"index": 4})"));
  Value named = json(R"({"name": "a"})");
  EXPECT_EQ(at_element({"x", "", named}, 0).value.details, json(R"({"name": "a", "index": 0})"));
  EXPECT_EQ(at_element({"x", "", Value("text")}, 0).value.details, Value("text"));
}

TEST(NodeTypes, that_park_or_start_are_not_instant) {
  for (auto name : wire_names()) {
    NodeType type = *node_type_of(name);
    bool other = is_trigger(type) || has_effect(type) || type == NodeType::split ||
                 type == NodeType::aggregator || type == NodeType::merge ||
                 type == NodeType::wait || type == NodeType::wait_for_signal ||
                 type == NodeType::approval;
    EXPECT_EQ(is_instant(type), !other) << name;
  }
}

// G-21
TEST(IgnoredFailure, of_a_routing_node_takes_its_last_way_out) {
  NodeFixture conditional("conditional", R"({"expression": "true", "true_edge_id": "out_0",
    "false_edge_id": "out_1"})");
  EXPECT_EQ(conditional.edge(route_after_ignored_failure(conditional.node())), "out_1");
  NodeFixture loop("loop",
                   R"({"while": "true", "body_edge_id": "out_0", "done_edge_id": "out_2"})");
  EXPECT_EQ(loop.edge(route_after_ignored_failure(loop.node())), "out_2");
  NodeFixture branch("switch", R"({"rules": [{"when": "true"}], "routes": ["out_0", "out_1"]})");
  EXPECT_EQ(branch.edge(route_after_ignored_failure(branch.node())), "out_1");
}

// G-21
TEST(IgnoredFailure, of_a_routing_node_without_that_edge_ends_the_token) {
  NodeFixture branch("switch", R"({"rules": [{"when": "true"}], "routes": ["out_0"]})");
  EXPECT_EQ(branch.edge(route_after_ignored_failure(branch.node())), "");
}

// G-21
TEST(IgnoredFailure, of_another_node_goes_on_over_all_edges) {
  EXPECT_EQ(route_after_ignored_failure(NodeFixture("noop", "{}").node()).kind, Route::Kind::all);
}

}  // namespace
}  // namespace fermata::graph
