#include "base/json.h"
#include "core/run/history.h"
#include "sim/model/graph_builder.h"
#include "sim/workloads/meddler.h"
#include "sim/workloads/registry.h"

namespace fermata::sim {

namespace {

/// Signals that come early, late, twice or in a pause. Each is taken in once and consumed by one
/// wait, first come first served; a wait with a timeout goes on without.
class Signals final : public Workload {
 public:
  void prepare(World& world) override {
    Chaos& chaos = world.chaos();
    waits_ = chaos.between(1, 4);
    bool branch = chaos.dice().chance(0.5);
    GraphBuilder graph;
    std::string before = "start";
    for (int64_t i = 0; i < waits_; ++i) {
      std::string name = "hear" + std::to_string(i);
      graph.node(name, "wait_for_signal", Value::object({{"name", "news"}})).edge(before, name);
      before = name;
    }
    Value maybe = Value::object({{"name", "maybe"},
                                 {"timeout_ms", chaos.between(1, 20'000)},
                                 {"on_timeout", branch ? "branch" : "continue"}});
    if (branch) maybe.set("timeout_edge_id", "late");
    graph.node("maybe", "wait_for_signal", maybe)
        .node("heard", "noop")
        .node("missed", "noop")
        .node("join", "merge", Value::object({{"timeout", 0}}))
        .edge("start", "maybe")
        .edge("maybe", "heard");
    if (branch) graph.edge("maybe", "missed", "late");
    graph.edge("heard", "join").edge(before, "join");
    if (branch) graph.edge("missed", "join");
    auto definition = world.define(graph.document());
    for (int64_t i = chaos.between(1, 2); i > 0; --i) {
      RunId id("signal-" + std::to_string(i));
      world.send(world.start(id.text(), definition, Value::object()));
      meddler_.pause(world, id, 2, 10'000);
      for (int64_t n = 0; n < waits_; ++n) send(world, id, "news", n, 20'000);
      if (chaos.dice().chance(0.5)) send(world, id, "maybe", 0, 30'000);
    }
  }

  void watch(World& world) override { meddler_.watch(world); }

  void judge(World& world) override {
    for (const RunId& id : world.runs()) {
      const Run& run = *world.state(id);
      expect(run.status == RunStatus::completed, id.text() + ": " + to_json(run.error));
      judge_history(world, run);
    }
  }

 private:
  void send(World& world, const RunId& id, const std::string& name, int64_t number,
            int64_t within_ms) {
    Request request;
    std::string signal = name + "-" + std::to_string(number);
    request.command = {id, SignalRun{name, Value::object({{"n", number}}), signal}, "tester"};
    request.after = Duration{world.chaos().between(0, within_ms)};
    world.send(std::move(request));
  }

  /// The waits of the chain get the news in the order in which it was taken in.
  void judge_history(World& world, const Run& run) {
    std::vector<Value> received, consumed;
    for (const HistoryChunk& chunk : world.stored(run.id)->history) {
      auto events = decode_history(chunk);
      expect(static_cast<bool>(events), "a chunk cannot be read");
      for (const Event& event : *events) {
        if (const auto* got = std::get_if<SignalReceived>(&event.body))
          if (got->name == "news") received.push_back(got->payload);
        if (const auto* resumed = std::get_if<WaitResumed>(&event.body))
          if (run.definition->nodes[resumed->activation.node].id != "maybe")
            consumed.push_back(resumed->output.get("payload"));
      }
    }
    expect(static_cast<int64_t>(received.size()) == waits_,
           std::to_string(received.size()) + " signals were taken in instead of " +
               std::to_string(waits_));
    expect(received == consumed, "the news was not consumed in its order");
  }

  int64_t waits_ = 0;
  Meddler meddler_;
};

}  // namespace

std::unique_ptr<Workload> make_signals() { return std::make_unique<Signals>(); }

}  // namespace fermata::sim
