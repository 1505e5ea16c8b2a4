#pragma once
#include <atomic>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <thread>

#include "cli/client.h"

namespace fermata::cli {

struct WorkerOptions {
  std::string name;
  std::string pool = "default";
  uint32_t slots = 1;
  std::map<std::string, std::string> tasks;  ///< command by topic
  std::vector<std::string> capabilities;
  std::vector<std::string> environment;  ///< of the commands
};

/// A worker that runs a shell command for each job. It registers, claims as many jobs as it has
/// free slots, keeps its leases alive and reports until each report is answered; a server that goes
/// away is waited for.
class JobWorker {
 public:
  JobWorker(const Client& client, WorkerOptions options, const Terminal& terminal)
      : client_(client), options_(std::move(options)), terminal_(terminal) {}

  /// Registers and begins to claim. Fails when the server refuses it.
  Outcome<void> start();
  /// Takes no more jobs, waits for those under way, and leaves. From another thread than the jobs'.
  void drain();
  /// Until it is drained, from here or by the server. The error when it was sent away.
  Outcome<void> wait();

 private:
  struct Running {
    uint64_t fence = 0;
    std::shared_ptr<std::atomic<bool>> cancelled;
  };
  Outcome<void> enroll();
  /// Registers anew unless somebody has done so since; false when the worker has to stop.
  bool recover(const std::string& registration, const Error& error);
  void give_up(const Error& error);
  void claim_loop();
  void take(const Value& answer);
  void do_job(Value job, std::shared_ptr<std::atomic<bool>> cancelled);
  class TaskLog;
  Outcome<Value> input_of(const Value& job);
  void send_log(const Value& job, Value lines);
  Value report_of(const Value& job, const std::atomic<bool>& cancelled);
  void put_aside(Value& report, const std::atomic<bool>& cancelled);
  void beat_loop();
  void report_loop();
  void drop_answered(const Value& answers, size_t count);
  void cancel(const Value& leases);
  void say(const std::string& text);
  Value held() const;  ///< with the lock

  const Client client_;
  const WorkerOptions options_;
  const Terminal& terminal_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::string registration_;
  uint64_t answered_seq_ = 0;
  int64_t heartbeat_ms_ = 10'000;
  bool draining_ = false;  ///< takes no more
  bool done_ = false;      ///< nothing is left to do
  std::optional<Error> failure_;
  std::map<std::string, Running> running_;
  std::deque<Value> results_;  ///< not answered yet
  size_t threads_ = 0;         ///< jobs whose thread has not ended
  std::vector<std::thread> loops_;
  std::mutex terminal_mutex_;
};

}  // namespace fermata::cli
