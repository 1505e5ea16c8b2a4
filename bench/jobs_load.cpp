#include <cstdio>
#include <cstdlib>
#include <deque>

#include "base/json.h"
#include "base/uuid.h"
#include "bench/connection.h"
#include "bench/cpu_time.h"
#include "bench/jobs.h"
#include "bench/served.h"
#include "bench/worker.h"

/// (a)–(c) Jobs that do nothing, from submit to result, fsync on.
namespace fermata::bench {

namespace {

using SteadyTime = std::chrono::steady_clock::time_point;

/// So many jobs by batches over HTTP, from two connections.
void submit_batches(uint16_t port, size_t jobs, size_t batch) {
  Value list = Value::array();
  for (size_t i = 0; i < batch; ++i)
    list.push(Value::object({{"topic", "noop"}, {"input", Value::object({{"order", i}})}}));
  const std::string body = to_json(Value::object({{"jobs", list}}));
  auto post = [&](size_t share) {
    Client client(port);
    for (size_t sent = 0; sent < share; sent += batch)
      if (client.post("/api/v1/jobs/batch", body).status != 200) std::exit(5);
  };
  std::thread other([&] { post(jobs / 2); });
  post(jobs - jobs / 2);
  other.join();
}

bool await_jobs(const Engine& engine, uint64_t count, double seconds) {
  auto begin = std::chrono::steady_clock::now();
  while (engine.feed.jobs_ended < count) {
    if (seconds_since(begin) > seconds) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

/// Calls `send` at an even rate; the time that it should have been called counts, not when it was.
void at_rate(double per_second, size_t total, const std::function<void(SteadyTime due)>& send) {
  auto begin = std::chrono::steady_clock::now();
  for (size_t i = 0; i < total; ++i) {
    auto due = begin + std::chrono::nanoseconds(
                           static_cast<int64_t>(static_cast<double>(i) / per_second * 1e9));
    std::this_thread::sleep_until(due);
    send(due);
  }
}

job::Command noop_job(Engine& engine, uint64_t number) {
  job::SubmitJob submit;
  submit.account = AccountId("default");
  submit.request.topic = job::full_topic("noop");
  submit.request.input = job::Payload::of(Value::object({{"n", number}}));
  submit.submitter = "bench";
  return {JobId(uuid_v7(engine.clock.now(), number, number)), std::move(submit), "bench"};
}

}  // namespace

void measure_job_throughput(const Limits& limits) {
  constexpr size_t jobs = 60'000;
  section("(a) jobs in batches under 50 rules: 100 a request, claims of 256, one worker process");
  Engine engine(fresh_directory("jobs"));
  govern(engine);
  Served served(engine);
  WorkerProcess worker(served.port());
  double best = 0, commits = 0, cpu_us = 1e9;
  for (int round = 0; round < 4; ++round) {
    uint64_t ended = engine.feed.jobs_ended, before = engine.feed.job_commits;
    double cpu = process_cpu_seconds();
    auto begin = std::chrono::steady_clock::now();
    submit_batches(served.port(), jobs, 100);
    if (!await_jobs(engine, ended + jobs, 120)) std::printf("  NOT ALL ENDED\n");
    best = std::max(best, jobs / seconds_since(begin));
    cpu_us = std::min(cpu_us, (process_cpu_seconds() - cpu) * 1e6 / jobs);
    commits = static_cast<double>(engine.feed.job_commits - before) / jobs;
  }
  report("submit to result", best, "jobs/s",
         "synchronous=FULL, input and output of 12 bytes, 100 a request");
  report("processor time of server and submitter per job", cpu_us, "us");
  report("commits that a job is part of", commits, "");
  report("rows a second, to SQLite alone at 128 a commit", best * commits / limits.sqlite_per_s[2],
         "");
  floor_at_least("(a) jobs a second (J-95)", best, 20'000);
  floor_at_most("(a) commits per job (J-95)", commits, 2.05);
}

void measure_single_submits() {
  constexpr double rate = 3'000;
  constexpr size_t total = 15'000, connections = 32;
  section("(b) single submits over HTTP under 50 rules, 3,000 a second, a worker in process");
  Engine engine(fresh_directory("submits"));
  govern(engine);
  Served served(engine);
  InProcessWorker worker(engine.host());
  const std::string body = R"({"topic":"noop","input":{"order":17}})";
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<SteadyTime> due;
  std::vector<double> latency;
  bool over = false;
  auto client = [&] {
    Client connection(served.port());
    std::unique_lock lock(mutex);
    while (true) {
      changed.wait(lock, [&] { return over || !due.empty(); });
      if (due.empty()) return;
      SteadyTime wanted = due.front();
      due.pop_front();
      lock.unlock();
      int status = connection.post("/api/v1/jobs", body).status;
      double ms = seconds_since(wanted) * 1e3;
      if (status != 201) std::exit(5);
      lock.lock();
      latency.push_back(ms);
    }
  };
  std::vector<std::thread> clients;
  for (size_t i = 0; i < connections; ++i) clients.emplace_back(client);
  at_rate(rate, total, [&](SteadyTime wanted) {
    std::lock_guard lock(mutex);
    due.push_back(wanted);
    changed.notify_one();
  });
  {
    std::lock_guard lock(mutex);
    over = true;
  }
  changed.notify_all();
  for (std::thread& thread : clients) thread.join();
  worker.stop();
  report("p50", percentile(latency, 0.5), "ms");
  double p99 = percentile(latency, 0.99);
  report("p99", p99, "ms");
  floor_at_most("(b) p99 of a single submit (J-95)", p99, 10);
}

void measure_delivery() {
  constexpr double rate = 5'000;
  constexpr size_t total = 25'000;
  section("(c) from submit to a claim that waits, 50 rules, 5,000 a second, in process");
  Engine engine(fresh_directory("delivery"));
  govern(engine);
  std::vector<SteadyTime> due(total + 1);
  std::vector<double> latency;
  InProcessWorker::Options options;
  options.on_job = [&](const Value& job) {
    auto number = static_cast<size_t>(job.get("input").get("n").as_integer());
    latency.push_back(seconds_since(due[number]) * 1e3);
  };
  InProcessWorker worker(engine.host(), std::move(options));
  uint64_t number = 0;
  at_rate(rate, total, [&](SteadyTime wanted) {
    due[++number] = wanted;
    if (!engine.host().submit_job(noop_job(engine, number), [](const auto&) {})) std::exit(5);
  });
  await_jobs(engine, total, 60);
  worker.stop();
  double p50 = percentile(latency, 0.5), p99 = percentile(latency, 0.99);
  report("p50, the durable submit included", p50, "ms");
  report("p99", p99, "ms");
  floor_at_most("(c) p50 to a waiting claim (J-95)", p50, 2);
  floor_at_most("(c) p99 to a waiting claim (J-95)", p99, 10);
}

}  // namespace fermata::bench
