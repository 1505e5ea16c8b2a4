#pragma once
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <string_view>

#include "base/json.h"
#include "core/graph/check.h"
#include "core/graph/nodes/node.h"

/// For tests: runs one node of a small checked definition. The node is called Node and has the
/// edges out_0, out_1 and out_2 to three leaves.
namespace fermata::graph {

class MapRoots final : public flow::Roots {
 public:
  MapRoots() = default;
  MapRoots(std::initializer_list<std::pair<const std::string, Value>> values) : values_(values) {}
  std::optional<Value> root(std::string_view name) const override {
    auto found = values_.find(name);
    if (found == values_.end()) return std::nullopt;
    return found->second;
  }

 private:
  std::map<std::string, Value, std::less<>> values_;
};

inline Value json(std::string_view text) {
  auto parsed = parse_json(text);
  EXPECT_TRUE(parsed) << text;
  return parsed ? *parsed : Value();
}

class NodeFixture {
 public:
  NodeFixture(std::string_view type, std::string_view parameters) {
    std::string text = R"({"nodes": [{"id": "start", "type": "manual", "trigger": true},
      {"id": "node", "name": "Node", "type": ")" +
                       std::string(type) + R"(", "parameters": )" + std::string(parameters) + R"(},
      {"id": "a", "type": "noop"}, {"id": "b", "type": "noop"}, {"id": "c", "type": "noop"}],
      "edges": [{"id": "in", "src": "start", "dst": "node"},
        {"id": "out_0", "src": "node", "dst": "a"}, {"id": "out_1", "src": "node", "dst": "b"},
        {"id": "out_2", "src": "node", "dst": "c"}]})";
    CheckedDefinition checked = check_definition(json(text));
    for (const Finding& finding : checked.errors)
      ADD_FAILURE() << finding.code << " " << finding.path << " " << finding.message;
    definition_ = checked.definition;
    given_.entropy = 7;
  }

  const Node& node() const { return definition_->nodes[*definition_->node_by_id("node")]; }
  NodeFixture& at(std::string_view now) {
    now_ = parse_rfc3339(now).value();
    given_.now = now_;
    return *this;
  }
  NodeFixture& zones(const ZoneTable& zones) {
    given_.zones = &zones;
    return *this;
  }
  NodeFixture& visit(uint32_t visit) {
    visit_ = visit;
    return *this;
  }
  /// All evaluations together may take so many steps.
  NodeFixture& steps(uint64_t most) {
    steps_max_ = most;
    return *this;
  }
  /// The name of the edge a route leads to; "" where the token ends.
  std::string edge(Route route) const {
    EXPECT_EQ(route.kind, Route::Kind::one);
    return route.edge == no_edge ? "" : definition_->edges[route.edge].id;
  }

  template <class Run = NodeResult (*)(const NodeInput&)>
  NodeResult run(const flow::Roots& roots = MapRoots(), Run&& how = run_instant) const {
    if (!definition_) return node_failure("no_definition", "");
    flow::StepPool pool{steps_max_, steps_max_};
    flow::EvalGiven given = given_;
    given.pool = &pool;
    auto parameters = evaluate(node().parameters, roots, given);
    if (!parameters) return node_failure(parameters.error());
    flow::EvalGiven code = given;
    code.limits.steps_max = 1'000'000;
    return how(NodeInput{node(), *parameters, roots, now_, visit_, given, code});
  }
  /// Runs with nothing but `$json`.
  NodeResult with_json(std::string_view text) const { return run(MapRoots{{"json", json(text)}}); }

 private:
  DefinitionRef definition_;
  Instant now_;
  uint32_t visit_ = 0;
  uint64_t steps_max_ = 10'000'000;
  flow::EvalGiven given_;
};

/// What `$json` became, or the failure's code as text.
inline Value json_of(const NodeResult& result) {
  if (!result) return Value("failed: " + result.error().code + ": " + result.error().message);
  return result->json.value_or(Value("no $json"));
}
inline Value output_of(const NodeResult& result) {
  if (!result) return Value("failed: " + result.error().code + ": " + result.error().message);
  return result->output;
}
inline std::string code_of(const NodeResult& result) {
  return result ? "succeeded with " + to_json(result->output) : result.error().code;
}

}  // namespace fermata::graph
