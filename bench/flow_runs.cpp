#include <cstdio>
#include <cstdlib>

#include "base/json.h"
#include "bench/cpu_time.h"
#include "bench/flow.h"
#include "bench/served.h"
#include "bench/worker.h"
#include "core/flow/script.h"

/// (d)–(g) Scripts in a whole engine: durable, fsync on.
namespace fermata::bench {

namespace {

constexpr const char* three_tasks = R"(
workflow bench(inputs) {
  const a = await Task.run("one", { n: inputs.n })
  const b = await Task.run("two", a)
  return await Task.run("three", b)
})";
constexpr const char* fan_out = R"(
workflow bench(inputs) {
  const tasks = []
  for (let i = 0; i < inputs.n; i++) tasks.push(Task.run("one", i))
  const results = await Task.all(tasks)
  return results.length
})";
constexpr const char* until = R"(
workflow bench(inputs) {
  const order = "a-17"
  const amounts = [1, 2, 3]
  await Timer.until(inputs.at)
  return { order, amounts }
})";

struct Rate {
  double per_second = 0;
  double cpu_us = 0;  ///< of this process, per run
};

/// Keeps `outstanding` runs under way until `total` have ended.
double runs_per_second(Engine& engine, const graph::DefinitionRef& definition, uint64_t outstanding,
                       uint64_t total) {
  uint64_t before = engine.feed.ended;
  auto begin = std::chrono::steady_clock::now();
  for (uint64_t started = 0; engine.feed.ended - before < total;) {
    if (seconds_since(begin) > 120) {
      std::printf("  only %llu of %llu runs ended in two minutes\n",
                  static_cast<unsigned long long>(engine.feed.ended - before),
                  static_cast<unsigned long long>(total));
      return static_cast<double>(engine.feed.ended - before) / 120;
    }
    bool room = started < total && started - (engine.feed.ended - before) < outstanding;
    if (!room) {
      std::this_thread::sleep_for(std::chrono::microseconds(200));
      continue;
    }
    Value input = Value::object({{"n", started}});
    if (engine.host().submit(engine.start(definition, std::move(input)), [](const auto&) {}))
      ++started;
  }
  return static_cast<double>(total) / seconds_since(begin);
}

Rate best_rate(Engine& engine, const graph::DefinitionRef& definition) {
  constexpr uint64_t runs = 2'000;
  Rate best{0, 1e9};
  for (int round = 0; round < 4; ++round) {
    double cpu = process_cpu_seconds();
    best.per_second = std::max(best.per_second, runs_per_second(engine, definition, 512, runs));
    best.cpu_us = std::min(best.cpu_us, (process_cpu_seconds() - cpu) * 1e6 / runs);
  }
  return best;
}

graph::DefinitionRef defined(Engine& engine, const char* source) {
  return engine.define_script("bench", source);
}

double fan_out_seconds(int64_t tasks) {
  Engine engine(fresh_directory("fan-out"));
  auto definition = defined(engine, fan_out);
  InProcessWorker worker(engine.host());
  auto begin = std::chrono::steady_clock::now();
  bool taken = engine.host().submit(engine.start(definition, Value::object({{"n", tasks}})),
                                    [](const auto&) {});
  if (!taken || !engine.await_ended(1, 120)) {
    std::fprintf(stderr, "bench: a fan-out of %lld did not end\n", static_cast<long long>(tasks));
    std::exit(1);
  }
  worker.stop();
  return seconds_since(begin);
}

}  // namespace

void measure_tasks() {
  section("(d) scripts of three tasks, start to completion, 512 under way, fsync on");
  {
    Engine engine(fresh_directory("tasks"));
    auto definition = defined(engine, three_tasks);
    InProcessWorker worker(engine.host());
    Rate best = best_rate(engine, definition);
    worker.stop();
    report("a worker in process", best.per_second, "runs/s");
    report("a worker in process, processor time per run", best.cpu_us, "us");
  }
  Engine engine(fresh_directory("tasks-http"));
  auto definition = defined(engine, three_tasks);
  Served served(engine);
  WorkerProcess worker(served.port());
  Rate best = best_rate(engine, definition);
  report("one worker process over HTTP", best.per_second, "runs/s");
  report("the same, processor time of the server per run", best.cpu_us, "us");
  floor_at_least("(d) runs a second, one HTTP worker process", best.per_second, 2'000);
}

void measure_fan_out() {
  section("(e) Task.all of many tasks, the script alone, then with a worker in process");
  double small = 1e9, large = 1e9;
  for (int round = 0; round < 9; ++round) {
    small = std::min(small, all_in_memory_us(1'000));
    large = std::min(large, all_in_memory_us(10'000));
  }
  report("the script alone, processor time for each of 1,000 tasks", small, "us");
  report("for each of 10,000 tasks", large, "us");
  double few = 1e9, many = 1e9;
  for (int round = 0; round < 4; ++round) {
    few = std::min(few, fan_out_seconds(1'000));
    many = std::min(many, fan_out_seconds(10'000));
  }
  report("1,000 tasks", few * 1e3, "ms");
  report("10,000 tasks", many * 1e3, "ms");
  floor_at_most("(e) time per task, 10,000 to 1,000", many / few / 10, 1.5);
}

void measure_parked_scripts() {
  constexpr size_t scripts = 100'000;
  section("(f) 100,000 parked scripts");
  std::filesystem::path directory = fresh_directory("parked");
  Value input;
  {
    Engine engine(directory);
    auto definition = defined(engine, until);
    input = Value::object({{"at", to_rfc3339(engine.clock.now() + Duration{30 * 86'400'000LL})}});
    uint64_t before = resident_bytes();
    double rate =
        closed_loop(engine, 512, scripts, [&] { return engine.start(definition, input); });
    report("starts that park", rate, "/s");
    report("memory per parked script, the cache included",
           static_cast<double>(resident_bytes() - before) / scripts, "bytes");
    report("history per parked script", static_cast<double>(engine.feed.bytes) / scripts, "bytes");
  }
  uint64_t on_disk = 0;
  for (const auto& file : std::filesystem::directory_iterator(directory))
    if (file.is_regular_file()) on_disk += file.file_size();
  report("on disk per parked script", static_cast<double>(on_disk) / scripts, "bytes");
  Engine engine(directory);
  report("timers armed after a restart", static_cast<double>(engine.timers.size()), "");
  report("restart to ready", engine.open_seconds, "s");
  floor_at_most("(f) seconds until ready", engine.open_seconds, 3);
}

void measure_delays() {
  constexpr size_t scripts = 20'000;
  section("(g) scripts that go on at a due time, 1,000 a second");
  Engine engine(fresh_directory("delays"));
  auto definition = defined(engine, until);
  std::mutex mutex;
  std::vector<double> lateness;
  engine.feed.on_end = [&](const RunSummary& summary) {
    std::lock_guard lock(mutex);
    lateness.push_back(
        static_cast<double>(engine.clock.now().ms - summary.labels.get("due").as_integer()));
  };
  Instant first = engine.clock.now() + Duration{15'000};
  std::atomic<size_t> next{0};
  closed_loop(engine, 512, scripts, [&] {
    Instant at = first + Duration{static_cast<int64_t>(next++)};
    Command command = engine.start(definition, Value::object({{"at", to_rfc3339(at)}}));
    std::get<StartRun>(command.body).labels = Value::object({{"due", at.ms}});
    return command;
  });
  if (engine.clock.now() > first)
    std::printf("  starting took over 15 s: lateness is of a backlog\n");
  engine.await_ended(scripts, 90);
  std::lock_guard lock(mutex);
  report("lateness, p50", percentile(lateness, 0.5), "ms");
  double p99 = percentile(lateness, 0.99);
  report("lateness, p99", p99, "ms");
  floor_at_most("(g) lateness p99 (F-50)", p99, 100);
}

}  // namespace fermata::bench
