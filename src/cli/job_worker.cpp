#include "cli/job_worker.h"

#include "base/json.h"
#include "base/utf8.h"
#include "cli/remote.h"
#include "cli/task_process.h"

namespace fermata::cli {
namespace {

constexpr std::chrono::milliseconds retry_pause{500};
constexpr int64_t claim_wait_ms = 20'000;
constexpr size_t results_at_once = 256;
/// Larger outputs are put aside first; so many bytes of reports go together.
constexpr size_t output_inline_bytes_max = 1 << 20;
constexpr size_t report_bytes_at_once = 2 << 20;
constexpr size_t log_lines_at_once = 200;
constexpr size_t log_line_bytes_max = 8 << 10;
constexpr std::chrono::seconds log_pause{1};
// sysexits: EX_TEMPFAIL for what another attempt may cure.
constexpr int exit_retryable = 75;
constexpr int exit_fatal = 100;

Value error_value(std::string_view code, std::string message) {
  return Value::object({{"code", code}, {"message", std::move(message)}});
}

/// What a command wrote, as text: bytes that are none become the replacement character.
std::string readable(std::string_view bytes, size_t bytes_max) {
  constexpr std::string_view replacement = "\xef\xbf\xbd";
  std::string out;
  while (!bytes.empty()) {
    size_t size = utf8_sequence_size(bytes);
    std::string_view next = size == 0 ? replacement : bytes.substr(0, size);
    if (out.size() + next.size() > bytes_max) break;
    out += next;
    bytes.remove_prefix(std::max<size_t>(size, 1));
  }
  return out;
}

bool is_unknown(const Error& error) { return error.code == ErrorCode::registration_not_found; }
/// Worth another try with the same words.
bool is_passing(const Error& error) { return exit_of(error) == Exit::unavailable; }

}  // namespace

Outcome<void> JobWorker::start() {
  FERMATA_TRY_VOID(enroll());
  loops_.emplace_back([this] { claim_loop(); });
  loops_.emplace_back([this] { beat_loop(); });
  loops_.emplace_back([this] { report_loop(); });
  return {};
}

Value JobWorker::held() const {
  Value leases = Value::array();
  for (const auto& [job, running] : running_)
    leases.push(Value::object({{"job_id", job}, {"fence", running.fence}}));
  return leases;
}

Outcome<void> JobWorker::enroll() {
  Value topics = Value::array();
  for (const auto& [topic, command] : options_.tasks) topics.push(topic);
  Value capabilities = Value::array();
  for (const std::string& one : options_.capabilities) capabilities.push(one);
  Value body = Value::object({{"worker_id", options_.name},
                              {"pool", options_.pool},
                              {"topics", std::move(topics)},
                              {"max_parallel", options_.slots},
                              {"capabilities", std::move(capabilities)},
                              {"sdk", "fermata-cli"}});
  {
    std::lock_guard lock(mutex_);
    body.set("resume", held());
  }
  FERMATA_TRY(answer, client_.post("/worker/register", body));
  std::lock_guard lock(mutex_);
  registration_ = text_at(answer, "registration_id");
  heartbeat_ms_ = static_cast<int64_t>(number_at(answer, "heartbeat_ms"));
  answered_seq_ = 0;
  cancel(answer.get("lost"));
  changed_.notify_all();
  return {};
}

bool JobWorker::recover(const std::string& registration, const Error& error) {
  {
    std::unique_lock lock(mutex_);
    if (done_) return false;
    if (registration != registration_) return true;
    if (!is_unknown(error) && !is_passing(error)) {
      give_up(error);
      return false;
    }
    if (is_passing(error)) {
      changed_.wait_for(lock, retry_pause);
      return true;
    }
  }
  auto again = enroll();
  if (again) return true;
  std::unique_lock lock(mutex_);
  if (is_passing(again.error())) {
    changed_.wait_for(lock, retry_pause);
    return true;
  }
  give_up(again.error());
  return false;
}

/// With the lock: nobody takes what it does any longer.
void JobWorker::give_up(const Error& error) {
  failure_ = error;
  draining_ = true;
  for (auto& [job, running] : running_) *running.cancelled = true;
  results_.clear();
  running_.clear();
  changed_.notify_all();
}

void JobWorker::claim_loop() {
  for (;;) {
    std::string registration;
    uint64_t seq = 0;
    size_t free = 0;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return draining_ || running_.size() < options_.slots; });
      if (draining_) return;
      registration = registration_;
      seq = answered_seq_ + 1;
      free = options_.slots - running_.size();
    }
    // An answer that got lost is asked for again under its number.
    auto answer = client_.post("/worker/claim", Value::object({{"registration_id", registration},
                                                               {"seq", seq},
                                                               {"slots", free},
                                                               {"wait_ms", claim_wait_ms}}));
    if (!answer) {
      if (!recover(registration, answer.error())) return;
      continue;
    }
    std::lock_guard lock(mutex_);
    if (registration != registration_) continue;
    answered_seq_ = seq;
    take(*answer);
  }
}

/// With the lock.
void JobWorker::take(const Value& answer) {
  cancel(answer.get("cancels"));
  for (const Value& job : answer.get("jobs").items()) {
    auto cancelled = std::make_shared<std::atomic<bool>>(false);
    running_[text_at(job, "job_id")] = {number_at(job, "fence"), cancelled};
    ++threads_;
    std::thread([this, job, cancelled] { do_job(job, cancelled); }).detach();
  }
  if (answer.get("drain") == Value(true)) draining_ = true;
  changed_.notify_all();
}

/// With the lock.
void JobWorker::cancel(const Value& leases) {
  if (!leases.is_array()) return;
  for (const Value& lease : leases.items()) {
    auto found = running_.find(text_at(lease, "job_id"));
    if (found != running_.end() && found->second.fence == number_at(lease, "fence"))
      *found->second.cancelled = true;
  }
}

void JobWorker::do_job(Value job, std::shared_ptr<std::atomic<bool>> cancelled) {
  auto begun = std::chrono::steady_clock::now();
  Value report = report_of(job, *cancelled);
  put_aside(report, *cancelled);
  auto took = std::chrono::steady_clock::now() - begun;
  report.set("job_id", job.get("job_id"));
  report.set("attempt", job.get("attempt"));
  report.set("fence", job.get("fence"));
  report.set("execution_ms", std::chrono::duration_cast<std::chrono::milliseconds>(took).count());
  std::string line =
      text_at(job, "job_id") + " " + text_at(job, "topic") + ": " + text_at(report, "status");
  const Value& error = report.get("error");
  if (error.is_object()) line += ": " + text_at(error, "message");
  say(line);
  std::lock_guard lock(mutex_);
  --threads_;
  if (running_.contains(text_at(job, "job_id"))) results_.push_back(std::move(report));
  changed_.notify_all();
}

/// A large output goes before its report.
void JobWorker::put_aside(Value& report, const std::atomic<bool>& cancelled) {
  const Value* output = report.find("output");
  std::string text = output ? to_json(*output) : std::string();
  if (text.size() <= output_inline_bytes_max) return;
  Outcome<Value> put = client_.put("/worker/blobs", text);
  while (!put && is_passing(put.error()) && !cancelled) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, retry_pause);
    lock.unlock();
    put = client_.put("/worker/blobs", text);
  }
  report = put ? Value::object({{"status", "succeeded"}, {"output_blob", *std::move(put)}})
               : Value::object({{"status", "failed"},
                                {"error", error_value("result_too_large", put.error().message)}});
}

/// A large input lies beside the job.
Outcome<Value> JobWorker::input_of(const Value& job) {
  const Value& blob = job.get("input_blob");
  if (blob.is_object()) return client_.get("/worker/blobs/" + text_at(blob, "sha256"));
  const Value* input = job.find("input");
  return input ? *input : Value();
}

/// What a command writes to standard error becomes the log of its attempt: sent a second's worth at
/// a time, and never waited for longer than that takes.
class JobWorker::TaskLog {
 public:
  TaskLog(JobWorker& worker, const Value& job) : worker_(worker), job_(job) {}

  void add(std::string_view line) {
    lines_.push(readable(line, log_line_bytes_max));
    auto now = std::chrono::steady_clock::now();
    if (lines_.size() >= log_lines_at_once || now - sent_ >= log_pause) send();
  }
  void send() {
    if (lines_.size() == 0) return;
    sent_ = std::chrono::steady_clock::now();
    worker_.send_log(job_, std::exchange(lines_, Value::array()));
  }

 private:
  JobWorker& worker_;
  const Value& job_;
  Value lines_ = Value::array();
  std::chrono::steady_clock::time_point sent_ = std::chrono::steady_clock::now();
};

void JobWorker::send_log(const Value& job, Value lines) {
  std::string registration;
  {
    std::lock_guard lock(mutex_);
    registration = registration_;
  }
  auto sent = client_.post("/worker/jobs/" + url_escaped(text_at(job, "job_id")) + "/logs",
                           Value::object({{"registration_id", registration},
                                          {"fence", job.get("fence")},
                                          {"lines", std::move(lines)}}));
  // A log that is lost fails no job.
  if (!sent) say(text_at(job, "job_id") + ": its log was not taken: " + sent.error().message);
}

/// What the command made of the job.
Value JobWorker::report_of(const Value& job, const std::atomic<bool>& cancelled) {
  std::string topic = text_at(job, "topic");
  TaskOrder order;
  order.command = options_.tasks.at(topic);
  auto input = input_of(job);
  if (!input)
    return Value::object({{"status", "failed_retryable"},
                          {"error", error_value("input_unreadable", input.error().message)}});
  order.input = to_json(*input);
  order.environment = options_.environment;
  auto set = [&](std::string_view name, const std::string& value) {
    for (const char* prefix : {"FERMATA_JOB_", "FERMATA_"})
      order.environment.push_back(prefix + std::string(name) + "=" + value);
  };
  order.environment.push_back("FERMATA_JOB_ID=" + text_at(job, "job_id"));
  set("ATTEMPT", std::to_string(number_at(job, "attempt")));
  set("IDEMPOTENCY_KEY", text_at(job, "idempotency_key"));
  set("DEADLINE", text_at(job, "deadline_at"));
  order.environment.push_back("TRACEPARENT=" + text_at(job, "traceparent"));
  TaskLog log(*this, job);
  auto ended = run_task(order, cancelled, [&](std::string_view line) {
    say(text_at(job, "job_id") + " | " + std::string(line));
    log.add(line);
  });
  log.send();
  if (!ended)
    return Value::object({{"status", "failed_retryable"},
                          {"error", error_value("not_started", ended.error().message)}});
  if (cancelled) return Value::object({{"status", "cancelled"}});
  if (ended->exit_code == 0) {
    if (ended->too_large)
      return Value::object(
          {{"status", "failed"},
           {"error", error_value("result_too_large", "the command wrote more than 4 MiB")}});
    bool silent = ended->output.find_first_not_of(" \t\r\n") == std::string::npos;
    auto output = silent ? Outcome<Value>(Value()) : parse_json(ended->output);
    if (output) return Value::object({{"status", "succeeded"}, {"output", *std::move(output)}});
    return Value::object(
        {{"status", "failed"},
         {"error", error_value("output_not_json",
                               "the command did not write JSON: " + output.error().message)}});
  }
  const char* status = ended->exit_code == exit_retryable ? "failed_retryable"
                       : ended->exit_code == exit_fatal   ? "failed_fatal"
                                                          : "failed";
  std::string message = ended->last_words.empty()
                            ? "the command ended with " + std::to_string(ended->exit_code)
                            : readable(ended->last_words, log_line_bytes_max);
  return Value::object(
      {{"status", status},
       {"error", error_value("exit_" + std::to_string(ended->exit_code), std::move(message))}});
}

void JobWorker::beat_loop() {
  std::unique_lock lock(mutex_);
  bool told = false;
  for (;;) {
    // What is held is told at once when the worker begins to drain.
    changed_.wait_for(lock, std::chrono::milliseconds(heartbeat_ms_),
                      [&] { return done_ || (draining_ && !told); });
    if (done_) return;
    told = draining_;
    std::string registration = registration_;
    Value body = Value::object({{"registration_id", registration},
                                {"last_seq", answered_seq_},
                                {"draining", draining_},
                                {"leases", held()}});
    lock.unlock();
    auto answer = client_.post("/worker/heartbeat", body);
    if (!answer && !recover(registration, answer.error())) return;
    lock.lock();
    if (!answer || registration != registration_) continue;
    cancel(answer->get("lost"));
    cancel(answer->get("cancels"));
    if (answer->get("drain") == Value(true)) draining_ = true;
    changed_.notify_all();
  }
}

void JobWorker::report_loop() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] {
      return !results_.empty() || (draining_ && running_.empty() && threads_ == 0);
    });
    if (results_.empty()) break;
    Value batch = Value::array();
    size_t count = 0, bytes = 0;
    while (count < std::min(results_.size(), results_at_once) && bytes < report_bytes_at_once) {
      bytes += to_json(results_[count]).size();
      batch.push(results_[count++]);
    }
    std::string registration = registration_;
    lock.unlock();
    auto answer = client_.post(
        "/worker/results", Value::object({{"registration_id", registration}, {"results", batch}}));
    if (!answer && !recover(registration, answer.error())) {
      lock.lock();
      continue;
    }
    lock.lock();
    if (!answer) continue;
    drop_answered(answer->get("results"), count);
  }
  done_ = true;
  changed_.notify_all();
}

/// With the lock.
void JobWorker::drop_answered(const Value& answers, size_t count) {
  for (size_t i = 0; i < count && !results_.empty(); ++i) {
    Value report = std::move(results_.front());
    results_.pop_front();
    std::string job = text_at(report, "job_id");
    std::string word = i < answers.size() ? text_at(answers.items()[i], "answer") : "";
    if (word != "accepted" && word != "duplicate") say(job + ": the report was not taken: " + word);
    // The attempt is still open: it ends with what was wrong with its report.
    if (word == "invalid" && text_at(report, "status") != "failed") {
      report.erase("output");
      report.erase("output_blob");
      report.set("status", "failed");
      report.set("error", error_value("invalid_result", to_json(answers.items()[i].get("errors"))));
      results_.push_back(std::move(report));
    } else {
      running_.erase(job);
    }
  }
  changed_.notify_all();
}

void JobWorker::drain() {
  std::lock_guard lock(mutex_);
  draining_ = true;
  changed_.notify_all();
}

Outcome<void> JobWorker::wait() {
  for (std::thread& loop : loops_) loop.join();
  loops_.clear();
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return threads_ == 0; });
  if (failure_) return Failure{*failure_};
  std::string registration = registration_;
  lock.unlock();
  // Whether it is heard or not: after a lease the server knows as well.
  (void)client_.remove("/worker/registrations/" + url_escaped(registration));
  return {};
}

void JobWorker::say(const std::string& text) {
  std::lock_guard lock(terminal_mutex_);
  terminal_.err(text + "\n");
}

}  // namespace fermata::cli
