#include "bench/cluster.h"

#include <unistd.h>

#include <cstdio>

#include "base/uuid.h"
#include "bench/worker.h"

namespace fermata::bench {

namespace {

constexpr const char* parked_graph =
    R"({"nodes":[{"id":"t","type":"manual","trigger":true},
                 {"id":"w","type":"wait","parameters":{"amount":10,"unit":"days"}}],
        "edges":[{"id":"e","src":"t","dst":"w"}]})";
constexpr const char* three_nodes =
    R"({"nodes":[{"id":"t","type":"manual","trigger":true},{"id":"a","type":"noop"},
                 {"id":"b","type":"noop"}],
        "edges":[{"id":"e1","src":"t","dst":"a"},{"id":"e2","src":"a","dst":"b"}]})";
constexpr const char* woken_graph =
    R"({"nodes":[{"id":"t","type":"manual","trigger":true},
                 {"id":"w","type":"wait","parameters":{"amount":20,"unit":"seconds"}},
                 {"id":"b","type":"noop"}],
        "edges":[{"id":"e1","src":"t","dst":"w"},{"id":"e2","src":"w","dst":"b"}]})";

double zadd_per_second = 0;
double broker_per_second = 0;

std::string ratio_note(double figure, double limit, const std::string& of) {
  char note[128];
  std::snprintf(note, sizeof note, "%.3f of %s (%.0f)", limit > 0 ? figure / limit : 0, of.c_str(),
                limit);
  return note;
}

bool await_count(const std::atomic<uint64_t>& counter, uint64_t count, double seconds) {
  auto begin = std::chrono::steady_clock::now();
  while (counter < count) {
    if (seconds_since(begin) > seconds) return false;
    usleep(500);
  }
  return true;
}

}  // namespace

void measure_cluster_limits() {
  section("(a) what the servers themselves can do, in this run");
  zadd_per_second = raw_zadd_rate();
  report("Redis: ZADD, 16 in a pipeline (redis-benchmark)", zadd_per_second, "/s");
  broker_per_second = raw_broker_rate(scaled(20'000));
  report("RabbitMQ: 400 bytes, confirmed, 256 under way", broker_per_second, "/s");
}

void measure_cluster_transitions() {
  section("(b) durable transitions: a start that parks at a wait, and its rows written straight");
  for (size_t callers : {1, 16, 128, 512}) {
    size_t total = scaled(callers == 1 ? 500 : 4'000 + callers * 30);
    double rate = 0, straight = 0;
    std::string tables;
    // By turns, the best of each: both have the same chances on a machine that is not quiet.
    for (int round = 0; round < 2; ++round) {
      ClusterEngine engine({});
      auto definition = engine.define(parked_graph);
      auto make = [&] { return engine.start(definition); };
      engine.closed_loop(callers, std::max<size_t>(total / 10, 1), make);
      auto before = StraightRows::counts(engine.schema());
      rate = std::max(rate, engine.closed_loop(callers, total, make));
      StraightRows rows(engine.schema(), before, total);
      straight = std::max(straight, rows.rate(callers));
      tables = rows.tables();
    }
    double ratio = rate / straight;
    report(std::to_string(callers) + " concurrent callers", rate, "/s",
           ratio_note(rate, straight, "multi-row inserts into " + tables));
    if (callers == 128) floor_at_least("(b) of the straight multi-row rate", ratio, 0.5);
  }
}

void measure_cluster_runs() {
  section("(c) executions of three instant nodes, start to completion, 256 callers");
  for (Beside beside : {Beside{}, Beside{true, false}, Beside{false, true}, Beside{true, true}}) {
    ClusterEngine engine(beside);
    auto definition = engine.define(three_nodes);
    auto make = [&] { return engine.start(definition); };
    size_t total = scaled(10'000);
    engine.closed_loop(256, std::max<size_t>(total / 10, 1), make);
    double rate = engine.closed_loop(256, total, make);
    std::string note;
    if (beside.rabbit) {
      // Five messages each: the start, three statuses, the completion.
      auto begin = std::chrono::steady_clock::now();
      uint64_t left = engine.outbox_rows();
      while (engine.outbox_rows() > 0 && seconds_since(begin) < 300) usleep(20'000);
      char text[160];
      std::snprintf(text, sizeof text, "%llu messages left at the end, published in %.1f s",
                    static_cast<unsigned long long>(left), seconds_since(begin));
      note = std::string(text) + "; five an execution, " +
             ratio_note(rate * 5, broker_per_second, "the raw broker rate");
    }
    report(beside.name(), rate, "runs/s", note);
  }
}

void measure_cluster_timers() {
  section("(d) waits that fall due together");
  for (Beside beside : {Beside{}, Beside{true, false}}) {
    ClusterEngine engine(beside);
    auto definition = engine.define(woken_graph);
    size_t total = scaled(10'000);
    double armed = engine.closed_loop(512, total, [&] { return engine.start(definition); });
    report(beside.name() + ": armed", armed, "/s",
           beside.redis ? ratio_note(armed, zadd_per_second, "raw ZADD") : "");
    uint64_t ended = engine.feed().ended;
    auto begin = std::chrono::steady_clock::now();
    while (engine.feed().ended == ended && seconds_since(begin) < 60) usleep(500);
    begin = std::chrono::steady_clock::now();
    bool all = await_count(engine.feed().ended, total, 300);
    if (!all) std::printf("  NOT ALL ENDED\n");
    report(beside.name() + ": resumed and completed",
           static_cast<double>(total) / seconds_since(begin), "/s");
  }
}

void measure_cluster_jobs() {
  section("(e) jobs that do nothing, submit to result, one worker in process");
  for (Beside beside : {Beside{}, Beside{true, false}}) {
    ClusterEngine engine(beside);
    InProcessWorker worker(engine.host());
    size_t total = scaled(10'000);
    auto begin = std::chrono::steady_clock::now();
    for (size_t i = 0; i < total; ++i) {
      job::SubmitJob submit;
      submit.account = AccountId("default");
      submit.request.topic = job::full_topic("noop");
      submit.request.input = job::Payload::of(Value::object({{"n", i}}));
      submit.submitter = "bench";
      Instant now{static_cast<int64_t>(i) + 1'700'000'000'000};
      job::Command command{JobId(uuid_v7(now, i, i)), std::move(submit), "bench"};
      while (!engine.host().submit_job(command, [](const Outcome<JobTold>&) {})) usleep(1'000);
    }
    bool all = await_count(engine.feed().jobs_ended, total, 300);
    if (!all) std::printf("  NOT ALL ENDED\n");
    report(beside.name(), static_cast<double>(total) / seconds_since(begin), "jobs/s");
    worker.stop();
  }
}

}  // namespace fermata::bench
