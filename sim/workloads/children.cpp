#include "base/json.h"
#include "core/run/history.h"
#include "sim/model/graph_builder.h"
#include "sim/workloads/meddler.h"
#include "sim/workloads/registry.h"

namespace fermata::sim {

namespace {

/// Runs that start runs and tell others about it. Whatever one orders from another is done once;
/// each is told once what became of it; who is cancelled takes along what only it wanted.
class Children final : public Workload {
 public:
  void prepare(World& world) override {
    Chaos& chaos = world.chaos();
    items_ = chaos.between(0, 5);
    fails_ = chaos.dice().chance(0.3);
    GraphBuilder inner;
    inner.node("nap", "wait", Value::object({{"amount", "{{ $input.t / 2 }}"}}))
        .node("odd", "conditional",
              Value::object({{"expression", fails_ ? "{{ $input.t == 1 }}" : "{{ false }}"},
                             {"true_edge_id", "bad"},
                             {"false_edge_id", "good"}}))
        .node("no", "fail", Value::object({{"code", "odd"}}))
        .node("yes", "code", Value::object({{"source", "return $input.t * 10"}}))
        .edge("start", "nap")
        .edge("nap", "odd")
        .edge("odd", "no", "bad")
        .edge("odd", "yes", "good");
    world.define("inner", inner.document());
    GraphBuilder listener;
    listener.node("hear", "wait_for_signal", Value::object({{"name", "news"}}))
        .edge("start", "hear");
    auto listening = world.define(listener.document());
    // By its id, or by the label that it alone has.
    Value telling =
        Value::object({{"name", "news"}, {"payload", Value::object({{"from", "$run.id"}})}});
    bool by_label = items_ % 2 == 1;
    telling.set(by_label ? "label" : "execution_id", by_label ? "ear=$input.ear" : "$input.ear");
    GraphBuilder outer;
    outer.node("each", "split", Value::object({{"input_array", "$input.items"}}))
        .node("sub", "subworkflow", Value::object({{"workflow_id", "inner"}, {"input", "$item"}}),
              on_error_ignore())
        .node("all", "aggregator")
        .node("tell", "signal", telling)
        .edge("start", "each")
        .edge("each", "sub")
        .edge("sub", "all")
        .edge("all", "tell");
    auto definition = world.define(outer.document());
    for (int64_t i = chaos.between(1, 3); i > 0; --i) {
      std::string ear = "ear-" + std::to_string(i);
      RunId id("parent-" + std::to_string(i));
      Request listen = world.start(ear, listening, Value::object());
      std::get<StartRun>(listen.command.body).labels = Value::object({{"ear", ear}});
      world.send(std::move(listen));
      world.send(world.start(id.text(), definition,
                             Value::object({{"items", counted_items(items_)}, {"ear", ear}})));
      meddler_.pause(world, id, 1, 5'000);
      if (chaos.dice().chance(0.3)) cancel(world, id);
      cancel_later(world, RunId(ear));
    }
  }

  void watch(World& world) override { meddler_.watch(world); }

  void judge(World& world) override {
    std::map<RunId, std::vector<RunId>> children;
    for (const RunId& id : world.runs()) {
      const Run& run = *world.state(id);
      if (!run.parent.empty()) children[run.parent].push_back(id);
    }
    for (const RunId& id : world.runs())
      if (id.text().starts_with("parent-")) judge_parent(world, *world.state(id), children[id]);
  }

 private:
  void cancel(World& world, const RunId& id) {
    Request request;
    request.command = {id, CancelRun{"enough"}, "tester"};
    request.after = Duration{world.chaos().between(0, 4'000)};
    cancelled_.insert(id);
    world.send(std::move(request));
  }
  /// A listener nobody speaks to must end some day.
  void cancel_later(World& world, const RunId& ear) {
    Request request;
    request.command = {ear, CancelRun{"nobody speaks"}, "tester"};
    request.after = Duration{600'000};
    world.send(std::move(request));
  }

  void judge_parent(World& world, const Run& run, const std::vector<RunId>& children) {
    const std::string& name = run.id.text();
    if (run.status == RunStatus::cancelled) {
      expect(cancelled_.contains(run.id), name + " was cancelled by nobody");
      return;
    }
    // The signal may come too late for its listener; nothing else may go wrong.
    bool unheard = run.error.get("code") == Value("signal_target_missing");
    expect(run.status == RunStatus::completed || unheard, name + ": " + to_json(run.error));
    expect(static_cast<int64_t>(children.size()) == items_,
           name + " has " + std::to_string(children.size()) + " children");
    int64_t ended = 0;
    for (const RunId& child : children)
      if (world.state(child)->status != RunStatus::cancelled) ++ended;
    expect(ended == items_, "children of " + name + " were cancelled");
    for (const HistoryChunk& chunk : world.stored(run.id)->history) {
      auto events = decode_history(chunk);
      for (const Event& event : *events)
        if (const auto* done = std::get_if<SplitClosed>(&event.body)) judge_values(*done, name);
    }
    Value heard = Value::object({{"from", name}});
    const Run& ear = *world.state(RunId("ear-" + name.substr(7)));
    bool told = run.status == RunStatus::completed;
    expect(told == (ear.status == RunStatus::completed), "the signal of " + name + " is lost");
    if (told) expect(ear.output.get("hear").get("payload") == heard, "another signal was heard");
    if (told) world.probe(Probe::signal_between_runs);
  }

  void judge_values(const SplitClosed& done, const std::string& name) {
    expect(static_cast<int64_t>(done.resolved) == items_ && done.failed == 0,
           "the children of " + name + " were not gathered");
  }

  int64_t items_ = 0;
  bool fails_ = false;
  Meddler meddler_;
  std::set<RunId> cancelled_;
};

}  // namespace

std::unique_ptr<Workload> make_children() { return std::make_unique<Children>(); }

}  // namespace fermata::sim
