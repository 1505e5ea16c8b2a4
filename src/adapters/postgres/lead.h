#pragma once
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "adapters/postgres/connection.h"

namespace fermata::postgres {

/// The lease by which one process leads a schema. Its fence is the epoch of the lead: every
/// statement that writes names it, so one that was stopped and goes on after another has taken over
/// writes nothing.
class Lead {
 public:
  struct Settings {
    std::string holder;
    Duration lease;
    std::function<void(uint64_t epoch)> changed;  ///< 0 when it is lost
    std::function<void(const Error&)> lost;       ///< once, after that
  };
  Lead(const Server& server, Settings settings);
  ~Lead();
  Lead(const Lead&) = delete;
  Lead& operator=(const Lead&) = delete;

  Outcome<bool> take();
  Outcome<std::string> holder();

 private:
  void renew();
  /// False when another process has it.
  Outcome<bool> renew_once();

  const Settings settings_;
  std::mutex mutex_;
  Connection connection_;
  std::condition_variable changed_;
  uint64_t epoch_ = 0;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace fermata::postgres
