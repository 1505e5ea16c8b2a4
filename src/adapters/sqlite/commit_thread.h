#pragma once
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "adapters/sqlite/writer.h"

namespace fermata::sqlite {

/// Makes batches durable on a thread of its own, so that the next one can be decided meanwhile.
/// What was submitted is written, also when this ends.
class CommitThread {
 public:
  explicit CommitThread(Writer& writer);
  ~CommitThread();
  CommitThread(const CommitThread&) = delete;
  CommitThread& operator=(const CommitThread&) = delete;

  /// A small batch is written at once, on the thread that submits it: handing it over and being
  /// woken again would take longer than what could be decided in the meantime.
  void submit(CommitBatch batch);
  std::optional<CommitAnswer> harvest();
  void on_answer(std::function<void()> ring);
  /// True while the thread may be writing.
  bool busy() const { return busy_.load(std::memory_order_acquire); }

 private:
  void work();

  Writer& writer_;
  std::atomic<bool> busy_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<CommitBatch> batch_;    ///< to be written
  std::optional<CommitAnswer> answer_;  ///< to be harvested
  std::function<void()> ring_;
  bool stopping_ = false;
  std::thread thread_;  ///< last: it uses all of the above
};

}  // namespace fermata::sqlite
