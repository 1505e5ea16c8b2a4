#include "base/json.h"
#include "core/run/history.h"
#include "sim/model/flow_script.h"
#include "sim/model/graph_builder.h"
#include "sim/model/never_parks.h"
#include "sim/workloads/hands.h"
#include "sim/workloads/meddler.h"
#include "sim/workloads/registry.h"
#include "sim/workloads/workload.h"

namespace fermata::sim {

namespace {

/// Random scripts that wait for everything a script can wait for. Wherever the process dies, each
/// comes to what the same script comes to that never waits; every task is submitted once.
class Scripts final : public Workload {
 public:
  void prepare(World& world) override {
    Chaos& chaos = world.chaos();
    world.settings().jobs.losses_max = 1'000;
    world.settings().limits.flow.slice = chaos.dice().chance(0.3) ? 200 : 1'000'000;
    world.allow(Duration{72 * 3'600'000});
    hands_.answer_with([](const job::Job& job) {
      constexpr size_t prefix = std::string_view("job.").size();
      return model::answer_of(job.request.topic.substr(prefix), job.request.input.value);
    });
    hands_.hire(world, chaos.between(1, 4), false);
    world.define_script("inner",
                        "workflow inner(inputs) { await Task.delay(0.5); return inputs.n }");
    world.define_script("broken", "await Task.delay(0.2); throw Error('no', { code: 'BAD' })");
    GraphBuilder graph;
    graph.node("give", "code", Value::object({{"source", "return $input.n"}}))
        .edge("start", "give");
    world.define("graph", graph.document());
    model::ScriptShape shape;
    shape.statements_max = 8;
    shape.depth_max = 3;
    shape.workflow = chaos.dice().chance(0.5);
    shape.task_options = "T";
    shape.helpers = model::helper_names();
    source_ = opening(chaos.dice()) + model::ScriptWriter(chaos.dice().next(), shape).write();
    auto definition = world.define_script(model::waiting_helpers() + source_);
    for (int64_t i = chaos.between(1, 2); i > 0; --i) {
      RunId id("script-" + std::to_string(i));
      Value input = Value::object({{"n", chaos.between(0, 9)}, {"s", "x"}});
      world.send(world.start(id.text(), definition, std::move(input)));
      if (chaos.dice().chance(0.3)) meddler_.pause(world, id, 2, 60'000);
      if (chaos.dice().chance(0.1)) cancel(world, id);
    }
  }

  void watch(World& world) override {
    meddler_.watch(world);
    hands_.act(world);
  }
  std::optional<Instant> next() const override { return hands_.next(); }

  void judge(World& world) override {
    for (const RunId& id : world.runs())
      if (id.text().starts_with("script-") && id.text().find('.') == std::string::npos)
        judge_run(world, *world.state(id));
  }

 private:
  /// Some of the helpers, one after the other or side by side, before the script's own statements.
  static std::string opening(Random& dice) {
    std::vector<std::string> names = model::helper_names();
    auto call = [&](int n) {
      return names[dice.below(names.size())] + "(" + std::to_string(n) + ")";
    };
    std::string text =
        "function must(a, b) { if (a != b) throw Error('wrong', { code: 'WRONG' }); return b }\n";
    int count = static_cast<int>(dice.below(6));
    for (int i = 1; i <= count; ++i) {
      std::string name = "const _w" + std::to_string(i);
      std::string own = std::to_string(i);
      text += dice.chance(0.5) ? name + " = must(" + own + ", await " + call(i) + ")\n"
                               : name + " = must([7, " + own + "], await Task.all([" + call(7) +
                                     ", " + call(i) + "]))\n";
    }
    return text;
  }

  void cancel(World& world, const RunId& id) {
    Request request;
    request.command = {id, CancelRun{"enough", world.chaos().dice().chance(0.3)}, "tester"};
    request.after = Duration{world.chaos().between(0, 30'000)};
    cancelled_.insert(id);
    world.send(std::move(request));
  }

  void judge_run(World& world, const Run& run) {
    const std::string& name = run.id.text();
    judge_tasks(world, run);
    if (run.status == RunStatus::cancelled) {
      expect(cancelled_.contains(run.id), name + " was cancelled by nobody");
      return;
    }
    flow::Execution expected =
        model::run_at_once(model::immediate_helpers() + model::without_waits(source_), run.input);
    expect(expected.ended(), "the reference waits");
    if (expected.end == flow::FlowEnd::completed) {
      expect(run.status == RunStatus::completed, name + ": " + to_json(run.error));
      expect(run.output == expected.output,
             name + " came to " + to_json(run.output) + " instead of " + to_json(expected.output));
    } else {
      expect(run.status == RunStatus::failed, name + " came to " + to_json(run.output));
      expect(run.error.get("code") == Value(expected.error.code),
             name + " failed with " + to_json(run.error) + " instead of " + expected.error.code);
    }
    world.probe(Probe::script_ended);
  }

  /// What the history says was started is there, once, and nothing else is.
  void judge_tasks(World& world, const Run& run) {
    std::set<std::string> started;
    for (const HistoryChunk& chunk : world.stored(run.id)->history) {
      auto events = decode_history(chunk);
      expect(static_cast<bool>(events), "a chunk cannot be read");
      for (const Event& event : *events) {
        if (const auto* resumed = std::get_if<FlowResumed>(&event.body))
          if (resumed->by == "slice") world.probe(Probe::script_cut);
        const auto* note = std::get_if<FlowNoted>(&event.body);
        if (!note || note->note != FlowNote::task_started) continue;
        std::string id(note->about.get("job_id").as_string());
        expect(started.insert(id).second, "task " + id + " was started twice");
      }
    }
    size_t jobs = 0;
    for (const auto& [id, job] : world.jobs())
      if (job.request.step.run == run.id) jobs += started.contains(id.text()) ? 1 : 1'000'000;
    expect(jobs == started.size(), run.id.text() + " started " + std::to_string(started.size()) +
                                       " tasks, and there are " + std::to_string(jobs));
  }

  Hands hands_;
  Meddler meddler_;
  std::string source_;
  std::set<RunId> cancelled_;
};

}  // namespace

std::unique_ptr<Workload> make_scripts() { return std::make_unique<Scripts>(); }

}  // namespace fermata::sim
