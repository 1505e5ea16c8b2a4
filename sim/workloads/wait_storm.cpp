#include "base/json.h"
#include "core/run/history.h"
#include "sim/model/graph_builder.h"
#include "sim/workloads/registry.h"

namespace fermata::sim {

namespace {

/// Many waits at once, inside a split and beside it, some due at the same instant. Each wakes once,
/// never early, and what comes out stands in the order of the items, not of the waking.
class WaitStorm final : public Workload {
 public:
  void prepare(World& world) override {
    Chaos& chaos = world.chaos();
    items_ = chaos.between(1, 12);
    GraphBuilder graph;
    graph
        .node(
            "each", "split",
            Value::object({{"input_array", "$input.items"}, {"max_parallel", chaos.between(0, 4)}}))
        .node("nap", "wait", Value::object({{"amount", "$item.seconds"}}))
        .node("keep", "code", Value::object({{"source", "return $item.t * 2 + $index"}}))
        .node("all", "aggregator")
        .node("beside", "wait", wait_ms(chaos.between(0, 60'000)))
        .node("join", "merge", Value::object({{"timeout", 0}}))
        .edge("start", "each")
        .edge("each", "nap")
        .edge("nap", "keep")
        .edge("keep", "all")
        .edge("start", "beside")
        .edge("all", "join")
        .edge("beside", "join");
    auto definition = world.define(graph.document());
    int64_t runs = chaos.between(1, 4);
    for (int64_t run = 0; run < runs; ++run) {
      Value items = Value::array();
      for (int64_t i = 0; i < items_; ++i)
        // Few different lengths, so that many fall due together.
        items.push(Value::object({{"t", i * 10 + run}, {"seconds", chaos.between(0, 3) * 20}}));
      Request request = world.start("storm-" + std::to_string(run), definition,
                                    Value::object({{"items", items}}));
      request.after = Duration{chaos.between(0, 5'000)};
      world.send(std::move(request));
    }
  }

  void judge(World& world) override {
    for (const RunId& id : world.runs()) {
      const Run& run = *world.state(id);
      expect(run.status == RunStatus::completed, id.text() + " did not complete");
      judge_lengths(*world.stored(id), run);
      const Value& items = run.output.get("join").get("items");
      expect(items.size() == 2, id.text() + " joined " + to_json(items));
      const Value& gathered = items.items()[0];
      expect(static_cast<int64_t>(gathered.size()) == items_, "an item is missing");
      auto given = run.input.get("items").items();
      for (size_t i = 0; i < gathered.size(); ++i) {
        int64_t expected = given[i].get("t").as_integer() * 2 + static_cast<int64_t>(i);
        expect(gathered.items()[i] == Value(expected),
               "item " + std::to_string(i) + " is " + to_json(gathered.items()[i]));
      }
    }
  }

 private:
  /// A wait lasts as long as its item says, counted from the decision that opened it (G-82).
  void judge_lengths(const StoredRun& stored, const Run& run) {
    auto given = run.input.get("items").items();
    for (const HistoryChunk& chunk : stored.history) {
      auto events = decode_history(chunk);
      expect(static_cast<bool>(events), "a chunk cannot be read");
      for (const Event& event : *events) {
        const auto* opened = std::get_if<WaitOpened>(&event.body);
        if (!opened || opened->activation.lineage.outside()) continue;
        int64_t seconds = given[opened->activation.lineage.item].get("seconds").as_integer();
        expect((*opened->resume_at - event.at).ms == seconds * 1'000, "a wait has a wrong length");
      }
    }
  }

  int64_t items_ = 0;
};

}  // namespace

std::unique_ptr<Workload> make_wait_storm() { return std::make_unique<WaitStorm>(); }

}  // namespace fermata::sim
