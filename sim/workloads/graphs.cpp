#include "sim/workloads/graph_verdict.h"
#include "sim/workloads/meddler.h"
#include "sim/workloads/registry.h"

namespace fermata::sim {

namespace {

/// Random graphs with splits, merges, waits, calls, routes and error policies. Whatever goes wrong
/// on the way, the outcome is the one a simple interpreter finds by walking the graph on paper; a
/// pause changes nothing either.
class Graphs final : public Workload {
 public:
  explicit Graphs(bool pauses) : pauses_(pauses) {}

  void prepare(World& world) override {
    Chaos& chaos = world.chaos();
    spec_ = model::random_spec(chaos.dice(), {.nodes = 12, .body_nodes = 4, .depth = 2});
    auto definition = world.define(model::document_of(spec_));
    int64_t runs = chaos.between(1, 2);
    for (int64_t i = 0; i < runs; ++i) {
      RunId id("graph-" + std::to_string(i));
      world.send(world.start(id.text(), definition,
                             graph_input(chaos.between(0, 50), chaos.between(1, 4))));
      if (pauses_) meddler_.pause(world, id, 3, 120'000);
    }
  }

  void watch(World& world) override { meddler_.watch(world); }

  void judge(World& world) override {
    for (const RunId& id : world.runs()) {
      const Run& run = *world.state(id);
      model::Expected expected = model::interpret(spec_, run.input);
      if (!expected.certain) continue;
      judge_outcome(spec_, expected, run);
      judge_counts(spec_, expected, run, *world.stored(id));
    }
  }

 private:
  const bool pauses_;
  Meddler meddler_;
  model::Spec spec_;
};

}  // namespace

std::unique_ptr<Workload> make_graphs() { return std::make_unique<Graphs>(false); }
std::unique_ptr<Workload> make_paused_graphs() { return std::make_unique<Graphs>(true); }

}  // namespace fermata::sim
