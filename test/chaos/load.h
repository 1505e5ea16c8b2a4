#pragma once
#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "test/chaos/server_process.h"

namespace fermata::test {

/// Starts runs of the workflow `chaos` from a few threads until told to stop, each under an
/// idempotency key of its own, and remembers what was answered.
class Load {
 public:
  Load(int port, std::string body, int threads = 4);
  ~Load() { stop(); }
  void stop();

  std::vector<std::string> answered() const;  ///< ids of runs whose start was answered with 201
  /// Keys of starts that were refused with 503, with the code.
  std::map<std::string, std::string> refused() const;
  size_t unclear() const;  ///< starts that got no whole answer, or another one

 private:
  void work(int port, int thread);

  const std::string body_;
  std::atomic<bool> stopping_{false};
  mutable std::mutex mutex_;
  std::vector<std::string> answered_;
  std::map<std::string, std::string> refused_;
  size_t unclear_ = 0;
  std::vector<std::thread> threads_;
};

/// Asks until `holds` does; false after `seconds`.
bool await(int seconds, const std::function<bool()>& holds);
/// Empty when the run completed; else what it is instead.
std::string await_completed(int port, const std::string& id);
/// How often its history says that it ended.
size_t terminal_events(int port, const std::string& id);

}  // namespace fermata::test
