#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "bench/cpu_time.h"
#include "bench/engine.h"
#include "bench/flow.h"

/// (b), (c) What it costs to park a script and to go on, and how large a parked one is; no store.
namespace fermata::bench {

namespace {

constexpr const char* waiting_loop = R"(
workflow bench(inputs) {
  let sum = 0
  for (let i = 0; i < inputs.n; i++) {
    const done = await Task.run("one", { i, name: "order" })
    sum = sum + done.n
  }
  return sum
})";

flow::SettleAwaitable done(uint32_t number, Value result) {
  flow::SettleAwaitable settle;
  settle.number = number;
  settle.result = std::move(result);
  return settle;
}

/// Microseconds of the processor for a completion that wakes the script, runs it and parks it
/// again.
double park_and_resume_us(bool resident) {
  constexpr int64_t rounds = 2'000;
  Script script(waiting_loop);
  flow::FlowGiven given = unlimited();
  auto execution = flow::begin_flow("bench", Value::object({{"n", rounds}}), Value());
  flow::Resident machine;
  std::vector<flow::Outgoing> out;
  auto activate = [&] {
    out.clear();
    if (!flow::activate(execution, script.program(), given, out, resident ? &machine : nullptr))
      std::exit(1);
  };
  activate();
  Value result = Value::object({{"n", 1}});
  double begin = thread_cpu_seconds();
  while (!execution.ended()) {
    flow::take(execution, done(execution.last_number, result), given, out);
    activate();
  }
  if (execution.output != Value(rounds)) std::exit(1);
  return (thread_cpu_seconds() - begin) * 1e6 / static_cast<double>(rounds);
}

constexpr const char* wide_all = R"(
workflow bench(inputs) {
  const tasks = []
  for (let i = 0; i < inputs.n; i++) tasks.push(Task.run("one", i))
  const results = await Task.all(tasks)
  return results.length
})";

/// Lets whatever is pending first happen: tasks succeed, signals come, timers fire.
void move_on(flow::Execution& execution, const flow::FlowGiven& given,
             std::vector<flow::Outgoing>& out) {
  for (const auto& [number, awaitable] : execution.awaitables) {
    if (!awaitable.pending() || awaitable.kind != flow::AwaitableKind::task) continue;
    flow::take(execution, done(number, Value::object({{"amount", 600}, {"order", "a-17"}})), given,
               out);
    return;
  }
  for (const auto& [number, awaitable] : execution.awaitables) {
    if (!awaitable.pending() || awaitable.kind != flow::AwaitableKind::signal) continue;
    flow::ReceiveSignal signal{awaitable.name, Value::object({{"ok", true}})};
    flow::take(execution, std::move(signal), given, out);
    return;
  }
  if (execution.alarms.empty()) std::exit(1);
  flow::take(execution, flow::FireTimer{execution.alarms.begin()->second}, given, out);
}

/// The largest snapshot that a script parks with on its way.
size_t largest_snapshot(std::string_view source, Value inputs) {
  Script script(source);
  flow::FlowGiven given = unlimited();
  auto execution =
      flow::begin_flow("0198c0de-0000-7000-8000-000000000000", std::move(inputs), Value());
  std::vector<flow::Outgoing> out;
  size_t largest = 0;
  for (int step = 0; step < 100 && !execution.ended(); ++step) {
    while (flow::wants_activation(execution))
      if (!flow::activate(execution, script.program(), given, out)) std::exit(1);
    if (execution.ended()) break;
    largest = std::max(largest, execution.snapshot.size());
    if (!execution.alarms.empty()) given.now = std::max(given.now, execution.alarms.begin()->first);
    move_on(execution, given, out);
  }
  if (execution.end != flow::FlowEnd::completed) {
    std::fprintf(stderr, "bench: %s\n", execution.error.message.c_str());
    std::exit(1);
  }
  return largest;
}

std::string text_of(const char* file) {
  std::ifstream in(file);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

}  // namespace

double all_in_memory_us(int64_t tasks) {
  Script script(wide_all);
  flow::FlowGiven given = unlimited();
  auto execution = flow::begin_flow("bench", Value::object({{"n", tasks}}), Value());
  std::vector<flow::Outgoing> out;
  double begin = thread_cpu_seconds();
  if (!flow::activate(execution, script.program(), given, out)) std::exit(1);
  for (uint32_t number = 1; number <= static_cast<uint32_t>(tasks); ++number)
    flow::take(execution, done(number, Value(number)), given, out);
  if (!flow::activate(execution, script.program(), given, out)) std::exit(1);
  if (execution.output != Value(tasks)) std::exit(1);
  return (thread_cpu_seconds() - begin) * 1e6 / static_cast<double>(tasks);
}

void measure_parking() {
  section("(b) a completion that wakes a small script, runs it and parks it again");
  double kept = 1e9, rebuilt = 1e9;
  for (int round = 0; round < 15; ++round) {
    kept = std::min(kept, park_and_resume_us(true));
    rebuilt = std::min(rebuilt, park_and_resume_us(false));
  }
  report("machine kept in memory", kept, "us");
  report("machine rebuilt from its snapshot", rebuilt, "us");
  floor_at_most("(b) microseconds, rebuilt (F-52)", rebuilt, 50);
}

void measure_snapshots() {
  section("(c) bytes of a parked script");
  std::string many = "workflow bench(inputs) {\n";
  std::string sum;
  for (int i = 0; i < 20; ++i) {
    std::string name = "variable" + std::to_string(i);
    // Made at run time: what is written in the source costs a parked script nothing.
    const char* kinds[] = {"inputs.n + 1", "inputs.order + 1", "inputs.n > 1", "[inputs.n, 2]"};
    many += "  const " + name + " = " + kinds[i % 4] + "\n";
    sum += (sum.empty() ? "" : ", ") + name;
  }
  many += "  await Task.delay(\"1d\")\n  return [" + sum + "]\n}\n";
  auto bytes =
      static_cast<double>(largest_snapshot(many, Value::object({{"order", "a-17"}, {"n", 17}})));
  report("20 small variables", bytes, "bytes");
  floor_at_most("(c) bytes with 20 small variables", bytes, 1'024);
  for (const char* file : {"examples/reminder.flow", "examples/refund.flow"}) {
    std::string source = text_of(file);
    if (source.empty()) {
      std::printf("  %s is not here\n", file);
      continue;
    }
    Value inputs = Value::object({{"order", "a-17"}, {"name", "Ada"}, {"times", 3}});
    report(file, static_cast<double>(largest_snapshot(source, inputs)), "bytes");
  }
}

}  // namespace fermata::bench
