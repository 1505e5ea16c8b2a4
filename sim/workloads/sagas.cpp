#include "base/json.h"
#include "core/saga/saga.h"
#include "sim/model/graph_builder.h"
#include "sim/workloads/hands.h"
#include "sim/workloads/registry.h"
#include "sim/workloads/workload.h"

namespace fermata::sim {

namespace {

Value charge_parameters(const std::string& own, bool dispatched) {
  Value undo = Value::object(
      {{"topic", "refund"},
       {"input", Value::object({{"job", "$" + own + ".job_id"}, {"amount", "$input.amount"}})},
       {"labels", Value::object({{"step", own}})}});
  if (dispatched) undo.set("when", "dispatched");
  return Value::object({{"topic", "charge"}, {"compensation", undo}});
}

/// Runs whose steps are undone: because a worker says that all is lost, because somebody asks for
/// it, or because the definition says so. Jobs outside a run share sagas of their own. Every piece
/// of work that was taken is undone exactly once, whatever becomes of workers and engine in
/// between; what cannot be undone waits for people.
class Sagas final : public Workload {
 public:
  void prepare(World& world) override {
    Chaos& chaos = world.chaos();
    may_fail_ = chaos.dice().chance(0.4);
    hands_.hire(world, chaos.between(1, 4), may_fail_);
    double doom = chaos.dice().chance(0.5) ? 0.15 : 0.0;
    hands_.fail_fatally(
        [&chaos, doom](const job::Job& job) { return !job.undoes() && chaos.dice().chance(doom); });
    world.add_definition(saga::saga_definition());
    auto graph = world.define(line_of_steps(chaos.dice().chance(0.5)));
    auto wide = world.define(parallel_steps());
    auto script = world.define_script(
        "try { await Task.run(\"charge\", {n: 1}, {compensation: {topic: \"refund\"}}) }\n"
        "catch (problem) { Log.info(\"no\") }\n"
        "const fixed = 7\n"
        "let two = [Task.run(\"charge\", {n: 2}, {compensation: {topic: \"refund\",\n"
        "    input: (output, input) => ({twice: double(input.n), fixed})}}),\n"
        "  Task.run(\"charge\", {n: 3}, {compensation: {topic: \"refund\", when: "
        "\"dispatched\"}})]\n"
        "try { await Promise.all(two) } catch (problem) { Log.info(\"none\") }\n"
        "return 1\n"
        "function double(n) { return n * 2 }\n");
    for (int64_t i = chaos.between(1, 3); i > 0; --i) {
      RunId id("run-" + std::to_string(i));
      static constexpr int64_t kinds = 3;
      graph::DefinitionRef definitions[kinds] = {graph, wide, script};
      world.send(world.start(id.text(), definitions[chaos.between(0, kinds - 1)],
                             Value::object({{"amount", i}})));
      if (chaos.dice().chance(0.4)) ask_for_rollback(world, id);
    }
    if (chaos.dice().chance(0.4))
      for (int64_t i = chaos.between(1, 3); i > 0; --i)
        submits_.push_back({JobId("loose-" + std::to_string(i)), world.clock().true_now()});
    close_at_ = world.clock().true_now() + Duration{chaos.between(10'000, 60'000)};
  }

  void watch(World& world) override {
    hands_.act(world);
    for (Submit& submit : submits_) send(world, submit);
    Instant now = world.clock().true_now();
    if (look_at_ > now) return;
    look_at_ = now + Duration{world.chaos().between(500, 4'000)};
    for (const RunId& id : world.runs()) decide_parked(world, *world.state(id));
    const Run* loose = world.state(RunId("loose"));
    bool over = loose && loose->saga.members.empty() && !loose->finished();
    if (over && now >= close_at_ && idle()) command(world, loose->id, SagaOrder{CloseSaga{}});
  }

  std::optional<Instant> next() const override {
    std::optional<Instant> next = hands_.next();
    if (!next || look_at_ < *next) next = look_at_;
    for (const Submit& submit : submits_)
      if (!submit.done && submit.at < *next) next = submit.at;
    return next;
  }

  bool idle() const override {
    for (const Submit& submit : submits_)
      if (!submit.done) return false;
    return true;
  }

  void judge(World& world) override {
    std::map<JobId, const SagaEntry*> undone;
    for (const RunId& id : world.runs()) {
      const Run& run = *world.state(id);
      for (const SagaEntry& entry : run.saga.entries) {
        expect(undone.emplace(entry.job, &entry).second,
               "job " + entry.job.text() + " is undone by two runs");
        judge_entry(world, run, entry);
      }
    }
    for (const auto& [id, job] : world.jobs()) {
      expect(job.finished(), "job " + id.text() + " has not ended");
      bool work_done = job.state == job::State::succeeded && job.request.compensation;
      if (work_done && !undone.contains(id)) {
        const Run* run = world.state(job.saga_run());
        expect(run != nullptr, "job " + id.text() + " has lost its saga");
        // What had ended by then takes nothing in.
        expect(!run->saga.rolled_back || run->completed_at <= job.ended_at,
               "job " + id.text() + " did something that nobody undid");
      }
    }
  }

 private:
  struct Submit {
    JobId id;
    Instant at;
    bool done = false;
  };

  static Value line_of_steps(bool rolls_back) {
    GraphBuilder graph;
    for (const char* name : {"one", "two", "three"})
      graph.node(name, "job", charge_parameters(name, std::string(name) == "two"));
    graph.edge("start", "one").edge("one", "two").edge("two", "three");
    Value document = graph.document();
    if (rolls_back) document.set("on_failure", "rollback");
    return document;
  }

  static Value parallel_steps() {
    GraphBuilder graph;
    for (const char* name : {"left", "middle", "right"}) {
      graph.node(name, "job", charge_parameters(name, false), on_error_ignore());
      graph.edge("start", name);
    }
    return graph.document();
  }

  void command(World& world, const RunId& id, CommandBody body) {
    Request request;
    request.command = {id, std::move(body), "tester"};
    world.send(std::move(request));
  }

  void ask_for_rollback(World& world, const RunId& id) {
    Request request;
    CommandBody body = SagaOrder{RollBack{"changed my mind"}};
    if (world.chaos().dice().chance(0.5)) {
      CancelRun cancel{"enough"};
      cancel.rollback = true;
      body = cancel;
    }
    request.command = {id, std::move(body), "tester"};
    request.after = Duration{world.chaos().between(0, 30'000)};
    world.send(std::move(request));
  }

  void decide_parked(World& world, const Run& run) {
    if (status_of(run.saga, run.status) != SagaStatus::parked) return;
    uint32_t seq = run.saga.newest_unsettled()->seq;
    if (world.chaos().dice().chance(0.3)) {
      command(world, run.id, SagaOrder{SkipUndo{seq, "let it be"}});
    } else {
      command(world, run.id, SagaOrder{RetryUndo{seq}});
    }
  }

  void send(World& world, Submit& submit) {
    if (submit.done || submit.at > world.clock().true_now()) return;
    submit.at = world.clock().true_now() + Duration{world.chaos().between(500, 5'000)};
    job::SubmitJob body;
    body.account = AccountId("main");
    body.request.topic = "job.charge";
    body.request.input = job::Payload::of(Value(submit.id.text()));
    body.request.saga_id = "loose";
    body.request.compensation.emplace();
    body.request.compensation->topic = "job.refund";
    body.submitter = "tester";
    bool taken = world.job_intake().submit_job(
        {submit.id, std::move(body), "tester"},
        [&submit](Outcome<JobTold> told) { submit.done = submit.done || told; });
    expect(taken, "the queue of a small world is full");
  }

  void judge_entry(World& world, const Run& run, const SagaEntry& entry) {
    std::string name = run.id.text() + ", entry " + std::to_string(entry.seq);
    if (!run.saga.rolled_back) {
      expect(entry.attempts == 0, name + " is undone by a run that was not");
      return;
    }
    expect(is_settled(entry.status), name + " is left over");
    size_t successes = 0;
    for (const auto& [id, job] : world.jobs()) {
      if (!job.undoes() || job.request.parent_job != entry.job) continue;
      successes += job.state == job::State::succeeded ? 1 : 0;
      expect(job.idempotency_key() == entry.idempotency_key, name + " is undone under two keys");
      expect(job.request.priority == job::Priority::critical, name + " is not urgent");
    }
    expect(successes == (entry.status == UndoStatus::done ? 1 : 0),
           name + " was undone " + std::to_string(successes) + " times");
    // The script computes it when the task has ended, wherever it stands itself by then.
    const job::Job& done = world.jobs().at(entry.job);
    if (run.definition->is_script() && done.request.input.value.get("n") == Value(2))
      expect(entry.request.get("input") == Value::object({{"twice", 4}, {"fixed", 7}}),
             name + " has another input: " + to_json(entry.request));
    const Value& step = entry.request.get("labels").get("step");
    if (step.is_string())
      expect(entry.request.get("input").get("job") == Value(entry.job.text()),
             name + " would undo something else: " + to_json(entry.request));
  }

  Hands hands_;
  bool may_fail_ = false;
  std::list<Submit> submits_;
  Instant look_at_{0};
  Instant close_at_{0};
};

}  // namespace

std::unique_ptr<Workload> make_sagas() { return std::make_unique<Sagas>(); }

}  // namespace fermata::sim
