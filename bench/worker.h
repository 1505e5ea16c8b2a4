#pragma once
#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <functional>

#include "bench/engine.h"

namespace fermata::bench {

/// The work of a worker process: registers over HTTP, does every job at once and reports, until the
/// server is gone. Gives the exit code.
int serve_jobs(uint16_t port);

/// This program once more, as a worker (`fermata_bench worker PORT`).
class WorkerProcess {
 public:
  explicit WorkerProcess(uint16_t port);
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

 private:
  pid_t pid_ = -1;
};

/// A worker inside the engine's process: claims and reports without HTTP.
class InProcessWorker {
 public:
  struct Options {
    std::string name = "inside";
    uint32_t slots = 256;
    /// Called on the engine's thread with each job that is delivered.
    std::function<void(const Value& job)> on_job{};
  };
  InProcessWorker(Host& host, Options options);
  explicit InProcessWorker(Host& host) : InProcessWorker(host, Options()) {}
  ~InProcessWorker();
  InProcessWorker(const InProcessWorker&) = delete;
  InProcessWorker& operator=(const InProcessWorker&) = delete;
  /// No more is claimed; what is under way is reported.
  void stop() { stopping_ = true; }

 private:
  void claim();
  void done(std::vector<Value> jobs);

  Host& host_;
  const Options options_;
  const RegistrationId id_;
  const job::Payload output_;
  uint64_t seq_ = 0;
  std::atomic<bool> stopping_{false};
};

}  // namespace fermata::bench
