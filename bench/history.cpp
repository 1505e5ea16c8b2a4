#include <cstdio>
#include <cstdlib>

#include "adapters/sqlite/database.h"
#include "adapters/sqlite/directory.h"
#include "bench/engine.h"

namespace fermata::bench {

namespace {

constexpr uint64_t events_wanted = 1'000'000;

/// Goes round once for every signal, ten events at a time.
std::string circling_graph() {
  std::string nodes = R"({"id":"t","type":"manual","trigger":true},
      {"id":"h","type":"wait_for_signal","max_visits":100000,"parameters":{"name":"go"}})";
  std::string edges = R"({"id":"0","src":"t","dst":"h"})";
  std::string last = "h";
  for (int i = 1; i <= 8; ++i) {
    std::string id = "n" + std::to_string(i);
    nodes += R"(,{"id":")" + id + R"(","type":"noop","max_visits":100000})";
    edges += R"(,{"id":")" + id + R"(","src":")" + last + R"(","dst":")" + id + R"("})";
    last = id;
  }
  edges += R"(,{"id":"back","src":")" + last + R"(","dst":"h"})";
  return R"({"nodes":[)" + nodes + R"(],"edges":[)" + edges + "]}";
}

Command go(const RunId& run) { return {run, SignalRun{"go", Value(), ""}, "engine"}; }

/// Milliseconds from a signal to its answer, by an engine that has just begun.
double first_answer_ms(const std::filesystem::path& directory, const RunId& run) {
  Engine engine(directory);
  auto begin = std::chrono::steady_clock::now();
  closed_loop(engine, 1, 1, [&] { return go(run); });
  return seconds_since(begin) * 1000;
}

/// Through the store's own way of writing, which gives every page its checksum.
void forget_checkpoints(const std::filesystem::path& directory) {
  auto database =
      sqlite::Database::open(sqlite::database_file(directory), sqlite::Database::Mode::write);
  if (!database || !(*database)->run("DELETE FROM checkpoint")) std::exit(5);
}

}  // namespace

void measure_long_history() {
  section("(h) opening a run with 1,000,000 events");
  std::filesystem::path directory = fresh_directory("history");
  RunId run;
  {
    Engine engine(directory);
    auto definition = engine.define("bench", circling_graph());
    closed_loop(engine, 1, 1, [&] {
      Command start = engine.start(definition, Value());
      run = start.run;
      return start;
    });
    uint64_t events = 0;
    while (events < events_wanted) {
      closed_loop(engine, 512, 1'000, [&] { return go(run); });
      auto summary = engine.store->summary(run);
      if (!summary || !*summary || is_terminal((*summary)->status)) std::exit(5);
      events = (*summary)->last_sequence;
    }
    report("events", static_cast<double>(events), "");
    report("checkpoints written on the way",
           static_cast<double>(engine.host().counters().checkpoints_written), "");
  }
  double with = 1e9;
  for (int round = 0; round < 3; ++round) with = std::min(with, first_answer_ms(directory, run));
  forget_checkpoints(directory);
  double without = first_answer_ms(directory, run);
  report("first answer, from its newest checkpoint", with, "ms");
  report("first answer, from the whole history", without, "ms");
  floor_at_most("(h) with a checkpoint, of without", with / without, 0.1);
}

}  // namespace fermata::bench
