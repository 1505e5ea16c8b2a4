#pragma once
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "adapters/postgres/connection.h"

namespace fermata::postgres {

/// By which one process leads a schema: a lease whose fence is the epoch of the lead, and beside it
/// an advisory lock of the session.
///
/// The fence is the truth: every statement that writes names it and locks its row against a change,
/// so one that was stopped and goes on after another has taken over writes nothing, and who takes
/// over waits for what is under way. The lock is only news: PostgreSQL ends the session of a dead
/// process at once, and who then gets the lock need not wait for the lease to run out. Where a lock
/// cannot be held (a pooler, several hosts) the lease alone decides.
class Lead {
 public:
  struct Settings {
    std::string holder;
    Duration lease;
    std::function<void(uint64_t epoch)> changed;  ///< 0 when it is lost
    std::function<void(const Error&)> lost;       ///< once, after that
  };
  /// Who was seen to lead.
  struct Seen {
    std::string holder;
    uint64_t fence = 0;
    bool serving = false;  ///< it takes requests
  };
  Lead(const Server& server, Settings settings);
  ~Lead();
  Lead(const Lead&) = delete;
  Lead& operator=(const Lead&) = delete;

  /// Tries once. True when this process leads by now.
  Outcome<bool> take();
  /// Looks who leads, without trying.
  Outcome<Seen> watch();
  /// What was seen last.
  Seen seen();
  /// Who leads by now, for messages; empty for nobody.
  Outcome<std::string> holder();
  /// Tells the others that this process takes requests.
  Outcome<void> serve();
  /// Gives it back, so that another need not wait for the lease to run out.
  void give_back();

 private:
  struct Look {
    bool free = false;     ///< given back, or run out
    bool by_lock = false;  ///< led by one that held the lock in this life of the server
  };
  Outcome<void> connect();
  Outcome<Look> look();
  Outcome<bool> raise();
  Outcome<bool> raise_in_transaction();
  Outcome<void> try_lock();
  void unlock();
  void renew();
  /// False when another process has it.
  Outcome<bool> renew_once();

  const Settings settings_;
  const bool one_host_;
  std::mutex mutex_;
  Connection connection_;
  std::condition_variable changed_;
  Seen seen_;
  uint64_t epoch_ = 0;
  bool direct_ = false;  ///< no pooler stands between: a lock is this session's
  bool locked_ = false;  ///< by this session
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace fermata::postgres
