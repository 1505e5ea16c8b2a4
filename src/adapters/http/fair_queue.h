#pragma once
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>

#include "base/id.h"

namespace fermata::http {

/// Who may start next: first come, first served within an account, and one each in turn between
/// accounts, so an account that queues ten thousand calls delays another by one call at most. For
/// one thread; holds numbers only, the calls themselves stay with the caller.
class FairQueue {
 public:
  struct Limits {
    size_t per_account_max;
    size_t total_max;
  };
  explicit FairQueue(Limits limits) : limits_(limits) {}

  /// Numbers of one account grow from push to push.
  void push(const AccountId& account, uint64_t number);
  /// The next that the limits allow to run, counted as running from now on.
  std::optional<uint64_t> start();
  /// One of the account's running ones has ended.
  void finish(const AccountId& account);
  /// Takes back one that waits; false when it does not wait here.
  bool remove(const AccountId& account, uint64_t number);
  size_t waiting() const { return waiting_; }
  size_t running() const { return running_; }
  /// Accounts with something waiting or running: nothing is kept for the others.
  size_t accounts() const { return lanes_.size(); }

 private:
  struct Lane {
    std::set<uint64_t> waiting;
    size_t running = 0;
    bool in_turn = false;  ///< listed in turn_, at most once
  };
  using Lanes = std::map<AccountId, Lane>;

  bool can_start(const Lane& lane) const;
  void settle(Lanes::iterator at);

  const Limits limits_;
  Lanes lanes_;
  std::deque<AccountId> turn_;
  size_t waiting_ = 0;
  size_t running_ = 0;
};

}  // namespace fermata::http
