#include <cstdio>
#include <tuple>

#include "bench/engine.h"
#include "bench/http_load.h"

namespace fermata::bench {

namespace {

constexpr const char* waiting_graph =
    R"({"nodes":[{"id":"t","type":"manual","trigger":true},
                 {"id":"w","type":"wait","parameters":{"amount":10,"unit":"days"}}],
        "edges":[{"id":"e","src":"t","dst":"w"}]})";
constexpr const char* instant_graph =
    R"({"nodes":[{"id":"t","type":"manual","trigger":true},{"id":"a","type":"noop"},
                 {"id":"b","type":"noop"}],
        "edges":[{"id":"e1","src":"t","dst":"a"},{"id":"e2","src":"a","dst":"b"}]})";

/// One round of starts; gives starts per second and synchronisations per start.
std::pair<double, double> transitions(size_t callers) {
  Engine engine(fresh_directory("transitions"));
  auto definition = engine.define("bench", waiting_graph);
  size_t total = callers == 1 ? 2'000 : 20'000 + callers * 60;
  Value input = Value::object({{"order", 17}});
  auto make = [&] { return engine.start(definition, input); };
  closed_loop(engine, callers, total / 10, make);
  uint64_t commits = engine.host().counters().commits;
  double rate = closed_loop(engine, callers, total, make);
  commits = engine.host().counters().commits - commits;
  return {rate, static_cast<double>(commits) / static_cast<double>(total)};
}

}  // namespace

void measure_transitions(const Limits& limits) {
  section("(b) durable transitions: a start that parks at a wait");
  double fsyncs_before = 10;
  for (size_t i = 0; i < 4; ++i) {
    size_t callers = Limits::batches[i];
    double rate = 0, fsyncs = 0, straight = limits.sqlite_per_s[i];
    // The limit again in between, so that both have the same chances on a machine that is not
    // quiet; the best of each.
    for (int round = 0; round < 4; ++round) {
      auto [this_rate, these_fsyncs] = transitions(callers);
      if (this_rate > rate) std::tie(rate, fsyncs) = std::pair(this_rate, these_fsyncs);
      straight = std::max(straight, straight_sqlite(callers));
    }
    double ratio = rate / straight;
    char note[96];
    std::snprintf(note, sizeof note, "%.2f of straight SQLite (%.0f), %.4f fsyncs each", ratio,
                  straight, fsyncs);
    report(std::to_string(callers) + " concurrent callers", rate, "/s", note);
    if (callers == 128) floor_at_least("(b) ratio at 128 callers", ratio, 0.5);
    if (i > 0) floor_at_most("(b) fsyncs per transition fall", fsyncs, fsyncs_before);
    fsyncs_before = fsyncs;
  }
}

void measure_runs(const Limits&) {
  section("(c) runs of three instant nodes, start to completion");
  {
    Engine engine(fresh_directory("runs"));
    auto definition = engine.define("bench", instant_graph);
    Value input = Value::object({{"order", 17}});
    double best = 0;
    for (int round = 0; round < 3; ++round) {
      double rate =
          closed_loop(engine, 512, 30'000, [&] { return engine.start(definition, input); });
      best = std::max(best, rate);
    }
    report("in process", best, "runs/s");
    floor_at_least("(c) in process", best, 15'000);
  }
  double rate = http_runs_per_second(instant_graph, 64, 20'000);
  report("over HTTP, 64 keep-alive connections", rate, "runs/s");
  floor_at_least("(c) over HTTP", rate, 5'000);
}

void measure_latency(const Limits& limits) {
  section("(d) latency of a single start");
  Engine engine(fresh_directory("latency"));
  auto definition = engine.define("bench", instant_graph);
  std::vector<double> samples;
  for (int i = 0; i < 2'000; ++i) {
    auto begin = std::chrono::steady_clock::now();
    closed_loop(engine, 1, 1, [&] { return engine.start(definition, Value()); });
    samples.push_back(seconds_since(begin) * 1000);
  }
  double p50 = percentile(samples, 0.5);
  report("p50", p50, "ms");
  report("p99", percentile(samples, 0.99), "ms");
  floor_at_most("(d) p50 in units of one bare fdatasync", p50 / limits.fsync_p50_ms, 4);
}

}  // namespace fermata::bench
