#include "core/run/restart.h"
#include "sim/workloads/graph_verdict.h"
#include "sim/workloads/registry.h"

namespace fermata::sim {

namespace {

/// Runs made from other runs: forks from any event of a history, retries of failed runs, reruns
/// from a node. A fork or retry without changes comes to the same end as its origin would.
class Restarts final : public Workload {
 public:
  void prepare(World& world) override {
    Chaos& chaos = world.chaos();
    spec_ = model::random_spec(chaos.dice(), {.nodes = 10, .body_nodes = 3, .depth = 2});
    definition_ = world.define(model::document_of(spec_));
    world.send(world.start(origin_.text(), definition_,
                           graph_input(chaos.between(0, 50), chaos.between(1, 3))));
    forks_live_ = static_cast<uint64_t>(chaos.between(0, 1));
    forks_ended_ = static_cast<uint64_t>(chaos.between(1, 3));
  }

  void watch(World& world) override {
    const Run* run = world.state(origin_);
    if (!run) return;
    if (!run->finished()) {
      if (forks_live_ > 0 && world.chaos().dice().chance(0.1)) {
        --forks_live_;
        fork(world);
      }
      return;
    }
    for (; forks_ended_ > 0; --forks_ended_) fork(world);
    if (retried_) return;
    retried_ = true;
    if (run->status == RunStatus::failed) retry(world);
    rerun(world, *run);
  }

  void judge(World& world) override {
    for (const RunId& id : world.runs()) {
      const Run& run = *world.state(id);
      model::Expected expected = model::interpret(spec_, run.input);
      if (!expected.certain || run.origin.kind == "rerun") continue;
      judge_outcome(spec_, expected, run);
      if (run.origin.kind.empty()) judge_counts(spec_, expected, run, *world.stored(id));
    }
  }

 private:
  void fork(World& world) {
    const StoredRun& stored = *world.stored(origin_);
    auto last = static_cast<int64_t>(stored.summary.last_sequence);
    auto at = static_cast<uint64_t>(world.chaos().between(1, last));
    send(world, stored, "fork", restart::fork(source(stored), at, Value()));
  }
  void retry(World& world) {
    const StoredRun& stored = *world.stored(origin_);
    auto seed = restart::retry(source(stored));
    expect(static_cast<bool>(seed), "a failed run cannot be retried");
    send(world, stored, "retry", std::move(seed));
  }
  void rerun(World& world, const Run& run) {
    if (run.done.empty()) return;
    auto node = run.done.begin();
    std::advance(node, world.chaos().between(0, static_cast<int64_t>(run.done.size()) - 1));
    const StoredRun& stored = *world.stored(origin_);
    send(world, stored, "rerun", restart::rerun(source(stored), definition_->nodes[*node].id));
  }

  restart::Source source(const StoredRun& stored) const {
    return {stored.summary, stored.history, definition_};
  }
  void send(World& world, const StoredRun& stored, const std::string& kind,
            Outcome<restart::Seed> seed) {
    // At the end of a history there is nothing to fork.
    if (!seed) return;
    Request request =
        world.start(kind + "-" + std::to_string(++made_), definition_, seed->state->input);
    auto& start = std::get<StartRun>(request.command.body);
    start.trigger = seed->state->trigger;
    start.origin = {stored.summary.id, kind};
    start.seed = seed->state;
    request.after = Duration{world.chaos().between(0, 2'000)};
    world.send(std::move(request));
  }

  const RunId origin_{"origin"};
  model::Spec spec_;
  graph::DefinitionRef definition_;
  uint64_t forks_live_ = 0;
  uint64_t forks_ended_ = 0;
  uint64_t made_ = 0;
  bool retried_ = false;
};

}  // namespace

std::unique_ptr<Workload> make_restarts() { return std::make_unique<Restarts>(); }

}  // namespace fermata::sim
