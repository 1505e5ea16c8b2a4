#include "core/run/view.h"
#include "test/flow/script_runs.h"

/// What becomes of work when it or its run ends (F-28, F-39).
namespace fermata::test {
namespace {

std::vector<std::string> stopped(const ScriptRun& run) {
  std::vector<std::string> out;
  for (const Post& post : run.posts) {
    if (const auto* job = std::get_if<StopJob>(&post)) out.push_back("job " + job->job.text());
    if (const auto* child = std::get_if<StopRun>(&post)) out.push_back("run " + child->run.text());
  }
  return out;
}

using Stopped = std::vector<std::string>;

// F-28
TEST(EndsOfTasks, are_told_to_the_script_by_code) {
  for (auto [state, code] : {std::pair("FAILED", "TASK_FAILED"),
                             {"TIMEOUT", "TASK_TIMED_OUT"},
                             {"DENIED", "TASK_DENIED"},
                             {"OUTPUT_QUARANTINED", "TASK_QUARANTINED"},
                             {"CANCELLED", "CANCELLED"}}) {
    ScriptRun run(define_script("try { await Task.run('x', {}) } catch (e) { return e.code }"));
    run.start();
    run.settle("r.1", state);
    EXPECT_EQ(run.run.output, Value(code));
  }
  ScriptRun failed(
      define_script("try { await Task.run('x', {}) } catch (e) {\n"
                    "  return [e.message, e.cause.code, e.attempts, e.task] }"));
  failed.start();
  failed.settle("r.1", "FAILED");
  EXPECT_EQ(to_json(failed.run.output), R"(["no","x",1,"x"])");
}

// F-28
TEST(EndsOfTasks, that_are_fatal_pass_by_every_catch) {
  ScriptRun run(define_script("try { await Task.run('x', {}) } catch (e) { return e.code }"));
  run.start();
  run.tell(SettleJob{JobId("r.1"),
                     "FAILED",
                     {},
                     Value::object({{"code", "x"}, {"message", "no"}}),
                     "hand",
                     1,
                     true});
  EXPECT_EQ(run.run.status, RunStatus::failed);
}

// F-28: a job that has ended once has ended.
TEST(EndsOfTasks, that_are_told_again_change_nothing) {
  ScriptRun run(
      define_script("const a = await Task.run('x', {})\n"
                    "await Task.run('y', {})\nreturn a"));
  run.start();
  EXPECT_TRUE(run.settle("r.1", "SUCCEEDED", Value(1)));
  EXPECT_FALSE(run.settle("r.1", "SUCCEEDED", Value(2)));
  EXPECT_FALSE(run.settle("r.1", "FAILED"));
  EXPECT_EQ(run.count("TaskSettled"), 1u);
  run.settle("r.2", "SUCCEEDED");
  EXPECT_EQ(run.run.output, Value(1));
}

// F-39
TEST(EndsOfRuns, leave_work_alone_when_they_completed_and_stop_it_when_they_failed) {
  const char* work = "Task.run('a', {})\nWorkflow.run('c', {})\nTask.delay(9)\n";
  ScriptRun good(define_script(std::string(work) + "return 1"));
  good.start();
  EXPECT_EQ(good.run.status, RunStatus::completed);
  EXPECT_EQ(stopped(good), Stopped{});
  EXPECT_EQ(good.count("TimerCancelled"), 1u);
  EXPECT_TRUE(good.run.timers.empty());
  ScriptRun bad(define_script(std::string(work) + "throw Error('no')"));
  bad.start();
  EXPECT_EQ(bad.run.status, RunStatus::failed);
  EXPECT_EQ(stopped(bad), (Stopped{"job r.1", "run r.2"}));
}

// F-39
TEST(EndsOfRuns, on_parent_end_says_otherwise) {
  ScriptRun good(
      define_script("Task.run('a', {}, { on_parent_end: 'cancel' })\n"
                    "Workflow.run('c', {}, { on_parent_end: 'cancel' })\nreturn 1"));
  good.start();
  EXPECT_EQ(stopped(good), (Stopped{"job r.1", "run r.2"}));
  ScriptRun bad(
      define_script("Task.run('a', {}, { on_parent_end: 'keep' })\n"
                    "Workflow.run('c', {}, { on_parent_end: 'keep' })\n"
                    "throw Error('no')"));
  bad.start();
  EXPECT_EQ(stopped(bad), Stopped{});
}

// F-39
TEST(EndsOfRuns, fibers_that_nobody_awaited_are_told_of) {
  ScriptRun dropped(define_script("async function f() { await Task.delay(5) }\nf()\nreturn 1"));
  dropped.start();
  EXPECT_EQ(dropped.count("FlowWarned"), 1u);
  ScriptRun failing(
      define_script("async function f() { throw Error('lost') }\nf()\n"
                    "await Signal.next('go')\nreturn 1"));
  failing.start();
  EXPECT_EQ(failing.count("FlowWarned"), 1u);
}

/// What happened, as the history shows it: type, and of scripts function and line, what woke it.
std::vector<std::string> told_of(ScriptRun& run) {
  restart::Source source = run.source();
  auto shown = view::history(source.history, source.definitions, 1, SIZE_MAX);
  EXPECT_TRUE(shown);
  std::vector<std::string> out;
  for (const Value& event : *shown) {
    std::string line(event.get("type").as_string());
    for (std::string_view field : {"node", "by", "awaiting"})
      if (event.get(field).is_string()) line += " " + std::string(event.get(field).as_string());
    out.push_back(std::move(line));
  }
  return out;
}

// F-47
TEST(HistoryOfScripts, tells_what_was_asked_for_where_and_what_woke_it) {
  ScriptRun run(
      define_script("workflow w(inputs) {\n"
                    "  Log.info('begin')\n"
                    "  const charged = charge(inputs)\n"
                    "  await Task.delay(2)\n"
                    "  await Signal.next('go', { timeout: '1h' })\n"
                    "  return await Workflow.run('kid', charged)\n"
                    "}\n"
                    "function charge(order) { return await Task.run('charge', order) }"));
  run.start();
  ASSERT_TRUE(run.settle("r.1", "SUCCEEDED", Value::object({{"n", 1}})));
  ASSERT_TRUE(run.wake(2'000));
  ASSERT_TRUE(run.tell(SignalRun{"go", Value(), ""}));
  const std::vector<std::string> expected = {
      "RunStarted tester",    "FlowResumed start",       "FlowLogged w:2",
      "TaskStarted charge:8", "FlowParked charge:8 r.1", "TaskSettled charge:8",
      "FlowResumed r.1",      "TimerArmed w:4",          "FlowParked w:4 r.2",
      "TimerFired w:4",       "FlowResumed r.2",         "TimerArmed w:5",
      "FlowParked w:5 r.3",   "SignalReceived",          "TimerCancelled w:5",
      "FlowResumed r.3",      "SignalTaken w:5",         "ChildStarted w:6",
      "FlowParked w:6 r.4",
  };
  EXPECT_EQ(told_of(run), expected);
}

// F-47: while it is paused a run only takes note; what woke it is known all the same.
TEST(HistoryOfScripts, names_what_woke_a_run_that_was_paused) {
  ScriptRun run(define_script("await Task.run('a', {})\nreturn 1"));
  run.start();
  ASSERT_TRUE(run.tell(PauseRun{}));
  ASSERT_TRUE(run.settle("r.1", "SUCCEEDED"));
  EXPECT_EQ(run.count("FlowResumed"), 1u);
  ASSERT_TRUE(run.tell(ResumeRun{}));
  EXPECT_EQ(run.run.status, RunStatus::completed);
  std::vector<std::string> told = told_of(run);
  EXPECT_NE(std::find(told.begin(), told.end(), "FlowResumed r.1"), told.end());
}

// F-35
TEST(SignalsOfScripts, beyond_the_limit_and_after_the_end_are_refused) {
  ScriptRun run(define_script("await Signal.next('go')\nreturn 1"));
  run.given.limits.signals_kept_max = 2;
  run.start();
  EXPECT_TRUE(run.tell(SignalRun{"other", Value(1), ""}));
  EXPECT_TRUE(run.tell(SignalRun{"other", Value(2), ""}));
  EXPECT_FALSE(run.tell(SignalRun{"other", Value(3), ""}));
  EXPECT_EQ(run.refusal.code, ErrorCode::signal_buffer_full);
  run.given.limits.signals_kept_max = 3;
  EXPECT_TRUE(run.tell(SignalRun{"go", Value(), ""}));
  EXPECT_EQ(run.run.status, RunStatus::completed);
  EXPECT_FALSE(run.tell(SignalRun{"go", Value(), ""}));
  EXPECT_EQ(run.refusal.code, ErrorCode::run_finished);
}

}  // namespace
}  // namespace fermata::test
