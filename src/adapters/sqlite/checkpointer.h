#pragma once
#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>

#include "adapters/sqlite/database.h"

namespace fermata::sqlite {

/// Moves what is committed from the log into the database file, on its own thread and connection,
/// so that the writer does not stand still for it. Under constant load such a checkpoint never
/// reaches the end of the log; when only a small rest is left the writer is asked to move that
/// rest between two batches, after which the log is used again from its beginning.
class Checkpointer {
 public:
  Checkpointer(std::unique_ptr<Database> database, int log_pages);
  ~Checkpointer();
  Checkpointer(const Checkpointer&) = delete;
  Checkpointer& operator=(const Checkpointer&) = delete;

  /// Told by the writer after every commit how long the log is.
  void log_grew(int pages);
  /// True once when the writer shall finish a checkpoint before its next transaction.
  bool take_rest() { return rest_.exchange(false, std::memory_order_acq_rel); }

 private:
  void work();
  void checkpoint();

  const std::unique_ptr<Database> database_;
  const int log_pages_;
  int asked_at_ = 0;  ///< of the writer's thread: the log's length when it last asked
  std::atomic<bool> rest_ = false;

  std::mutex mutex_;
  std::condition_variable changed_;
  bool wanted_ = false;
  bool stopping_ = false;
  std::thread thread_;  ///< last: it uses all of the above
};

/// What a checkpoint has done: pages in the log, and how many of them are in the database file.
struct CheckpointProgress {
  int log_pages = 0;
  int moved_pages = 0;
};
CheckpointProgress passive_checkpoint(Database& database);

}  // namespace fermata::sqlite
