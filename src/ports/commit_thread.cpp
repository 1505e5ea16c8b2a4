#include "ports/commit_thread.h"

#include <chrono>
#include <utility>

#include "base/check.h"

namespace fermata {

CommitThread::CommitThread(Write write, size_t at_once_max)
    : write_(std::move(write)), at_once_max_(at_once_max), thread_([this] { work(); }) {}

CommitThread::~CommitThread() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void CommitThread::submit(CommitBatch batch) {
  bool at_once = batch.size() <= at_once_max_;
  std::optional<CommitAnswer> answer;
  if (at_once) answer = written(std::move(batch));
  {
    std::lock_guard lock(mutex_);
    check(!busy_ && !answer_);
    if (at_once) {
      answer_ = std::move(answer);
      return;
    }
    batch_ = std::move(batch);
    busy_.store(true, std::memory_order_release);
  }
  changed_.notify_one();
}

std::optional<CommitAnswer> CommitThread::harvest() {
  if (busy()) return std::nullopt;
  std::lock_guard lock(mutex_);
  return std::exchange(answer_, std::nullopt);
}

void CommitThread::on_answer(std::function<void()> ring) {
  std::lock_guard lock(mutex_);
  ring_ = std::move(ring);
}

CommitAnswer CommitThread::written(CommitBatch batch) const {
  using Clock = std::chrono::steady_clock;
  Clock::time_point begun = Clock::now();
  std::vector<CommitOutcome> outcomes = write_(batch);
  auto took = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - begun);
  return {std::move(batch), std::move(outcomes), took.count()};
}

void CommitThread::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return batch_ || stopping_; });
    if (!batch_) return;
    CommitBatch batch = *std::exchange(batch_, std::nullopt);
    lock.unlock();
    CommitAnswer answer = written(std::move(batch));
    lock.lock();
    answer_ = std::move(answer);
    busy_.store(false, std::memory_order_release);
    if (ring_) ring_();
  }
}

}  // namespace fermata
