#include "adapters/postgres/pool.h"

#include <utility>

namespace fermata::postgres {

std::unique_ptr<Connection> Pool::take() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return !free_.empty() || left_ > 0; });
  if (free_.empty()) {
    --left_;
    return std::make_unique<Connection>(server_);
  }
  std::unique_ptr<Connection> taken = std::move(free_.back());
  free_.pop_back();
  return taken;
}

void Pool::give(std::unique_ptr<Connection> connection) {
  {
    std::lock_guard lock(mutex_);
    free_.push_back(std::move(connection));
  }
  changed_.notify_one();
}

}  // namespace fermata::postgres
