#pragma once
#include <atomic>
#include <deque>
#include <map>
#include <mutex>
#include <thread>

#include "adapters/rabbitmq/bell.h"
#include "adapters/rabbitmq/rabbit_options.h"
#include "ports/bus.h"

namespace fermata {

/// Publishes on a connection and a thread of its own: in order, persistent, mandatory, with
/// confirms (C-52). When the connection breaks everything that was handed over and not confirmed is
/// answered `lost` at once, also what was still to be sent: whoever publishes it again does so from
/// the first, and nothing overtakes.
class RabbitPublisher {
 public:
  struct Item {
    BusMessage message;
    std::string exchange = rabbit_exchange;
    /// The delivery that this is a copy of; 0: none. Copies are sent again by themselves.
    uint64_t copy_of = 0;
  };
  struct Callbacks {
    std::function<void(std::vector<BusConfirm>)> confirmed;
    std::function<void(uint64_t delivery)> copied;
    std::function<void(const std::string& trouble)> changed;  ///< empty: it is up
  };

  RabbitPublisher(const RabbitOptions& options, Callbacks callbacks);
  ~RabbitPublisher();

  void put(std::vector<Item> items);
  /// A copy whose delivery is gone need not be made.
  void forget_copies();

 private:
  using Outcome = BusConfirm::Outcome;
  struct Sent {
    Item item;
    bool returned = false;
  };
  void run();
  void serve(RabbitConnection& connection);
  bool send(RabbitConnection& connection, const Item& item);
  bool send_some(RabbitConnection& connection);
  bool read(RabbitConnection& connection);
  bool take_return(RabbitConnection& connection, const amqp_basic_return_t& returned);
  void settle(uint64_t tag, bool multiple);
  void lose_all(const std::string& why);
  void tell(std::vector<BusConfirm> confirms);

  const RabbitOptions& options_;
  const Callbacks callbacks_;
  Bell bell_;
  std::atomic<bool> stopping_{false};
  std::mutex mutex_;
  std::deque<Item> queue_;  ///< guarded by mutex_

  // Of its thread alone.
  std::map<uint64_t, Sent> sent_;  ///< by the broker's delivery tag
  uint64_t next_tag_ = 1;
  bool blocked_ = false;
  std::string trouble_;
  std::thread thread_;
};

}  // namespace fermata
