#pragma once
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace fermata::server {

/// A few threads for what may wait for the disk, so that the server's own thread never does.
class WorkPool {
 public:
  WorkPool(size_t threads, size_t queue_max);
  ~WorkPool();  ///< runs what is queued, then joins
  WorkPool(const WorkPool&) = delete;
  WorkPool& operator=(const WorkPool&) = delete;

  /// False when the queue is full; then nothing happens.
  [[nodiscard]] bool submit(std::function<void()> work);
  /// For work that answers something already accepted: goes in even when the queue is full. Its
  /// amount is bounded by those who are waiting.
  void submit_owed(std::function<void()> work);
  size_t queued() const;

 private:
  void run();

  const size_t queue_max_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> queue_;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace fermata::server
