#pragma once
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>

#include "adapters/nats/handles.h"
#include "ports/wire.h"

namespace fermata::nats {

/// What has come in and waits to be taken, and what was taken and waits to be settled. Safe from
/// several threads.
class Inbox {
 public:
  /// `prefix` stands before every subject that is heard; deliveries are told without it.
  Inbox(size_t plain_max, std::string prefix) : plain_max_(plain_max), prefix_(std::move(prefix)) {}

  /// A message that is to be settled, read by `consumer`.
  void take(const std::string& consumer, Message message);
  /// One that is not. False when too many wait: it is dropped.
  bool take_plain(Message message);
  /// One that the server has given up.
  void take_exhausted(Message message, const std::string& place, uint32_t deliveries);
  void confirm(WireConfirm confirm);
  Wire::News wait(size_t most, Duration patience);
  void wake();
  /// The message of a delivery, which is not known from then on; nothing when it was not.
  Message settle(uint64_t number);
  /// How many more the consumer may have under way.
  size_t room(const std::string& consumer, size_t most) const;
  /// Waits until it may have at least one, at most so long.
  void wait_for_room(const std::string& consumer, size_t most, Duration patience);
  /// Tells the server that somebody is still at what was taken some time ago.
  void keep_alive();
  /// What is not settled comes again: the connection it came by is gone.
  uint64_t redelivered() const;

 private:
  struct Held {
    Message message;
    std::string consumer;
    std::chrono::steady_clock::time_point touched;
  };
  WireDelivery delivery_of(natsMsg* message) const;

  const size_t plain_max_;
  const std::string prefix_;
  mutable std::mutex mutex_;
  std::condition_variable news_;
  std::condition_variable settled_;
  std::deque<WireDelivery> deliveries_;
  std::deque<WireConfirm> confirms_;
  std::map<uint64_t, Held> held_;
  std::map<std::string, size_t> under_way_;
  size_t plain_ = 0;
  bool woken_ = false;
  uint64_t last_number_ = 0;
  uint64_t redelivered_ = 0;
};

}  // namespace fermata::nats
