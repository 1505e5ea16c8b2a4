#pragma once
#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <thread>

namespace fermata::server {

/// Calls back after a while of real time, for callers that wait and streams that must show a sign
/// of life. Runs callbacks one by one on its own thread; they must not block.
class Deadlines {
 public:
  using Ticket = std::pair<std::chrono::steady_clock::time_point, uint64_t>;

  Deadlines();
  ~Deadlines();  ///< drops what is not yet due
  Deadlines(const Deadlines&) = delete;
  Deadlines& operator=(const Deadlines&) = delete;

  Ticket after(std::chrono::milliseconds delay, std::function<void()> callback);
  /// Drops what is not yet due; nothing is called back any more once it returns.
  void stop();
  /// A callback that is being made at this moment still finishes.
  void cancel(const Ticket& ticket);

 private:
  void run();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<Ticket, std::function<void()>> waiting_;
  uint64_t next_ = 1;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace fermata::server
