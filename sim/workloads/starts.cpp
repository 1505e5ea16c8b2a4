#include <map>

#include "sim/model/graph_builder.h"
#include "sim/workloads/registry.h"

namespace fermata::sim {

namespace {

/// The same start sent again and again, before and after the run has ended, beside starts of the
/// same id that ask for something else. One run each; the first request wins, the others hear so.
class Starts final : public Workload {
 public:
  void prepare(World& world) override {
    Chaos& chaos = world.chaos();
    GraphBuilder graph;
    graph.node("ask", "http", Value::object({{"url", "http://sim/ok/start"}}))
        .node("nap", "wait", wait_ms(chaos.between(0, 2'000)))
        .edge("start", "ask")
        .edge("ask", "nap");
    auto definition = world.define(graph.document());
    ids_ = chaos.between(1, 4);
    for (int64_t i = 0; i < ids_; ++i) {
      std::string id = "start-" + std::to_string(i);
      for (int64_t n = chaos.between(1, 4); n > 0; --n)
        send(world, definition, id, "one", chaos.between(0, 60'000));
      for (int64_t n = chaos.between(0, 2); n > 0; --n)
        send(world, definition, id, "other", chaos.between(0, 60'000));
    }
  }

  void judge(World& world) override {
    expect(static_cast<int64_t>(world.runs().size()) == ids_, "there are too many or few runs");
    for (const RunId& id : world.runs()) {
      const Run& run = *world.state(id);
      expect(run.status == RunStatus::completed, id.text() + " did not complete");
      std::string won = run.input.get("kind") == Value("one") ? "one" : "other";
      std::string lost = won == "one" ? "other" : "one";
      expect(refused_[{id.text(), won}] == 0, "the request that made the run was refused");
      expect(accepted_[{id.text(), lost}] == 0, "two requests made one run");
    }
  }

 private:
  void send(World& world, const graph::DefinitionRef& definition, const std::string& id,
            const std::string& kind, int64_t after_ms) {
    Request request = world.start(id, definition, Value::object({{"kind", kind}}));
    std::get<StartRun>(request.command.body).request_hash = "request " + kind;
    request.after = Duration{after_ms};
    request.answered = [this, id, kind](const Outcome<RunSummary>& answer) {
      ++(answer ? accepted_ : refused_)[{id, kind}];
    };
    world.send(std::move(request));
  }

  int64_t ids_ = 0;
  std::map<std::pair<std::string, std::string>, int> accepted_;
  std::map<std::pair<std::string, std::string>, int> refused_;
};

}  // namespace

std::unique_ptr<Workload> make_starts() { return std::make_unique<Starts>(); }

}  // namespace fermata::sim
