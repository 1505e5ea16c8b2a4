#include <cstdio>

#include "bench/engine.h"

namespace fermata::bench {

namespace {

constexpr size_t timers = 100'000;
constexpr const char* until_graph =
    R"({"nodes":[{"id":"t","type":"manual","trigger":true},
                 {"id":"w","type":"wait","parameters":{"wait_type":"until_date",
                  "target_date":"$input.at"}}],
        "edges":[{"id":"e","src":"t","dst":"w"}]})";

Value due_at(Instant at) { return Value::object({{"at", to_rfc3339(at)}}); }

}  // namespace

void measure_timers() {
  section("(e) 100,000 timers");
  {
    Engine engine(fresh_directory("timers"));
    auto definition = engine.define("bench", until_graph);
    std::mutex mutex;
    std::vector<double> lateness;
    // 5,000 a second fall due, beginning when all of them are armed.
    Instant first = engine.clock.now() + Duration{20'000};
    std::atomic<size_t> next{0};
    uint64_t before = resident_bytes();
    engine.feed.on_end = [&](const RunSummary& summary) {
      std::lock_guard lock(mutex);
      const Value& due = summary.labels.get("due");
      lateness.push_back(static_cast<double>(engine.clock.now().ms - due.as_integer()));
    };
    double rate = closed_loop(engine, 512, timers, [&] {
      Instant at = first + Duration{static_cast<int64_t>(next++ / 5)};
      Command command = engine.start(definition, due_at(at));
      std::get<StartRun>(command.body).labels = Value::object({{"due", at.ms}});
      return command;
    });
    report("arm rate (durable starts)", rate, "/s");
    report("memory per pending wait", static_cast<double>(resident_bytes() - before) / timers,
           "bytes");
    if (engine.clock.now() > first)
      std::printf("  arming took over 20 s: lateness is of a backlog\n");
    engine.await_ended(timers, 90);
    std::lock_guard lock(mutex);
    report("lateness at 5,000/s, p50", percentile(lateness, 0.5), "ms");
    double p99 = percentile(lateness, 0.99);
    report("lateness at 5,000/s, p99", p99, "ms");
    floor_at_most("(e) lateness p99", p99, 20);
  }
  {
    Engine engine(fresh_directory("herd"));
    auto definition = engine.define("bench", until_graph);
    Instant due = engine.clock.now() + Duration{20'000};
    closed_loop(engine, 512, timers, [&] { return engine.start(definition, due_at(due)); });
    while (engine.clock.now() < due) std::this_thread::yield();
    auto begin = std::chrono::steady_clock::now();
    bool all = engine.await_ended(timers, 120);
    double seconds = seconds_since(begin);
    report("100,000 due at one instant, all resumed after", seconds, "s", all ? "" : "NOT ALL");
    floor_at_least("(e) herd drained per second", timers / seconds, 10'000);
  }
}

void measure_restart() {
  section("(g) restart with 100,000 waiting runs");
  std::filesystem::path directory = fresh_directory("restart");
  {
    Engine engine(directory);
    auto definition = engine.define("bench", until_graph);
    Instant due = engine.clock.now() + Duration{86'400'000};
    closed_loop(engine, 512, timers, [&] { return engine.start(definition, due_at(due)); });
  }
  Engine engine(directory);
  report("ready after", engine.open_seconds, "s");
  report("timers armed", static_cast<double>(engine.timers.size()), "");
  floor_at_most("(g) seconds until ready", engine.open_seconds, 3);
}

void measure_split() {
  section("(f) a split of 10,000 items, three instant nodes, an aggregator");
  constexpr const char* graph =
      R"({"nodes":[{"id":"t","type":"manual","trigger":true},
          {"id":"s","type":"split","parameters":{"input_array":"$input.items"}},
          {"id":"a","type":"noop"},{"id":"b","type":"noop"},
          {"id":"c","type":"code","parameters":{"source":"return $item"}},
          {"id":"g","type":"aggregator"}],
         "edges":[{"id":"1","src":"t","dst":"s"},{"id":"2","src":"s","dst":"a"},
          {"id":"3","src":"a","dst":"b"},{"id":"4","src":"b","dst":"c"},
          {"id":"5","src":"c","dst":"g"}]})";
  double seconds[2] = {1e9, 1e9}, bytes[2] = {};
  // The best of several: whatever else the machine does makes them slower, never faster.
  for (int round = 0; round < 12; ++round) {
    for (int which = 0; which < 2; ++which) {
      Engine engine(fresh_directory("split"));
      auto definition = engine.define("bench", graph);
      Value items = Value::array();
      for (int i = 0; i < 5'000 * (which + 1); ++i)
        items.push(Value::object({{"id", i}, {"name", "order"}}));
      auto begin = std::chrono::steady_clock::now();
      closed_loop(engine, 1, 1,
                  [&] { return engine.start(definition, Value::object({{"items", items}})); });
      engine.await_ended(1, 60);
      seconds[which] = std::min(seconds[which], seconds_since(begin));
      bytes[which] = static_cast<double>(engine.feed.bytes);
    }
  }
  report("5,000 items", seconds[0], "s");
  report("10,000 items", seconds[1], "s");
  report("history bytes at 10,000", bytes[1], "bytes");
  floor_at_most("(f) seconds at 10,000", seconds[1], 2);
  floor_at_most("(f) time, 10,000 to 5,000", seconds[1] / seconds[0], 2.3);
  floor_at_most("(f) bytes, 10,000 to 5,000", bytes[1] / bytes[0], 2.3);
  floor_at_most("(f) bytes per activation at 10,000", bytes[1] / 40'003, 400 + 3 * 40);
}

}  // namespace fermata::bench
