#include "adapters/sqlite/read_pool.h"

namespace fermata::sqlite {

Outcome<std::unique_ptr<ReadConnection>> ReadPool::take() {
  {
    std::unique_lock lock(mutex_);
    returned_.wait(lock, [&] { return !idle_.empty() || opened_ < most_; });
    if (!idle_.empty()) {
      auto connection = std::move(idle_.back());
      idle_.pop_back();
      return connection;
    }
    ++opened_;
  }
  auto opened = Database::open(file_, Database::Mode::read);
  Outcome<void> tuned = opened ? (*opened)->run("PRAGMA cache_size = -4096") : Outcome<void>{};
  if (opened && tuned) return std::make_unique<ReadConnection>(*std::move(opened));
  {
    std::lock_guard lock(mutex_);
    --opened_;
  }
  returned_.notify_one();
  return Failure{opened ? std::move(tuned).error() : std::move(opened).error()};
}

void ReadPool::give_back(std::unique_ptr<ReadConnection> connection) {
  {
    std::lock_guard lock(mutex_);
    idle_.push_back(std::move(connection));
  }
  returned_.notify_one();
}

}  // namespace fermata::sqlite
