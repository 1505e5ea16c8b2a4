#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>

#include "base/json.h"
#include "base/uuid.h"
#include "bench/cpu_time.h"
#include "bench/jobs.h"
#include "bench/worker.h"

/// (d), (e) Many jobs that wait, and workers that wait (J-97).
namespace fermata::bench {

namespace {

/// A million, or what FERMATA_BENCH_JOBS says.
size_t queue_size() {
  const char* given = std::getenv("FERMATA_BENCH_JOBS");
  return given ? std::strtoul(given, nullptr, 10) : 1'000'000;
}

/// Submits without a limit but `outstanding`; gives jobs a second.
double fill(Engine& engine, size_t jobs) {
  constexpr size_t outstanding = 4'096;
  std::atomic<size_t> answered{0};
  job::SubmitJob submit;
  submit.account = AccountId("default");
  submit.request.topic = job::full_topic("noop");
  submit.request.input = job::Payload::of(Value::object({{"order", 17}}));
  submit.submitter = "bench";
  auto begin = std::chrono::steady_clock::now();
  for (size_t sent = 0; sent < jobs;) {
    if (sent - answered >= outstanding) {
      std::this_thread::sleep_for(std::chrono::microseconds(200));
      continue;
    }
    job::Command command{JobId(uuid_v7(engine.clock.now(), sent + 1, sent + 1)), submit, "bench"};
    bool taken = engine.host().submit_job(std::move(command), [&](const Outcome<JobTold>& told) {
      if (!told) std::exit(1);
      ++answered;
    });
    if (taken) ++sent;
  }
  while (answered < jobs) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return static_cast<double>(jobs) / seconds_since(begin);
}

/// Claims and results a second while the queue holds what it holds.
double claim_rate(Engine& engine, const std::string& name, uint64_t jobs) {
  InProcessWorker::Options options;
  options.name = name;
  uint64_t before = engine.feed.jobs_ended;
  auto begin = std::chrono::steady_clock::now();
  InProcessWorker worker(engine.host(), std::move(options));
  while (engine.feed.jobs_ended - before < jobs && seconds_since(begin) < 60)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  double seconds = seconds_since(begin);
  uint64_t done = engine.feed.jobs_ended - before;
  worker.stop();
  // What it still holds is reported before it goes.
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  return static_cast<double>(done) / seconds;
}

long wake_ups() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_nvcsw;
}

constexpr double rest_seconds = 10;

struct Rest {
  double share_of_core = 0;
  double wakes_per_second = 0;
};

Rest at_rest() {
  double cpu = process_cpu_seconds();
  long wakes = wake_ups();
  auto begin = std::chrono::steady_clock::now();
  std::this_thread::sleep_for(std::chrono::duration<double>(rest_seconds));
  double seconds = seconds_since(begin);
  return {(process_cpu_seconds() - cpu) / seconds,
          // Its own sleep is one of them.
          static_cast<double>(wake_ups() - wakes - 1) / seconds};
}

}  // namespace

void measure_queue() {
  size_t jobs = queue_size();
  section("(d) " + std::to_string(jobs) + " queued jobs");
  std::filesystem::path directory = fresh_directory("queue");
  double short_queue = 0;
  {
    Engine engine(directory);
    for (int round = 0; round < 3; ++round) {
      fill(engine, 20'000);
      short_queue =
          std::max(short_queue, claim_rate(engine, "first-" + std::to_string(round), 15'000));
    }
    uint64_t before = resident_bytes();
    double rate = fill(engine, jobs);
    report("submits", rate, "/s", "4,096 under way, in process");
    double each = static_cast<double>(resident_bytes() - before) / static_cast<double>(jobs);
    report("memory each, the cache of 20,000 jobs included", each, "bytes");
    floor_at_most("(d) bytes of memory each (J-97)", each, 400);
  }
  Engine engine(directory);
  report("restart to ready", engine.open_seconds, "s");
  floor_at_most("(d) seconds until ready (J-97)", engine.open_seconds, 5);
  double long_queue = 0;
  for (int round = 0; round < 3; ++round)
    long_queue =
        std::max(long_queue, claim_rate(engine, "second-" + std::to_string(round), 15'000));
  report("claims and results, short queue", short_queue, "/s");
  report("claims and results, this queue", long_queue, "/s");
  floor_at_least("(d) claims, this to a short queue (J-97)", long_queue / short_queue, 0.9);
}

void measure_idle_workers() {
  constexpr int workers = 100;
  section("(e) at rest, for 10 seconds each");
  Engine engine(fresh_directory("idle"));
  // A turn or two to settle after the start.
  std::this_thread::sleep_for(std::chrono::seconds(1));
  Rest alone = at_rest();
  report("without workers", alone.share_of_core * 100, "% of a core");
  report("without workers, wake-ups", alone.wakes_per_second, "/s");
  std::vector<std::unique_ptr<InProcessWorker>> all;
  for (int i = 0; i < workers; ++i) {
    InProcessWorker::Options options;
    options.name = "idle-" + std::to_string(i);
    all.push_back(std::make_unique<InProcessWorker>(engine.host(), std::move(options)));
  }
  std::this_thread::sleep_for(std::chrono::seconds(1));
  Rest waited_on = at_rest();
  report("100 workers with a claim each", waited_on.share_of_core * 100, "% of a core");
  floor_at_most("(e) % of a core with 100 workers (J-97)", waited_on.share_of_core * 100, 1);
  floor_at_most("(e) wake-ups a second without workers (J-97)", alone.wakes_per_second, 1);
  for (auto& worker : all) worker->stop();
}

}  // namespace fermata::bench
