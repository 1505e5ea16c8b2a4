#include <gtest/gtest.h>

#include "core/graph/check_drawing.h"

// Large documents. There are no clocks here: what would grow with the square of the size shows as a
// test that does not come to its end.
namespace fermata::graph {
namespace {

std::string name_of_node(size_t index) { return "n" + std::to_string(index); }

Value node_of(size_t index, std::string_view type) {
  return Value::object({{"id", name_of_node(index)}, {"type", type}});
}

void connect(Value& edges, size_t from, size_t to) {
  edges.push(Value::object({{"id", "e" + std::to_string(edges.size())},
                            {"src", name_of_node(from)},
                            {"dst", name_of_node(to)}}));
}

Value document_of(Value nodes, Value edges) {
  return Value::object({{"nodes", std::move(nodes)}, {"edges", std::move(edges)}, {"entry", "n0"}});
}

}  // namespace

// G-110
TEST(CheckScale, a_thousand_merges_with_five_thousand_edges_are_checked) {
  Value nodes = Value::array(), edges = Value::array();
  for (size_t i = 0; i < 1'000; ++i) nodes.push(node_of(i, i == 0 ? "noop" : "merge"));
  for (size_t i = 0; i < 1'000; ++i)
    for (size_t step = 1; step <= 5 && i + step < 1'000; ++step) connect(edges, i, i + step);
  auto definition = defined(document_of(std::move(nodes), std::move(edges)));
  ASSERT_NE(definition, nullptr);
  EXPECT_EQ(definition->merges.size(), 999u);
  EXPECT_TRUE(definition->reach[0].has(999));
}

// G-110
TEST(CheckScale, five_hundred_nested_splits_are_checked) {
  Value nodes = Value::array(), edges = Value::array();
  for (size_t i = 0; i < 1'000; ++i) {
    Value node = node_of(i, i < 500 ? "split" : "aggregator");
    if (i < 500) node.set("parameters", Value::object({{"input_array", "$json"}}));
    nodes.push(std::move(node));
    if (i > 0) connect(edges, i - 1, i);
  }
  auto definition = defined(document_of(std::move(nodes), std::move(edges)));
  ASSERT_NE(definition, nullptr);
  EXPECT_EQ(definition->nodes[499].aggregator, 500u);
  EXPECT_EQ(definition->nodes[0].aggregator, 999u);
}

// G-7
TEST(CheckScale, thousands_of_findings_are_told_with_their_places) {
  Value nodes = Value::array(), edges = Value::array();
  for (size_t i = 0; i < 1'000; ++i) nodes.push(node_of(i, "nop"));
  for (size_t i = 0; i < 5'000; ++i) connect(edges, i, i + 1'000);
  Value document = document_of(std::move(nodes), std::move(edges));
  std::string text = to_pretty_json(document);
  auto checked = check_definition(document, text);
  EXPECT_EQ(checked.errors.size(), 1'000u + 4'000u + 5'000u);
  int line = 0;
  for (const Finding& finding : checked.errors) {
    EXPECT_GE(finding.line, line);
    line = finding.line;
  }
}

// G-110: what is over the limit is not analysed, however large it is.
TEST(CheckScale, a_graph_over_the_limit_is_refused_before_it_is_analysed) {
  Value nodes = Value::array(), edges = Value::array();
  for (size_t i = 0; i < 20'000; ++i) nodes.push(node_of(i, "merge"));
  for (size_t i = 1; i < 20'000; ++i) connect(edges, i - 1, i);
  auto checked = check_definition(document_of(std::move(nodes), std::move(edges)));
  EXPECT_EQ(told(checked.errors),
            (std::vector<std::string>{"limit_exceeded ", "limit_exceeded /nodes",
                                      "limit_exceeded /edges"}));
}

}  // namespace fermata::graph
