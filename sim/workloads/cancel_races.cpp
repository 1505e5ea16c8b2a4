#include "base/json.h"
#include "sim/model/graph_builder.h"
#include "sim/workloads/meddler.h"
#include "sim/workloads/registry.h"

namespace fermata::sim {

namespace {

/// Cancels, pauses and resumes race with answers, timers and each other. Whoever is first wins, and
/// only one of them is told that it did.
class CancelRaces final : public Workload {
 public:
  void prepare(World& world) override {
    Chaos& chaos = world.chaos();
    GraphBuilder graph;
    graph.node("ask", "http", Value::object({{"url", "http://sim/ok/ask"}}))
        .node("nap", "wait", wait_ms(chaos.between(0, 3'000)))
        .node("each", "split", Value::object({{"input_array", "$input.items"}}))
        .node("call", "http", Value::object({{"url", "http://sim/ok/call"}}))
        .node("all", "aggregator")
        .node("join", "merge", Value::object({{"timeout", 0}}))
        .node("last", "http", Value::object({{"url", "http://sim/ok/last"}}))
        .edge("start", "ask")
        .edge("start", "nap")
        .edge("start", "each")
        .edge("each", "call")
        .edge("call", "all")
        .edge("ask", "join")
        .edge("nap", "join")
        .edge("all", "join")
        .edge("join", "last");
    auto definition = world.define(graph.document());
    int64_t runs = chaos.between(1, 4);
    for (int64_t i = 0; i < runs; ++i) {
      RunId id("race-" + std::to_string(i));
      world.send(world.start(id.text(), definition,
                             Value::object({{"items", counted_items(chaos.between(0, 5))}})));
      meddler_.pause(world, id, 2, 5'000);
      for (int64_t cancels = chaos.between(0, 2); cancels > 0; --cancels) send_cancel(world, id);
    }
  }

  void watch(World& world) override { meddler_.watch(world); }

  void judge(World& world) override {
    for (const RunId& id : world.runs()) {
      const Run& run = *world.state(id);
      bool cancelled = run.status == RunStatus::cancelled;
      expect(
          cancelled || run.status == RunStatus::completed,
          id.text() + " ended as " + std::string(name_of(run.status)) + " " + to_json(run.error));
      expect(!cancelled || asked_.contains(id), id.text() + " was cancelled by nobody");
      expect(cancelled || !told_.contains(id), "a cancel was accepted, but the run completed");
      if (!cancelled) expect(run.output.find("last"), "the last node did not end");
    }
  }

 private:
  void send_cancel(World& world, const RunId& id) {
    Request request;
    request.command = {id, CancelRun{"enough"}, "tester"};
    request.after = Duration{world.chaos().between(0, 4'000)};
    request.answered = [this, id](const Outcome<RunSummary>& answer) {
      if (answer) told_.insert(id);
    };
    asked_.insert(id);
    world.send(std::move(request));
  }

  Meddler meddler_;
  std::set<RunId> asked_;
  std::set<RunId> told_;
};

}  // namespace

std::unique_ptr<Workload> make_cancel_races() { return std::make_unique<CancelRaces>(); }

}  // namespace fermata::sim
