#include "base/json.h"
#include "sim/model/graph_builder.h"
#include "sim/workloads/registry.h"

namespace fermata::sim {

namespace {

/// Loops around a merge, outside and inside a split: every turn gets a fresh instance that opens
/// once, and what a turn adds is there in the next.
class Loops final : public Workload {
 public:
  void prepare(World& world) override {
    Chaos& chaos = world.chaos();
    inside_ = chaos.dice().chance(0.5);
    bool bounded = chaos.dice().chance(0.3);
    visits_max_ = bounded ? chaos.between(1, 6) : 1'000;
    GraphBuilder graph;
    Value turns = inside_ ? Value("$item.turns") : Value("$input.turns");
    std::string condition =
        "{{ ($again?.index ?? -1) + 1 < " + std::string(turns.as_string()) + " }}";
    graph
        .node("again", "loop",
              Value::object({{"while", condition},
                             {"body_edge_id", "body"},
                             {"done_edge_id", "done"},
                             {"max_visits", visits_max_}}))
        .node("fork", "noop")
        .node("nap", "wait", wait_ms(chaos.between(0, 900)))
        .node("ask", "http", Value::object({{"url", "http://sim/ok/turn"}}))
        .node("join", "merge", Value::object({{"timeout", 0}}))
        .node("add", "code",
              Value::object({{"source", "return {t: ($add?.result?.t ?? 0) + $json.length}"}}))
        .node("end", "code", Value::object({{"source", "return {t: $add?.result?.t ?? 0}"}}))
        .edge("again", "fork", "body")
        .edge("again", "end", "done")
        .edge("fork", "nap")
        .edge("fork", "ask")
        .edge("nap", "join")
        .edge("ask", "join")
        .edge("join", "add")
        .edge("add", "again");
    if (inside_) {
      graph.node("each", "split", Value::object({{"input_array", "$input.items"}}))
          .node("all", "aggregator")
          .edge("start", "each")
          .edge("each", "again")
          .edge("end", "all");
    } else {
      graph.edge("start", "again");
    }
    auto definition = world.define(graph.document());
    int64_t runs = chaos.between(1, 2);
    for (int64_t i = 0; i < runs; ++i) {
      Value items = Value::array();
      for (int64_t n = chaos.between(0, 3); n > 0; --n)
        items.push(Value::object({{"turns", chaos.between(0, 5)}}));
      world.send(world.start("loop-" + std::to_string(i), definition,
                             Value::object({{"turns", chaos.between(0, 8)}, {"items", items}})));
    }
  }

  void judge(World& world) override {
    for (const RunId& id : world.runs()) {
      const Run& run = *world.state(id);
      if (inside_) {
        judge_items(run);
      } else {
        judge_alone(run, run.input.get("turns").as_integer());
      }
    }
  }

 private:
  /// Each turn brings two tokens to the merge.
  static int64_t expected(int64_t turns) { return turns * 2; }
  /// The visit that finds the loop done counts too.
  bool fits(int64_t turns) const { return turns + 1 <= visits_max_; }

  void judge_alone(const Run& run, int64_t turns) {
    if (!fits(turns)) {
      expect(run.status == RunStatus::failed && run.error.get("code") == Value("visit_limit"),
             "a loop goes on beyond max_visits");
      return;
    }
    expect(run.status == RunStatus::completed, "a loop ended with " + to_json(run.error));
    const Value& sum = run.output.get("end").get("result").get("t");
    expect(sum == Value(expected(turns)), std::to_string(turns) + " turns gave " + to_json(sum));
  }
  void judge_items(const Run& run) {
    expect(run.status == RunStatus::completed, "loops in a split ended with " + to_json(run.error));
    auto items = run.input.get("items").items();
    const Value& gathered = run.output.get("all").get("aggregated");
    expect(gathered.size() == items.size(), "an item is missing: " + to_json(run.output));
    for (size_t i = 0; i < items.size(); ++i) {
      int64_t turns = items[i].get("turns").as_integer();
      const Value& got = gathered.items()[i];
      bool right = fits(turns) ? got.get("t") == Value(expected(turns))
                               : got.get("error").get("code") == Value("visit_limit");
      expect(right, std::to_string(turns) + " turns in item " + std::to_string(i) + " gave " +
                        to_json(got));
    }
  }

  bool inside_ = false;
  int64_t visits_max_ = 0;
};

}  // namespace

std::unique_ptr<Workload> make_loops() { return std::make_unique<Loops>(); }

}  // namespace fermata::sim
