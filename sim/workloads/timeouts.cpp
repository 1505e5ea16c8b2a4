#include "base/json.h"
#include "sim/model/graph_builder.h"
#include "sim/workloads/meddler.h"
#include "sim/workloads/registry.h"

namespace fermata::sim {

namespace {

/// Barriers that give up: merges with a timeout under every error policy, the first of several,
/// aggregators that do not wait for all items, and runs with a time limit. What follows a barrier
/// runs once, on one of its two sides.
class Timeouts final : public Workload {
 public:
  void prepare(World& world) override {
    Chaos& chaos = world.chaos();
    policy_ = chaos.between(0, 2);
    GraphBuilder graph;
    add_merge(graph, chaos);
    add_any(graph, chaos);
    add_aggregator(graph, chaos);
    if (chaos.dice().chance(0.2)) graph.timeout_ms(limit_ms_ = chaos.between(1, 20'000));
    auto definition = world.define(graph.document());
    for (int64_t i = chaos.between(1, 2); i > 0; --i) {
      RunId id("timeout-" + std::to_string(i));
      world.send(world.start(id.text(), definition,
                             Value::object({{"items", counted_items(chaos.between(1, 4), 1)}})));
      if (chaos.dice().chance(0.3)) meddler_.pause(world, id, 2, 15'000);
    }
  }

  void watch(World& world) override { meddler_.watch(world); }

  void judge(World& world) override {
    for (const RunId& id : world.runs()) judge_run(*world.state(id));
  }

 private:
  void add_merge(GraphBuilder& graph, Chaos& chaos) {
    Value error = Value::object();
    if (policy_ == 1) error = on_error_ignore();
    if (policy_ == 2) error = on_error_branch("gave_up");
    graph.node("a", "wait", wait_ms(chaos.between(0, 5'000)))
        .node("b", "wait", wait_ms(chaos.between(0, 15'000)))
        .node("m", "merge", Value::object({{"timeout", chaos.between(1, 8)}}), error)
        .node("after", "noop")
        .node("late", "noop")
        .edge("start", "a")
        .edge("start", "b")
        .edge("a", "m")
        .edge("b", "m")
        .edge("m", "after");
    if (policy_ == 2) graph.edge("m", "late", "gave_up");
    if (policy_ != 2) graph.edge("start", "late");
  }
  void add_any(GraphBuilder& graph, Chaos& chaos) {
    bool cancels = chaos.dice().chance(0.5);
    graph.node("x", "wait", wait_ms(chaos.between(0, 4'000)))
        .node("y", "http", Value::object({{"url", "http://sim/ok/y"}}))
        .node("z", "wait", wait_ms(chaos.between(0, 9'000)))
        .node("first", "merge",
              Value::object({{"wait_mode", "wait_for_any"}, {"cancel_losers", cancels}}))
        .node("won", "noop")
        .edge("start", "x")
        .edge("start", "y")
        .edge("start", "z")
        .edge("x", "first")
        .edge("y", "first")
        .edge("z", "first")
        .edge("first", "won");
  }
  void add_aggregator(GraphBuilder& graph, Chaos& chaos) {
    partial_ = chaos.dice().chance(0.5);
    graph
        .node(
            "each", "split",
            Value::object({{"input_array", "$input.items"}, {"max_parallel", chaos.between(0, 2)}}))
        .node("slow", "wait", Value::object({{"amount", "{{ $item.t * 3 }}"}}))
        .node("pair", "merge", Value::object({{"timeout", 100}}))
        .node("all", "aggregator",
              Value::object({{"timeout", chaos.between(1, 12)},
                             {"on_timeout", partial_ ? "partial" : "fail"}}),
              on_error_ignore())
        .node("gathered", "noop")
        .edge("start", "each")
        .edge("each", "slow")
        .edge("each", "pair")
        .edge("slow", "pair")
        .edge("pair", "all")
        .edge("all", "gathered");
  }

  void judge_run(const Run& run) {
    const std::string code = to_text(run.error.get("code"));
    if (run.status == RunStatus::timed_out)
      return expect(limit_ms_ > 0, "a run without a limit timed out");
    if (run.status == RunStatus::failed)
      return expect(policy_ == 0 && code == "merge_timeout",
                    "the run failed: " + to_json(run.error));
    expect(run.status == RunStatus::completed, "the run did not complete");
    const Value& output = run.output;
    expect(output.find("won"), "nobody won: " + to_json(output));
    expect(output.find("gathered"), "the aggregator did not open: " + to_json(output));
    if (policy_ == 2)
      expect((output.find("after") != nullptr) != (output.find("late") != nullptr),
             "a barrier opened on both sides or on none: " + to_json(output));
    if (policy_ != 2) expect(output.find("after"), "the merge did not open: " + to_json(output));
  }

  int64_t policy_ = 0;
  int64_t limit_ms_ = 0;
  bool partial_ = false;
  Meddler meddler_;
};

}  // namespace

std::unique_ptr<Workload> make_timeouts() { return std::make_unique<Timeouts>(); }

}  // namespace fermata::sim
