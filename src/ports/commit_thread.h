#pragma once
#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "ports/store.h"

namespace fermata {

/// Makes batches durable on a thread of its own, so that the next one can be decided meanwhile.
/// What was submitted is written, also when this ends. For stores whose commits take time.
class CommitThread {
 public:
  using Write = std::function<std::vector<CommitOutcome>(const CommitBatch&)>;
  /// A batch of no more than `at_once_max` parts is written on the thread that submits it: where a
  /// commit is short, handing it over and being woken again would take longer than what could be
  /// decided in the meantime.
  explicit CommitThread(Write write, size_t at_once_max = 0);
  ~CommitThread();
  CommitThread(const CommitThread&) = delete;
  CommitThread& operator=(const CommitThread&) = delete;

  void submit(CommitBatch batch);
  std::optional<CommitAnswer> harvest();
  void on_answer(std::function<void()> ring);
  /// True while the thread may be writing.
  bool busy() const { return busy_.load(std::memory_order_acquire); }

 private:
  void work();
  CommitAnswer written(CommitBatch batch) const;

  const Write write_;
  const size_t at_once_max_;
  std::atomic<bool> busy_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<CommitBatch> batch_;    ///< to be written
  std::optional<CommitAnswer> answer_;  ///< to be harvested
  std::function<void()> ring_;
  bool stopping_ = false;
  std::thread thread_;  ///< last: it uses all of the above
};

}  // namespace fermata
