#pragma once
#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

#include "adapters/postgres/writer.h"

namespace fermata::postgres {

/// Makes batches durable while the partition decides the next ones.
class CommitThread {
 public:
  explicit CommitThread(Writer& writer);
  ~CommitThread();
  CommitThread(const CommitThread&) = delete;
  CommitThread& operator=(const CommitThread&) = delete;

  void submit(CommitBatch batch);
  std::optional<CommitAnswer> harvest();
  void on_answer(std::function<void()> ring);

 private:
  void work();

  Writer& writer_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stopping_ = false;
  bool busy_ = false;
  std::optional<CommitBatch> batch_;
  std::optional<CommitAnswer> answer_;
  std::function<void()> ring_;
  std::thread thread_;  ///< last: it uses the others
};

}  // namespace fermata::postgres
