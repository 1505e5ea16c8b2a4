#include "adapters/sqlite/commit_thread.h"

namespace fermata::sqlite {

namespace {

constexpr size_t small_batch_roots = 4;

}  // namespace

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
  bool small = batch.size() <= small_batch_roots;
  std::vector<CommitOutcome> outcomes;
  if (small) outcomes = writer_.commit(batch);
  {
    std::lock_guard lock(mutex_);
    check(!busy_ && !answer_);
    if (small) {
      answer_ = CommitAnswer{std::move(batch), std::move(outcomes)};
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
    busy_.store(false, std::memory_order_release);
    if (ring_) ring_();
  }
}

}  // namespace fermata::sqlite
