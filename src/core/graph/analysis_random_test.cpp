#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/random.h"
#include "core/graph/analysis.h"
#include "core/graph/check_drawing.h"

// Random small graphs, analysed once as the engine gets them and once by trying everything.
namespace fermata::graph {
namespace {

constexpr uint64_t graphs_tried = 1'000;

Value random_graph(uint64_t seed) {
  Random random(seed);
  constexpr std::string_view types[] = {"noop", "noop",  "conditional", "split",
                                        "log",  "merge", "merge",       "aggregator"};
  size_t count = 3 + random.below(7);
  std::string nodes = "n0", edges;
  for (size_t i = 1; i < count; ++i)
    nodes += " n" + std::to_string(i) + ":" + std::string(types[random.below(std::size(types))]);
  std::set<std::string> drawn_edges;
  for (size_t i = 0; i < count + random.below(count); ++i) {
    size_t from = random.below(count), to = random.below(count);
    if (!random.chance(0.1) && from > to) std::swap(from, to);
    if (from == to) continue;
    std::string edge = "n" + std::to_string(from) + ">n" + std::to_string(to);
    if (!drawn_edges.insert(edge).second) continue;
    edges += " " + edge + (random.chance(0.1) ? "=error" : "");
  }
  Value document = drawn(nodes, edges);
  for (size_t i = 0; i < count; ++i)
    document = with_fields(document, "n" + std::to_string(i), R"({"max_visits": 3})");
  document.set("entry", "n0");
  return document;
}

/// A split, a body with merges and routes, and its aggregator as the last node.
Value random_body(uint64_t seed) {
  Random random(seed);
  constexpr std::string_view types[] = {"noop", "noop", "merge", "conditional"};
  size_t last = 4 + random.below(6);
  std::string nodes = "n0 n1:split", edges = "n0>n1";
  for (size_t i = 2; i < last; ++i)
    nodes += " n" + std::to_string(i) + ":" + std::string(types[random.below(std::size(types))]);
  nodes += " n" + std::to_string(last) + ":aggregator";
  for (size_t from = 1; from < last; ++from) {
    std::set<size_t> ends;
    for (size_t i = 0; i <= random.below(2); ++i) {
      bool back = from > 3 && random.chance(0.1);
      ends.insert(back ? 2 + random.below(from - 2) : from + 1 + random.below(last - from));
    }
    for (size_t to : ends) edges += " n" + std::to_string(from) + ">n" + std::to_string(to);
  }
  Value document = drawn(nodes, edges);
  for (size_t i = 2; i < last; ++i)
    document = with_fields(document, "n" + std::to_string(i), R"({"max_visits": 3})");
  document.set("entry", "n0");
  return document;
}

NodeSet walked(const Successors& next, NodeIndex from, NodeIndex barred) {
  NodeSet seen(next.size());
  std::vector<NodeIndex> open = {from};
  seen.add(from);
  while (!open.empty()) {
    NodeIndex node = open.back();
    open.pop_back();
    for (NodeIndex to : next[node]) {
      if (to == barred || seen.has(to)) continue;
      seen.add(to);
      open.push_back(to);
    }
  }
  return seen;
}

/// The merges on each way from a node to an aggregator, without going in circles.
void collect_ways(const Definition& definition, NodeIndex node, NodeIndex goal,
                  std::vector<NodeIndex>& way, std::vector<std::set<NodeIndex>>& found) {
  if (node == goal) {
    std::set<NodeIndex> merges;
    for (NodeIndex at : way)
      if (definition.nodes[at].type == NodeType::merge) merges.insert(at);
    found.push_back(std::move(merges));
    return;
  }
  if (std::find(way.begin(), way.end(), node) != way.end()) return;
  way.push_back(node);
  for_each_level_edge(definition, node,
                      [&](NodeIndex to) { collect_ways(definition, to, goal, way, found); });
  if (definition.nodes[node].type != NodeType::split)
    for (EdgeIndex edge : definition.nodes[node].out_edges)
      if (definition.edges[edge].dst == goal) collect_ways(definition, goal, goal, way, found);
  way.pop_back();
}

bool two_ways_stay_apart(const Definition& definition, const std::vector<EdgeIndex>& edges,
                         NodeIndex goal) {
  std::vector<std::vector<std::set<NodeIndex>>> ways;
  for (EdgeIndex edge : edges) {
    std::vector<NodeIndex> way;
    collect_ways(definition, definition.edges[edge].dst, goal, way, ways.emplace_back());
  }
  for (size_t a = 0; a < ways.size(); ++a)
    for (size_t b = a + 1; b < ways.size(); ++b)
      for (const auto& one : ways[a])
        for (const auto& other : ways[b]) {
          std::vector<NodeIndex> common;
          std::set_intersection(one.begin(), one.end(), other.begin(), other.end(),
                                std::back_inserter(common));
          if (common.empty()) return true;
        }
  return false;
}

bool arrives_twice(const Definition& definition, const Level& level, NodeIndex goal) {
  if (two_ways_stay_apart(definition, definition.nodes[level.split].normal_out, goal)) return true;
  for (NodeIndex node = 0; node < definition.nodes.size(); ++node) {
    const Node& fork = definition.nodes[node];
    if (!level.nodes.has(node) || is_routing(fork.type) || fork.type == NodeType::split) continue;
    if (two_ways_stay_apart(definition, fork.normal_out, goal)) return true;
  }
  return false;
}

}  // namespace

// G-74
TEST(RandomGraphs, what_can_deliver_is_what_walks_there) {
  for (uint64_t seed = 0; seed < graphs_tried; ++seed) {
    auto definition = check_definition(random_graph(seed)).definition;
    if (!definition) continue;
    for (const MergeAnalysis& merge : definition->merges)
      for (NodeIndex from = 0; from < definition->nodes.size(); ++from) {
        if (from == merge.node) continue;
        NodeSet seen = walked(definition->level_next, from, merge.node);
        const auto& in_edges = definition->nodes[merge.node].in_edges;
        for (size_t i = 0; i < in_edges.size(); ++i) {
          bool delivers = definition->is_level_edge(in_edges[i]) &&
                          seen.has(definition->edges[in_edges[i]].src);
          ASSERT_EQ(merge.can_deliver[i].has(from), delivers) << "seed " << seed;
        }
      }
  }
}

// G-66
TEST(RandomGraphs, double_arrivals_are_found_exactly) {
  size_t found_twice = 0, found_once = 0;
  for (uint64_t seed = 0; seed < graphs_tried; ++seed) {
    auto definition = check_definition(random_body(seed)).definition;
    if (!definition) continue;
    SplitAnalysis splits = analyse_splits(*definition);
    auto found = double_arrivals(*definition, splits);
    for (const Level& level : splits.levels) {
      if (level.split == no_node) continue;
      NodeIndex goal = definition->nodes[level.split].aggregator;
      if (goal == no_node) continue;
      bool expected = arrives_twice(*definition, level, goal);
      bool told_so = std::any_of(found.begin(), found.end(), [&](const DoubleArrival& arrival) {
        return arrival.aggregator == goal &&
               (arrival.fork == level.split || level.nodes.has(arrival.fork));
      });
      ASSERT_EQ(told_so, expected) << "seed " << seed;
      ++(expected ? found_twice : found_once);
    }
  }
  EXPECT_GT(found_twice, 100u);
  EXPECT_GT(found_once, 100u);
}

// G-2
TEST(RandomGraphs, every_accepted_document_compiles_again_to_itself) {
  size_t accepted = 0;
  for (uint64_t seed = 0; seed < graphs_tried; ++seed) {
    auto definition = check_definition(random_graph(seed)).definition;
    if (!definition) continue;
    ++accepted;
    auto again = compile_definition(definition->canonical);
    ASSERT_TRUE(again) << "seed " << seed;
    ASSERT_EQ((*again)->hash, definition->hash) << "seed " << seed;
    ASSERT_EQ((*again)->level_reach, definition->level_reach) << "seed " << seed;
  }
  EXPECT_GT(accepted, graphs_tried / 10);
}

// G-7: whatever is written, the checker answers with findings or a definition.
TEST(RandomGraphs, documents_with_parts_replaced_are_answered) {
  Random random(7);
  const Value odd[] = {Value(),       Value(-1),      Value(1e300),    Value(""),
                       Value("{{"),   Value::array(), Value::object(), Value(true),
                       Value("$a.b"), Value("n1>n2"), Value("n1")};
  for (uint64_t seed = 0; seed < graphs_tried; ++seed) {
    Value document = random_graph(seed);
    for (int i = 0; i < 3; ++i) {
      Value list = document.get(random.chance(0.7) ? "nodes" : "edges");
      if (!list.is_array() || list.size() == 0) continue;
      size_t at = random.below(list.size());
      Value element = list.items()[at];
      if (!element.is_object() || element.size() == 0) continue;
      auto members = element.members();
      std::string key(members[random.below(members.size())].key.as_string());
      element.set(key, odd[random.below(std::size(odd))]);
      list.put(at, element);
      document.set(list.items()[at].find("src") ? "edges" : "nodes", list);
    }
    std::string text = to_json(document);
    auto checked = check_definition(document, text);
    ASSERT_EQ(checked.definition == nullptr, !checked.errors.empty());
    for (const Finding& finding : checked.errors) ASSERT_GE(finding.line, 1);
  }
}

}  // namespace fermata::graph
