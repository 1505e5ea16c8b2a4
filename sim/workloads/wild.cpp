#include <array>

#include "sim/model/graph_builder.h"
#include "sim/workloads/meddler.h"
#include "sim/workloads/registry.h"

namespace fermata::sim {

namespace {

/// Graphs without any plan: cycles, barriers of every kind with short timeouts, splits that share
/// nodes with their surroundings, tight limits. Nobody knows what should come out; every rule that
/// holds for all runs must hold for these too, and they must end.
class Wild final : public Workload {
 public:
  void prepare(World& world) override {
    Chaos& chaos = world.chaos();
    RunLimits& limits = world.settings().limits;
    // Where every node of a cycle ignores its failures, only this limit ends the run.
    limits.activations_max = chaos.dice().chance(0.15) ? 40 : 400;
    if (chaos.dice().chance(0.1)) limits.tokens_max = 6;
    limits.visits_max = 4;
    graph::DefinitionRef definition;
    // Not every drawing is a legal workflow; the checker says which are.
    for (int tries = 0; tries < 40 && !definition; ++tries)
      definition = world.define_if_legal(drawn(chaos));
    if (!definition) return;
    for (int64_t i = chaos.between(1, 2); i > 0; --i) {
      RunId id("wild-" + std::to_string(i));
      Request start = world.start(id.text(), definition,
                                  Value::object({{"items", counted_items(chaos.between(0, 3))}}));
      if (chaos.dice().chance(0.1))
        std::get<StartRun>(start.command.body).start_at =
            world.clock().now() + Duration{chaos.between(0, 60'000)};
      world.send(std::move(start));
      if (chaos.dice().chance(0.3)) meddler_.pause(world, id, 2, 30'000);
    }
  }

  void watch(World& world) override { meddler_.watch(world); }
  void judge(World&) override {}

 private:
  Value drawn(Chaos& chaos) {
    nodes_ = chaos.between(3, 12);
    edges_.assign(static_cast<size_t>(nodes_), {});
    draw_edges(chaos);
    GraphBuilder graph;
    for (int64_t i = 0; i < nodes_; ++i) add(graph, chaos, i);
    graph.edge("start", "n0");
    for (const Drawn& edge : order_)
      graph.edge("n" + std::to_string(edge.src), "n" + std::to_string(edge.dst), edge.id);
    if (chaos.dice().chance(0.1)) graph.timeout_ms(chaos.between(1, 30'000));
    return graph.document();
  }

  struct Drawn {
    int64_t src;
    int64_t dst;
    std::string id;
  };

  void draw_edges(Chaos& chaos) {
    order_.clear();
    auto connect = [&](int64_t src, int64_t dst) {
      if (src == dst) return;
      std::string id = "e" + std::to_string(src) + "_" + std::to_string(order_.size());
      order_.push_back({src, dst, id});
      edges_[static_cast<size_t>(src)].push_back(id);
    };
    for (int64_t i = 1; i < nodes_; ++i)
      connect(chaos.between(std::max<int64_t>(0, i - 3), i - 1), i);
    for (int64_t i = chaos.between(0, nodes_); i > 0; --i) {
      int64_t src = chaos.between(0, nodes_ - 1);
      bool back = chaos.dice().chance(0.3);
      int64_t dst = back ? chaos.between(0, src) : chaos.between(src, nodes_ - 1);
      connect(src, dst);
    }
  }

  Value drawn_edge(Chaos& chaos, size_t node) {
    const auto& own = edges_[node];
    if (own.empty() || chaos.dice().chance(0.2)) return {};
    return Value(own[chaos.dice().below(own.size())]);
  }

  void add(GraphBuilder& graph, Chaos& chaos, int64_t index) {
    std::string id = "n" + std::to_string(index);
    auto node = static_cast<size_t>(index);
    Value more = Value::object({{"max_visits", chaos.between(1, 3)}});
    if (!edges_[node].empty() && chaos.dice().chance(0.25)) {
      size_t last = edges_[node].size() - 1;
      more.set("error", Value::object({{"type", "branch"}, {"error_edge", edges_[node][last]}}));
      edges_[node].pop_back();
    } else if (chaos.dice().chance(0.6)) {
      more.set("error", Value::object({{"type", "ignore"}}));
    }
    static constexpr std::array types = {"noop",  "code",  "wait",  "http",        "conditional",
                                         "merge", "merge", "merge", "split",       "aggregator",
                                         "fail",  "loop",  "merge", "conditional", "wait"};
    std::string type = types[chaos.dice().below(types.size())];
    graph.node(id, type, parameters(chaos, type, node), std::move(more));
  }

  Value parameters(Chaos& chaos, const std::string& type, size_t node) {
    if (type == "code") return Value::object({{"source", "return $json"}});
    if (type == "wait") return wait_ms(chaos.between(0, 6) * 1'000);
    if (type == "http") {
      static constexpr std::array paths = {"ok", "down", "flaky/1", "status/500"};
      return Value::object(
          {{"url", std::string("http://sim/") + paths[chaos.dice().below(4)] + "/w"},
           {"raise_on_status", "5xx"},
           {"retry", chaos.between(0, 1)},
           {"at_most_once", chaos.dice().chance(0.2)}});
    }
    if (type == "conditional")
      return named_edges({{"expression", chaos.dice().chance(0.5) ? "{{ 1 < 2 }}" : "{{ 2 < 1 }}"}},
                         {"true_edge_id", "false_edge_id"}, chaos, node);
    if (type == "loop")
      return named_edges({{"while", chaos.dice().chance(0.7) ? "{{ true }}" : "{{ false }}"},
                          {"max_visits", chaos.between(1, 3)}},
                         {"body_edge_id", "done_edge_id"}, chaos, node);
    if (type == "merge")
      return Value::object(
          {{"wait_mode", chaos.dice().chance(0.3) ? "wait_for_any" : "wait_for_all"},
           {"timeout", chaos.dice().chance(0.5) ? chaos.between(1, 9) : 0},
           {"cancel_losers", chaos.dice().chance(0.3)}});
    if (type == "split")
      return Value::object({{"input_array", "$input.items"},
                            {"max_parallel", chaos.between(0, 2)},
                            {"on_item_error", chaos.dice().chance(0.2) ? "halt" : "collect"}});
    if (type == "aggregator")
      return Value::object({{"timeout", chaos.dice().chance(0.3) ? chaos.between(1, 9) : 0},
                            {"fail_on_errors", chaos.dice().chance(0.3)},
                            {"on_timeout", chaos.dice().chance(0.5) ? "partial" : "fail"}});
    return Value::object();
  }

  Value named_edges(std::initializer_list<std::pair<std::string_view, Value>> fields,
                    std::array<std::string_view, 2> names, Chaos& chaos, size_t node) {
    Value parameters = Value::object(fields);
    for (std::string_view name : names) {
      Value edge = drawn_edge(chaos, node);
      if (!edge.is_null()) parameters.set(name, edge);
    }
    return parameters;
  }

  int64_t nodes_ = 0;
  std::vector<std::vector<std::string>> edges_;
  std::vector<Drawn> order_;
  Meddler meddler_;
};

}  // namespace

std::unique_ptr<Workload> make_wild() { return std::make_unique<Wild>(); }

}  // namespace fermata::sim
