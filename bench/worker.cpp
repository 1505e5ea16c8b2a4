#include "bench/worker.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "base/json.h"
#include "bench/connection.h"

namespace fermata::bench {

namespace {

constexpr int slots = 256;
constexpr int threads = 2;

/// Claims and reports in turn; two of them overlap.
void claim_and_report(uint16_t port, int number) {
  Client client(port);
  Value card = Value::object({{"worker_id", "bench-" + std::to_string(number)},
                              {"topics", Value::array({"*"})},
                              {"max_parallel", slots * 2}});
  auto registered = client.post("/api/v1/worker/register", to_json(card));
  if (registered.status != 200) {
    std::fprintf(stderr, "bench: worker: %s\n", registered.body.c_str());
    std::exit(5);
  }
  std::string id(parse_json(registered.body)->get("registration_id").as_string());
  for (int seq = 1;; ++seq) {
    auto claimed = client.post(
        "/api/v1/worker/claim",
        to_json(Value::object(
            {{"registration_id", id}, {"seq", seq}, {"slots", slots}, {"wait_ms", 10'000}})));
    if (claimed.status != 200) std::exit(5);
    Value answer = *parse_json(claimed.body);
    if (answer.get("jobs").size() == 0) continue;
    Value results = Value::array();
    for (const Value& job : answer.get("jobs").items())
      results.push(Value::object({{"job_id", job.get("job_id")},
                                  {"attempt", job.get("attempt")},
                                  {"fence", job.get("fence")},
                                  {"status", "succeeded"},
                                  {"output", Value::object({{"ok", true}})}}));
    auto reported = client.post(
        "/api/v1/worker/results",
        to_json(Value::object({{"registration_id", id}, {"results", std::move(results)}})));
    if (reported.status != 200) std::exit(5);
  }
}

}  // namespace

int serve_jobs(uint16_t port) {
  // Not longer than who measures.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  std::vector<std::thread> all;
  for (int i = 0; i < threads; ++i) all.emplace_back([port, i] { claim_and_report(port, i); });
  for (std::thread& thread : all) thread.join();
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
  bool taken = host_.with_workers([this, results](Workers& workers) {
    workers.report(id_, results, [this](Outcome<std::vector<job::Answer>> answers) {
      if (answers) reported_ += answers->size();
    });
  });
  if (!taken) stopping_ = true;
}

}  // namespace fermata::bench
