#include "test/flow/script_runs.h"

#include "base/bytes.h"
#include "core/run/checkpoint.h"

/// Runs of scripts that are made from others, damaged, forced or moved (F-46 to F-56).
namespace fermata::test {
namespace {

using Orders = std::map<std::string, std::string>;

std::shared_ptr<const Run> seed_in(const Outcome<restart::Seed>& seed) {
  EXPECT_TRUE(seed) << (seed ? "" : seed.error().message);
  return seed ? seed->state : nullptr;
}

// F-48
TEST(RetryOfScripts, starts_what_failed_again_under_the_same_key_and_goes_on) {
  auto definition = define_script(
      "const a = await Task.run('one', {})\n"
      "const b = await Task.run('two', { a })\nreturn [a, b]");
  ScriptRun first(definition);
  first.start();
  EXPECT_EQ(first.ordered(), (Orders{{"r.1", "r.1"}}));
  first.settle("r.1", "SUCCEEDED", Value(5));
  EXPECT_EQ(first.ordered(), (Orders{{"r.2", "r.2"}}));
  first.settle("r.2", "FAILED");
  ASSERT_EQ(first.run.status, RunStatus::failed);
  auto made = restart::retry(first.source());
  ScriptRun second(definition, "s");
  second.start({}, seed_in(made));
  EXPECT_EQ(to_json(made->plan.get("repeat")), R"(["task two"])");
  EXPECT_EQ(second.ordered(), (Orders{{"s.2", "r.2"}}));
  second.settle("s.2", "SUCCEEDED", Value(6));
  EXPECT_EQ(to_json(second.run.output), "[5,6]");
  EXPECT_EQ(second.count("TaskStarted"), 1u);
}

// F-48: what had not ended is ordered anew, what had is not; a retry can be retried.
TEST(RetryOfScripts, of_an_all_repeats_what_failed_or_was_under_way) {
  auto definition = define_script(
      "return await Task.all(['a', 'b', 'c'].map((name, i) => Task.run(name, { i })))");
  ScriptRun first(definition);
  first.start();
  first.settle("r.1", "SUCCEEDED", Value("A"));
  first.settle("r.2", "FAILED");
  ASSERT_EQ(first.run.status, RunStatus::failed);
  ScriptRun second(definition, "s");
  second.start({}, seed_in(restart::retry(first.source())));
  EXPECT_EQ(second.ordered(), (Orders{{"s.2", "r.2"}, {"s.3", "r.3"}}));
  for (const Post& post : second.posts)
    if (const auto* job = std::get_if<OrderJob>(&post); job && job->job.text() == "s.3")
      EXPECT_EQ(job->request.get("input"), Value::object({{"i", 2}}));
  second.settle("s.3", "SUCCEEDED", Value("C"));
  second.settle("s.2", "FAILED");
  ASSERT_EQ(second.run.status, RunStatus::failed);
  ScriptRun third(definition, "t");
  third.start({}, seed_in(restart::retry(second.source())));
  EXPECT_EQ(third.ordered(), (Orders{{"t.2", "r.2"}}));
  third.settle("t.2", "SUCCEEDED", Value("B"));
  EXPECT_EQ(to_json(third.run.output), R"(["A","B","C"])");
}

// F-48: a child that is started again makes its keys from the same as before.
TEST(RetryOfScripts, starts_children_again_under_the_same_key) {
  auto definition = define_script("return await Workflow.run('inner', {})");
  ScriptRun first(definition);
  first.start();
  EXPECT_EQ(first.started(), (Orders{{"r.1", ""}})) << "its own id";
  auto fails = [](const std::string& child) {
    Value error = Value::object({{"code", "x"}, {"message", "no"}});
    return SettleChild{"1", RunId(child), "failed", {}, error, ""};
  };
  first.tell(fails("r.1"));
  ASSERT_EQ(first.run.status, RunStatus::failed);
  ScriptRun second(definition, "s");
  second.start({}, seed_in(restart::retry(first.source())));
  EXPECT_EQ(second.started(), (Orders{{"s.1", "r.1"}}));
  second.tell(fails("s.1"));
  ScriptRun third(definition, "t");
  third.start({}, seed_in(restart::retry(second.source())));
  EXPECT_EQ(third.started(), (Orders{{"t.1", "r.1"}}));
}

// F-36: a key that is given is the child's, within the workflow that it is for.
TEST(ChildrenOfScripts, make_their_keys_from_the_one_they_are_given) {
  auto definition = define_script(
      "const id = Workflow.start('pay', {}, { idempotency_key: 'order-7' }).id\n"
      "await Workflow.run('ship', {}, { idempotency_key: 'order-7' })\nreturn id");
  ScriptRun parent(definition);
  parent.start();
  EXPECT_EQ(parent.started(), (Orders{{"r.1", "pay/order-7"}, {"r.2", "ship/order-7"}}));
}

// F-36, F-48
TEST(ChildrenOfScripts, order_their_tasks_under_the_key_of_their_start) {
  auto definition = define_script("return await Task.run('charge', {})");
  ScriptRun child(definition, "s.1");
  child.key = RunId("r.1");
  child.start();
  EXPECT_EQ(child.ordered(), (Orders{{"s.1.1", "r.1.1"}}));
  EXPECT_EQ(child.count("RunKeyed"), 1u);
  child.settle("s.1.1", "FAILED");
  ScriptRun again(definition, "u");
  again.start({}, seed_in(restart::retry(child.source())));
  EXPECT_EQ(again.ordered(), (Orders{{"u.1", "r.1.1"}})) << "a retry of the child as well";
}

// F-48: the failure was there before the last park, but the script had not looked at it.
TEST(RetryOfScripts, repeats_what_failed_unseen_before_the_last_park) {
  auto definition = define_script(
      "const a = Task.run('early', { n: 1 })\n"
      "const b = await Task.run('between', {})\n"
      "const c = await Task.run('after', {})\n"
      "return [await a, b, c]");
  ScriptRun first(definition);
  first.start();
  first.settle("r.1", "FAILED");
  first.settle("r.2", "SUCCEEDED", Value("B"));
  first.settle("r.3", "SUCCEEDED", Value("C"));
  ASSERT_EQ(first.run.error.get("code"), Value("TASK_FAILED"));
  ScriptRun second(definition, "s");
  second.start({}, seed_in(restart::retry(first.source())));
  EXPECT_EQ(second.ordered(), (Orders{{"s.1", "r.1"}}));
  second.settle("s.1", "SUCCEEDED", Value("A"));
  EXPECT_EQ(to_json(second.run.output), R"(["A","B","C"])");
}

// F-48: what the script knows of is its past.
TEST(RetryOfScripts, leaves_failures_alone_that_the_script_has_seen) {
  auto definition = define_script(
      "const a = Task.run('early', {})\n"
      "try { await a } catch (e) {}\n"
      "const b = await Task.run('between', {})\n"
      "return await Task.run('after', { b })");
  ScriptRun first(definition);
  first.start();
  first.settle("r.1", "FAILED");
  first.settle("r.2", "SUCCEEDED", Value("B"));
  first.settle("r.3", "FAILED");
  ASSERT_EQ(first.run.status, RunStatus::failed);
  ScriptRun second(definition, "s");
  second.start({}, seed_in(restart::retry(first.source())));
  EXPECT_EQ(second.ordered(), (Orders{{"s.3", "r.3"}}));
}

// F-48
TEST(RetryOfScripts, that_failed_before_they_waited_begin_again) {
  auto definition = define_script("if (Inputs.n == 1) throw Error('no')\nreturn 2");
  ScriptRun first(definition);
  first.start(Value::object({{"n", 1}}));
  ASSERT_EQ(first.run.status, RunStatus::failed);
  ScriptRun second(definition, "s");
  second.start({}, seed_in(restart::retry(first.source())));
  EXPECT_EQ(second.run.status, RunStatus::failed);
}

// F-48, F-56
TEST(RetryOfScripts, in_a_repaired_version_keep_what_they_had) {
  auto broken = define_script("const got = await Task.run('x', {})\nconst n = 3\nreturn got.a.b");
  auto repaired =
      define_script("const got = await Task.run('x', {})\nconst n = 3\nreturn [got?.a?.b, n]");
  ScriptRun first(broken);
  first.start();
  first.settle("r.1", "SUCCEEDED", Value::object());
  ASSERT_EQ(first.run.error.get("code"), Value("TYPE_ERROR"));
  auto made = restart::retry(first.source(), MigrationTarget{2, repaired, {}});
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(made->plan.get("ok"), Value(true));
  EXPECT_EQ(made->plan.get("frames").items()[0].get("from"), Value("main:1:13"));
  ScriptRun second(repaired, "s");
  second.start({}, made->state);
  EXPECT_TRUE(second.ordered().empty());
  EXPECT_EQ(to_json(second.run.output), "[null,3]");
}

// F-48
TEST(ForkOfScripts, copies_the_run_at_a_kept_park) {
  auto definition = define_script(
      "let sum = 0\nfor (let i = 0; i < 12; i++)\n"
      "  sum += await Task.run('x', { i })\nreturn sum");
  ScriptRun first(definition);
  first.start();
  std::vector<uint64_t> parks{first.run.last_sequence};
  for (int i = 1; i <= 12; ++i) {
    first.settle("r." + std::to_string(i), "SUCCEEDED", Value(1));
    parks.push_back(first.run.last_sequence);
  }
  ASSERT_EQ(first.run.output, Value(12));
  auto gone = restart::fork(first.source(), parks[2], {});
  ASSERT_FALSE(gone);
  EXPECT_EQ(gone.error().code, ErrorCode::snapshot_gone);
  EXPECT_TRUE(restart::fork(first.source(), parks[2], {}, 100));
  EXPECT_EQ(restart::fork(first.source(), first.run.last_sequence, {}).error().code,
            ErrorCode::sequence_unknown);
  EXPECT_EQ(restart::fork(first.source(), parks[6], Value::object({{"$x", 1}})).error().code,
            ErrorCode::invalid_field);
  ScriptRun second(definition, "s");
  second.start({}, seed_in(restart::fork(first.source(), parks[10], {})));
  EXPECT_EQ(second.ordered(), (Orders{{"s.11", "s.11"}}));
  second.settle("s.11", "SUCCEEDED", Value(100));
  second.settle("s.12", "SUCCEEDED", Value(100));
  EXPECT_EQ(second.run.output, Value(210));
}

// F-48
TEST(RerunOfScripts, begins_anew_with_the_input) {
  auto definition = define_script("const got = await Task.run('x', {})\nreturn [got, Inputs.n]");
  ScriptRun first(definition);
  first.start(Value::object({{"n", 4}}));
  first.settle("r.1", "SUCCEEDED", Value(1));
  EXPECT_FALSE(restart::rerun(first.source(), "some"));
  ScriptRun second(definition, "s");
  second.start(Value::object({{"n", 4}}), seed_in(restart::rerun(first.source(), "")));
  EXPECT_EQ(second.ordered(), (Orders{{"s.1", "s.1"}}));
  second.settle("s.1", "SUCCEEDED", Value(2));
  EXPECT_EQ(to_json(second.run.output), "[2,4]");
}

// F-49
TEST(DamagedScripts, are_tried_five_times_and_then_fail) {
  ScriptRun damaged(define_script("const got = await Task.run('x', {})\nreturn got"));
  damaged.start();
  damaged.check_fold = false;
  std::string whole = damaged.run.script->snapshot;
  damaged.run.own_script().snapshot[8] = static_cast<char>(whole[8] ^ 1);
  damaged.settle("r.1", "SUCCEEDED", Value(1));
  EXPECT_EQ(damaged.run.status, RunStatus::running);
  EXPECT_FALSE(has_ready_work(damaged.run));
  EXPECT_FALSE(damaged.wake(999));
  EXPECT_TRUE(damaged.wake(1));
  EXPECT_TRUE(damaged.wake(5'000));
  EXPECT_TRUE(damaged.wake(25'000));
  EXPECT_EQ(damaged.count("FlowFaulted"), 4u);
  EXPECT_FALSE(damaged.wake(124'999));
  EXPECT_TRUE(damaged.wake(1));
  EXPECT_EQ(damaged.run.status, RunStatus::failed);
  EXPECT_EQ(damaged.run.error.get("code"), Value("snapshot_unreadable"));
}

// F-49
TEST(DamagedScripts, that_can_be_read_again_go_on) {
  ScriptRun damaged(define_script("const got = await Task.run('x', {})\nreturn got"));
  damaged.start();
  damaged.check_fold = false;
  std::string whole = damaged.run.script->snapshot;
  damaged.run.own_script().snapshot = "";
  damaged.settle("r.1", "SUCCEEDED", Value(1));
  std::string bytes = encode_checkpoint(damaged.run);
  auto opened = restore_checkpoint(damaged.run.id, bytes, damaged.lookup());
  ASSERT_TRUE(opened);
  EXPECT_EQ(opened->script_faults, 1u);
  damaged.run.own_script().snapshot = whole;
  EXPECT_TRUE(damaged.wake(1'000));
  EXPECT_EQ(damaged.run.output, Value(1));
}

// F-46: an older program leaves what a newer one wrote alone.
TEST(DamagedScripts, of_a_later_release_wait_for_it_for_ever) {
  ScriptRun newer(define_script("const got = await Task.run('x', {})\nreturn got"));
  newer.start();
  newer.check_fold = false;
  std::string whole = newer.run.script->snapshot;
  std::string later = whole.substr(0, whole.size() - 4);
  later[3] = 99;
  uint32_t sum = crc32c(later);
  for (int i = 0; i < 4; ++i) later += static_cast<char>(sum >> (8 * i) & 0xff);
  newer.run.own_script().snapshot = later;
  newer.settle("r.1", "SUCCEEDED", Value(1));
  for (int i = 0; i < 12; ++i) EXPECT_TRUE(newer.wake(125'000));
  EXPECT_EQ(newer.run.status, RunStatus::running);
  newer.run.own_script().snapshot = whole;
  EXPECT_TRUE(newer.wake(125'000));
  EXPECT_EQ(newer.run.output, Value(1));
}

// F-53
TEST(CancelOfScripts, runs_finally_unless_it_is_forced) {
  const char* source = "try { await Task.run('work', {}) } finally { await Task.run('tidy', {}) }";
  ScriptRun polite(define_script(source));
  polite.start();
  polite.tell(CancelRun{"enough", false});
  EXPECT_EQ(polite.ordered(), (Orders{{"r.2", "r.2"}}));
  EXPECT_FALSE(polite.run.finished());
  polite.settle("r.2", "SUCCEEDED");
  EXPECT_EQ(polite.run.status, RunStatus::cancelled);
  ScriptRun forced(define_script(source));
  forced.start();
  forced.tell(CancelRun{"enough", true});
  EXPECT_TRUE(forced.ordered().empty());
  EXPECT_EQ(forced.run.status, RunStatus::cancelled);
  // One that cleans up already can still be forced.
  ScriptRun impatient(define_script(source));
  impatient.start();
  impatient.tell(CancelRun{"enough", false});
  impatient.tell(CancelRun{"now", true});
  EXPECT_EQ(impatient.run.status, RunStatus::cancelled);
  // Also in the middle of an activation.
  ScriptRun busy(define_script("try { while (true) {} } finally { await Task.run('tidy', {}) }"));
  busy.given.limits.flow.slice = 1'000;
  busy.start();
  ASSERT_TRUE(busy.run.script->open);
  busy.tell(CancelRun{"now", true});
  EXPECT_EQ(busy.run.status, RunStatus::cancelled);
}

// F-55, F-56
TEST(MigrationOfScripts, is_an_event_that_holds_the_new_state) {
  auto old = define_script("const n = 2\nconst got = await Task.run('x', {})\nreturn n * got");
  auto next = define_script("const n = 9\nconst got = await Task.run('x', {})\nreturn [n, got]");
  auto other = define_script("return 1");
  ScriptRun moved(old);
  moved.know(next);
  moved.know(other);
  moved.start();
  EXPECT_FALSE(moved.tell(MigrateRun{3, other, {}}));
  EXPECT_EQ(moved.refusal.code, ErrorCode::not_migratable);
  EXPECT_EQ(moved.refusal.findings.at(0).line, 2);
  EXPECT_EQ(moved.run.definition->hash, old->hash);
  EXPECT_TRUE(moved.tell(MigrateRun{2, next, {}}));
  EXPECT_EQ(moved.count("FlowMigrated"), 1u);
  auto folded = fold(moved.run.id, moved.chunks, moved.lookup());
  ASSERT_TRUE(folded);
  EXPECT_EQ(encode_checkpoint(*folded), encode_checkpoint(moved.run));
  moved.settle("r.1", "SUCCEEDED", Value(7));
  EXPECT_EQ(to_json(moved.run.output), "[2,7]");
  EXPECT_EQ(moved.run.workflow_version, 2u);
}

}  // namespace
}  // namespace fermata::test
