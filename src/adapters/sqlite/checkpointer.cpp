#include "adapters/sqlite/checkpointer.h"

namespace fermata::sqlite {

CheckpointProgress passive_checkpoint(Database& database) {
  CheckpointProgress progress;
  // A failure moves nothing and harms nothing: the log keeps everything until the next attempt.
  int result = sqlite3_wal_checkpoint_v2(database.handle(), nullptr, SQLITE_CHECKPOINT_PASSIVE,
                                         &progress.log_pages, &progress.moved_pages);
  return result == SQLITE_OK ? progress : CheckpointProgress{};
}

Checkpointer::Checkpointer(std::unique_ptr<Database> database, int log_pages)
    : database_(std::move(database)), log_pages_(log_pages), thread_([this] { work(); }) {}

Checkpointer::~Checkpointer() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void Checkpointer::log_grew(int pages) {
  if (pages < asked_at_) asked_at_ = 0;  // the log was begun again
  if (pages < asked_at_ + log_pages_) return;
  asked_at_ = pages;
  {
    std::lock_guard lock(mutex_);
    wanted_ = true;
  }
  changed_.notify_one();
}

void Checkpointer::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return wanted_ || stopping_; });
    if (stopping_) return;
    wanted_ = false;
    lock.unlock();
    checkpoint();
    lock.lock();
  }
}

void Checkpointer::checkpoint() {
  // Each attempt moves what was committed during the one before; they get shorter unless the disk
  // is slower than the writer, and then the writer's share is what slows it down to the disk.
  constexpr int attempts = 4;
  for (int i = 0; i < attempts; ++i) {
    CheckpointProgress progress = passive_checkpoint(*database_);
    if (progress.log_pages - progress.moved_pages < log_pages_ / 8) break;
  }
  rest_.store(true, std::memory_order_release);
}

}  // namespace fermata::sqlite
