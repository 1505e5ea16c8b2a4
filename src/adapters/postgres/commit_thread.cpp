#include "adapters/postgres/commit_thread.h"

#include <utility>

#include "base/check.h"

namespace fermata::postgres {

CommitThread::CommitThread(Writer& writer) : writer_(writer), thread_([this] { work(); }) {}

CommitThread::~CommitThread() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void CommitThread::submit(CommitBatch batch) {
  {
    std::lock_guard lock(mutex_);
    check(!busy_ && !answer_);
    batch_ = std::move(batch);
    busy_ = true;
  }
  changed_.notify_one();
}

std::optional<CommitAnswer> CommitThread::harvest() {
  std::lock_guard lock(mutex_);
  return std::exchange(answer_, std::nullopt);
}

void CommitThread::on_answer(std::function<void()> ring) {
  std::lock_guard lock(mutex_);
  ring_ = std::move(ring);
}

void CommitThread::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return batch_ || stopping_; });
    if (!batch_) return;
    CommitBatch batch = *std::exchange(batch_, std::nullopt);
    lock.unlock();
    std::vector<CommitOutcome> outcomes = writer_.commit(batch);
    lock.lock();
    answer_ = CommitAnswer{std::move(batch), std::move(outcomes)};
    busy_ = false;
    if (ring_) ring_();
  }
}

}  // namespace fermata::postgres
