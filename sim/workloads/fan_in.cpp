#include "base/json.h"
#include "sim/model/graph_builder.h"
#include "sim/workloads/registry.h"

namespace fermata::sim {

namespace {

/// One barrier with many edges, and a split with many items: everything arrives, once, in the order
/// of the document and of the items.
class FanIn final : public Workload {
 public:
  void prepare(World& world) override {
    Chaos& chaos = world.chaos();
    edges_ = chaos.between(2, 25);
    int64_t items = chaos.dice().chance(0.05) ? 400 : chaos.between(0, 40);
    GraphBuilder graph;
    graph.node("join", "merge", Value::object({{"timeout", 0}}))
        .node("each", "split",
              Value::object({{"input_array", "$input.items"},
                             {"max_parallel", chaos.between(0, 9)},
                             {"batch_size", chaos.dice().chance(0.2) ? 3 : 1}}))
        .node("double", "code",
              Value::object({{"source", "return [$item].flat(9).map(o => o.t * 2)"}}))
        .node("all", "aggregator")
        .node("both", "merge", Value::object({{"timeout", 0}}))
        .edge("start", "each")
        .edge("each", "double")
        .edge("double", "all")
        .edge("join", "both", "joined")
        .edge("all", "both", "gathered");
    for (int64_t i = 0; i < edges_; ++i) add_way(graph, chaos, i);
    auto definition = world.define(graph.document());
    world.send(world.start("fan-0", definition,
                           Value::object({{"t", 1}, {"items", counted_items(items)}})));
  }

  void judge(World& world) override {
    for (const RunId& id : world.runs()) {
      const Run& run = *world.state(id);
      expect(run.status == RunStatus::completed, id.text() + ": " + to_json(run.error));
      const Value& both = run.output.get("both").get("items");
      // A merge that nothing ever reaches does not open.
      expect(both.size() == (coming_ > 0 ? 2u : 1u), "both gave " + to_json(both));
      if (coming_ > 0) judge_ways(both.items()[0]);
      judge_items(run, both.items()[coming_ > 0 ? 1 : 0]);
    }
  }

 private:
  void add_way(GraphBuilder& graph, Chaos& chaos, int64_t i) {
    std::string name = "way" + std::to_string(i);
    std::string mark = "mark" + std::to_string(i);
    switch (chaos.between(0, 4)) {
      case 0: graph.node(name, "wait", wait_ms(chaos.between(0, 9'000))); break;
      case 1: {
        std::string url = "http://sim/ok/" + name;
        graph.node(name, "http", Value::object({{"url", url}}));
        graph.node(mark, "code", Value::object({{"source", "return $" + name + ".body.t"}}));
        return add_arrival(graph, name, mark, Outside::number_of(url));
      }
      case 2:
        // Never taken: the barrier must not wait for it.
        graph.node(name, "conditional",
                   Value::object({{"expression", "{{ 1 > 2 }}"}, {"true_edge_id", "t" + name}}));
        graph.node(mark, "noop").edge("start", name).edge(name, mark, "t" + name);
        graph.edge(mark, "join");
        return;
      default: graph.node(name, "noop"); break;
    }
    graph.node(mark, "code", Value::object({{"source", "return " + std::to_string(i)}}));
    add_arrival(graph, name, mark, i);
  }
  void add_arrival(GraphBuilder& graph, const std::string& name, const std::string& mark,
                   int64_t value) {
    graph.edge("start", name).edge(name, mark).edge(mark, "join");
    marks_.push_back(value);
    ++coming_;
  }
  void judge_ways(const Value& joined) {
    expect(joined.size() == marks_.size(), "the barrier took in " + to_json(joined));
    for (size_t i = 0; i < marks_.size(); ++i)
      expect(joined.items()[i] == Value(marks_[i]), "out of order: " + to_json(joined));
  }
  void judge_items(const Run& run, const Value& gathered) {
    std::vector<Value> flat;
    for (const Value& batch : gathered.items())
      for (const Value& item : batch.items()) flat.push_back(item);
    auto given = run.input.get("items").items();
    expect(flat.size() == given.size(), "items are missing: " + to_json(gathered));
    for (size_t i = 0; i < flat.size(); ++i)
      expect(flat[i] == Value(given[i].get("t").as_integer() * 2), "an item is out of order");
  }

  int64_t edges_ = 0;
  int64_t coming_ = 0;
  std::vector<int64_t> marks_;
};

}  // namespace

std::unique_ptr<Workload> make_fan_in() { return std::make_unique<FanIn>(); }

}  // namespace fermata::sim
