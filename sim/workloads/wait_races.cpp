#include "base/json.h"
#include "base/uuid.h"
#include "sim/model/graph_builder.h"
#include "sim/workloads/meddler.h"
#include "sim/workloads/registry.h"

namespace fermata::sim {

namespace {

/// Timer, signal, timeout, resume, cancel, change, hold, pause and the end of the run race for the
/// same waits. One of them ends each, and whoever is told that it did was the one (W-2).
class WaitRaces final : public Workload {
 public:
  void prepare(World& world) override {
    Chaos& chaos = world.chaos();
    GraphBuilder graph;
    graph.node("nap", "wait", wait_ms(chaos.between(1, 20'000)))
        .node("hear", "wait_for_signal",
              Value::object({{"name", "news"},
                             {"timeout_ms", chaos.between(1, 20'000)},
                             {"on_timeout", "continue"}}))
        .node("after", "noop")
        .node("join", "merge", Value::object({{"timeout", 0}}))
        .edge("start", "nap")
        .edge("start", "hear")
        .edge("nap", "after")
        .edge("after", "join")
        .edge("hear", "join");
    auto definition = world.define(graph.document());
    for (int64_t i = chaos.between(1, 3); i > 0; --i) {
      RunId id("races-" + std::to_string(i));
      world.send(world.start(id.text(), definition, Value::object()));
      meddler_.pause(world, id, 1, 20'000);
      // As the engine derives them from step and occurrence.
      meddle(world, id, uuid_v5(id.text() + "/nap#1"));
      meddle(world, id, uuid_v5(id.text() + "/hear#1"));
      if (chaos.dice().chance(0.7)) send(world, id, SignalRun{"news", Value(1), "news-1"});
      if (chaos.dice().chance(0.2)) send(world, id, CancelRun{"enough"});
    }
  }

  /// What is held or cancelled is let go in the end, whatever was repeated.
  void watch(World& world) override {
    meddler_.watch(world);
    for (const RunId& id : world.runs()) {
      const Run* run = world.state(id);
      if (run->paused()) continue;
      for (const auto& [key, wait] : run->waits) {
        bool held = !wait.hold.empty();
        if (is_pending(wait.status) && !held) continue;
        if (!freeing_.insert(wait.id).second) continue;
        Request request;
        request.command = {id, ReleaseWaits{wait.id, ""}, "tester"};
        if (!held) request.command.body = ResumeWait{wait.id, {}, "", "", false};
        request.after = Duration{world.chaos().between(0, 60'000)};
        request.answered = [this, wait_id = wait.id](const Outcome<RunSummary>&) {
          freeing_.erase(wait_id);
        };
        world.send(std::move(request));
      }
    }
  }

  void judge(World& world) override {
    for (const RunId& id : world.runs()) {
      const Run& run = *world.state(id);
      expect(run.status == RunStatus::completed || run.status == RunStatus::cancelled,
             id.text() + ": " + to_json(run.error));
      expect(run.waits.empty(), "a wait is left of an ended run");
    }
  }

 private:
  void meddle(World& world, const RunId& id, const std::string& wait) {
    Chaos& chaos = world.chaos();
    Value config = Value::object({{"duration", 1}, {"unit", "minutes"}});
    if (chaos.dice().chance(0.5)) send(world, id, ResumeWait{wait, Value(7), "", "", false});
    if (chaos.dice().chance(0.4)) send(world, id, CancelWait{wait, "unwanted"});
    if (chaos.dice().chance(0.4)) send(world, id, HoldWaits{wait, "operator"});
    if (chaos.dice().chance(0.3)) send(world, id, ChangeWait{wait, config, true});
    if (chaos.dice().chance(0.3)) send(world, id, ReleaseWaits{wait, "operator"});
  }
  void send(World& world, const RunId& id, CommandBody body) {
    Request request;
    request.command = {id, std::move(body), "tester"};
    request.after = Duration{world.chaos().between(0, 25'000)};
    world.send(std::move(request));
  }

  Meddler meddler_;
  std::set<std::string> freeing_;
};

}  // namespace

std::unique_ptr<Workload> make_wait_races() { return std::make_unique<WaitRaces>(); }

}  // namespace fermata::sim
