#pragma once
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "adapters/postgres/connection.h"

namespace fermata::postgres {

/// What a process that leads does beside its work: it chains the lines of audit that commits left
/// (C-23) and lets old marks of commits go (C-15).
class Upkeep {
 public:
  Upkeep(const Server& server, std::function<bool()> leads);
  ~Upkeep();
  Upkeep(const Upkeep&) = delete;
  Upkeep& operator=(const Upkeep&) = delete;

 private:
  void work();

  Connection connection_;
  const std::function<bool()> leads_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stopping_ = false;
  std::thread thread_;  ///< last: it uses the others
};

}  // namespace fermata::postgres
