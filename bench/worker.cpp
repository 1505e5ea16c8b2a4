#include "bench/worker.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <deque>
#include <future>

#include "base/json.h"
#include "bench/connection.h"

namespace fermata::bench {

namespace {

constexpr int slots = 256;
constexpr int registrations = 2;

/// One registration. As the workers of the SDKs it claims on one connection and reports on
/// another, so that a claim waits while results are under way.
class Enrolled {
 public:
  Enrolled(uint16_t port, int number) : port_(port) {
    Client client(port);
    Value card = Value::object({{"worker_id", "bench-" + std::to_string(number)},
                                {"topics", Value::array({"*"})},
                                {"max_parallel", slots * 4}});
    auto registered = client.post("/api/v1/worker/register", to_json(card));
    if (registered.status != 200) {
      std::fprintf(stderr, "bench: worker: %s\n", registered.body.c_str());
      std::exit(5);
    }
    id_ = std::string(parse_json(registered.body)->get("registration_id").as_string());
  }

  [[noreturn]] void claim() {
    Client client(port_);
    for (int seq = 1;; ++seq) {
      auto claimed = client.post(
          "/api/v1/worker/claim",
          to_json(Value::object(
              {{"registration_id", id_}, {"seq", seq}, {"slots", slots}, {"wait_ms", 10'000}})));
      if (claimed.status != 200) std::exit(5);
      std::lock_guard lock(mutex_);
      claimed_.push_back(std::move(claimed.body));
      changed_.notify_one();
    }
  }

  [[noreturn]] void report() {
    Client client(port_);
    for (;;) {
      Value results = Value::array();
      const auto claimed = parse_json(next_claimed());  // outlives the loop over what is in it
      for (const Value& job : claimed->get("jobs").items())
        results.push(Value::object({{"job_id", job.get("job_id")},
                                    {"attempt", job.get("attempt")},
                                    {"fence", job.get("fence")},
                                    {"status", "succeeded"},
                                    {"output", Value::object({{"ok", true}})}}));
      if (results.size() == 0) continue;
      auto reported = client.post(
          "/api/v1/worker/results",
          to_json(Value::object({{"registration_id", id_}, {"results", std::move(results)}})));
      if (reported.status != 200) std::exit(5);
    }
  }

 private:
  std::string next_claimed() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !claimed_.empty(); });
    std::string body = std::move(claimed_.front());
    claimed_.pop_front();
    return body;
  }

  const uint16_t port_;
  std::string id_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::string> claimed_;  ///< answers whose jobs have not been done
};

}  // namespace

int serve_jobs(uint16_t port) {
  // Not longer than who measures.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  std::vector<std::unique_ptr<Enrolled>> workers;
  std::vector<std::thread> threads;
  for (int i = 0; i < registrations; ++i) {
    Enrolled& worker = *workers.emplace_back(std::make_unique<Enrolled>(port, i));
    threads.emplace_back([&worker] { worker.claim(); });
    threads.emplace_back([&worker] { worker.report(); });
  }
  for (std::thread& thread : threads) thread.join();
  return 0;
}

WorkerProcess::WorkerProcess(uint16_t port) {
  std::string number = std::to_string(port);
  pid_ = fork();
  if (pid_ != 0) return;
  execl("/proc/self/exe", "fermata_bench", "worker", number.c_str(), nullptr);
  _exit(5);
}

WorkerProcess::~WorkerProcess() {
  if (pid_ <= 0) return;
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

InProcessWorker::InProcessWorker(Host& host, Options options)
    : host_(host),
      options_(std::move(options)),
      id_("reg-" + options_.name),
      output_(job::Payload::of(Value::object({{"ok", true}}))) {
  fleet::WorkerCard card;
  card.worker = WorkerId(options_.name);
  card.topics = {"*"};
  card.max_parallel = options_.slots * 2;
  fleet::normalize(card);
  bool taken =
      host_.with_workers([card, id = id_](Workers& workers) { workers.enroll(id, card, {}); });
  if (!taken) std::exit(5);
  claim();
}

/// Gives back what it holds, and waits until nobody would call it any more.
InProcessWorker::~InProcessWorker() {
  stopping_ = true;
  // Once to go, and once more for what a claim that was answered meanwhile has sent.
  for (int round = 0; round < 2; ++round) {
    auto heard = std::make_shared<std::promise<void>>();
    auto leave = [id = id_, heard](Workers& workers) {
      (void)workers.dismiss(id);
      heard->set_value();
    };
    // An engine that stops has told everybody who waits.
    if (host_.with_workers(leave)) heard->get_future().wait();
  }
}

void InProcessWorker::claim() {
  uint64_t seq = ++seq_;
  bool taken = host_.with_workers([this, seq](Workers& workers) {
    workers.claim(id_, seq, options_.slots, 10'000, [this](Outcome<Workers::Claimed> claimed) {
      if (!claimed) return;
      if (!stopping_) claim();
      done(std::move(claimed->jobs));
    });
  });
  // The engine is stopping, or its queue is full: then it has other worries.
  if (!taken) stopping_ = true;
}

void InProcessWorker::done(std::vector<Value> jobs) {
  if (jobs.empty()) return;
  std::vector<ReportedResult> results;
  for (const Value& job : jobs) {
    if (options_.on_job) options_.on_job(job);
    ReportedResult result;
    result.job = JobId(std::string(job.get("job_id").as_string()));
    result.fence = static_cast<uint64_t>(job.get("fence").as_integer());
    result.attempt = static_cast<uint32_t>(job.get("attempt").as_integer());
    result.report.status = job::AttemptOutcome::succeeded;
    result.report.output = output_;
    results.push_back(std::move(result));
  }
  bool taken = host_.with_workers([id = id_, results](Workers& workers) {
    workers.report(id, results, [](const Outcome<std::vector<job::Answer>>&) {});
  });
  if (!taken) stopping_ = true;
}

}  // namespace fermata::bench
