#include <gtest/gtest.h>

#include <deque>

#include "base/json.h"
#include "core/run/checkpoint.h"
#include "core/run/decide.h"
#include "core/run/script_definition.h"
#include "sim/model/flow_script.h"

/// Random scripts as runs of the engine's core, in a world that answers their tasks in any order.
/// However often a run is opened again from what is stored, it goes on as if it had stayed.
namespace fermata::test {
namespace {

using sim::model::ScriptShape;
using sim::model::ScriptWriter;

enum class Kept { in_memory, as_checkpoint, as_history };

graph::DefinitionRef define(const std::string& source) {
  flow::CheckedScript checked = flow::check_script(source);
  EXPECT_TRUE(checked.errors.empty()) << source;
  return make_script_definition(flow::make_definition(std::move(checked)));
}

/// What a task answers follows from its input alone.
Value answer_of(const OrderJob& job) {
  const Value& input = job.request.get("input");
  double n = input.get("n").is_number() ? input.get("n").as_number() : 1;
  std::string_view topic = job.request.get("topic").as_string();
  if (topic == "text") return Value(to_json(input).substr(0, 12));
  if (topic == "list") return Value::array({Value(n), Value(n + 1)});
  return Value(n + 1);
}

class World {
 public:
  World(graph::DefinitionRef definition, Kept kept, uint64_t seed)
      : definition_(std::move(definition)), kept_(kept), dice_(seed) {
    run.id = RunId("r");
    given_.now = Instant{1'770'000'000'000};
  }

  /// Plays to the end; the limit of a slice cuts activations.
  void play(uint64_t slice) {
    given_.limits.flow.slice = slice;
    StartRun start;
    start.account = AccountId("a");
    start.workflow = WorkflowId("w");
    start.workflow_version = 1;
    start.definition = definition_;
    start.input = Value::object({{"n", 3}, {"s", "x"}});
    tell(std::move(start));
    for (int turn = 0; !run.finished() && turn < 20'000; ++turn) step();
    EXPECT_TRUE(run.finished());
  }

  Run run;
  std::vector<Event> history;
  std::vector<HistoryChunk> chunks;
  size_t told = 0;

 private:
  void step() {
    if (has_ready_work(run)) return tell(WakeRun{});
    bool timed = !run.timers.empty();
    if (!jobs_.empty() && (!timed || dice_.chance(0.7))) {
      size_t which = dice_.below(jobs_.size());
      OrderJob job = jobs_[which];
      jobs_.erase(jobs_.begin() + static_cast<std::ptrdiff_t>(which));
      SettleJob settle{job.job, "SUCCEEDED", answer_of(job), {}, "worker", 1, false};
      tell(settle);
      // Whoever reports may do so twice.
      auto again = decide(run, {run.id, settle}, given_);
      EXPECT_FALSE(again);
      return;
    }
    ASSERT_TRUE(timed) << "nothing can wake the run";
    given_.now = std::max(given_.now, run.timers.begin()->due);
    tell(WakeRun{});
  }

  void tell(CommandBody body) {
    ++told;
    given_.entropy = told * 7;
    auto decision = decide(run, {RunId("r"), std::move(body)}, given_);
    ASSERT_TRUE(decision) << decision.error().message;
    chunks.push_back(encode_history(decision->events));
    for (Event& event : decision->events) history.push_back(std::move(event));
    for (Post& post : decision->posts) {
      if (auto* job = std::get_if<OrderJob>(&post)) jobs_.push_back(*std::move(job));
    }
    open_again();
  }

  void open_again() {
    if (kept_ == Kept::in_memory) return;
    auto lookup = [&](const DefinitionHash&) { return definition_; };
    std::string before = encode_checkpoint(run);
    if (kept_ == Kept::as_checkpoint) {
      auto restored = restore_checkpoint(run.id, before, lookup);
      ASSERT_TRUE(restored) << restored.error().message;
      run = *std::move(restored);
    } else if (kept_ == Kept::as_history) {
      auto folded = fold(run.id, chunks, lookup);
      ASSERT_TRUE(folded) << folded.error().message;
      run = *std::move(folded);
    }
    ASSERT_EQ(encode_checkpoint(run), before);
  }

  graph::DefinitionRef definition_;
  Kept kept_;
  Random dice_;
  Given given_;
  std::deque<OrderJob> jobs_;
};

std::string end_of(const Run& run) {
  return std::string(name_of(run.status)) + " " + to_json(run.output) + to_json(run.error);
}

// F-41, F-43, F-45
TEST(RandomRuns, end_the_same_however_they_are_kept_and_in_whatever_order_tasks_end) {
  size_t waited = 0;
  size_t completed = 0;
  for (uint64_t seed = 1; seed <= 120; ++seed) {
    ScriptShape shape;
    shape.workflow = seed % 2 == 0;
    shape.statements_max = 25;
    graph::DefinitionRef definition = define(ScriptWriter(seed, shape).write());
    World plain(definition, Kept::in_memory, seed);
    plain.play(1'000'000);
    completed += plain.run.status == RunStatus::completed ? 1 : 0;
    waited += plain.told;
    for (Kept kept : {Kept::as_checkpoint, Kept::as_history}) {
      World same(definition, kept, seed);
      same.play(1'000'000);
      EXPECT_EQ(end_of(same.run), end_of(plain.run)) << "seed " << seed;
      EXPECT_TRUE(same.chunks == plain.chunks) << "seed " << seed;
    }
    World other(definition, Kept::as_checkpoint, seed + 1'000);
    other.play(40);
    EXPECT_EQ(end_of(other.run), end_of(plain.run)) << "seed " << seed;
    if (HasFailure()) return;
  }
  EXPECT_GT(waited, 500u);
  EXPECT_GT(completed, 60u);
}

// F-42
TEST(RandomRuns, a_thousand_tasks_are_two_activations) {
  World world(define("const all = await Task.all(Array.from(\"x\".repeat(1000)).map("
                     "(x, i) => Task.run(\"number\", {n: i})))\n"
                     "return all.reduce((a, b) => a + b, 0)"),
              Kept::in_memory, 1);
  world.play(1'000'000);
  EXPECT_EQ(world.run.output, Value(500'500));
  size_t resumed = 0;
  for (const Event& event : world.history)
    resumed += std::holds_alternative<FlowResumed>(event.body) ? 1 : 0;
  EXPECT_EQ(resumed, 2u);
  EXPECT_EQ(world.history.size(), 1 + 2 + 1 + 1'000 + 1'000 + 1u);
}

// F-45, F-49
TEST(RandomRuns, a_checkpoint_that_was_cut_off_is_refused) {
  graph::DefinitionRef definition = define("await Signal.next(\"x\", {timeout: 5})");
  fermata::Run run;
  run.id = RunId("r");
  StartRun start;
  start.definition = definition;
  ASSERT_TRUE(decide(run, {run.id, start}, Given{Instant{1}, 1, {}}));
  std::string bytes = encode_checkpoint(run);
  auto lookup = [&](const DefinitionHash&) { return definition; };
  ASSERT_TRUE(restore_checkpoint(run.id, bytes, lookup));
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(restore_checkpoint(run.id, bytes.substr(0, size), lookup));
}

}  // namespace
}  // namespace fermata::test
