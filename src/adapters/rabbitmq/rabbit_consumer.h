#pragma once
#include <atomic>
#include <deque>
#include <mutex>
#include <thread>
#include <unordered_map>

#include "adapters/rabbitmq/bell.h"
#include "adapters/rabbitmq/rabbit_options.h"
#include "ports/bus.h"

namespace fermata {

/// Takes messages on a connection and a thread of its own (C-53). A delivery is the broker's until
/// it is acknowledged; with the connection everything that is not comes to somebody again.
class RabbitConsumer {
 public:
  struct Callbacks {
    std::function<void()> arrived;
    std::function<void()> dropped;  ///< all deliveries that are not acknowledged are gone
    std::function<void(const std::string& trouble)> changed;  ///< empty: it is up
  };
  RabbitConsumer(const RabbitOptions& options, Callbacks callbacks);
  ~RabbitConsumer();

  std::vector<BusDelivery> pull(size_t most);
  void acknowledge(uint64_t delivery);
  /// Gives everything back and begins again after the pause.
  void rest(Duration pause);
  uint64_t redelivered() const { return redelivered_; }

 private:
  void run();
  Outcome<void> subscribe(RabbitConnection& connection);
  void serve(RabbitConnection& connection);
  bool take(RabbitConnection& connection);
  bool acknowledge_some(RabbitConnection& connection);
  void keep(const amqp_envelope_t& envelope);
  void drop_all();

  const RabbitOptions& options_;
  const Callbacks callbacks_;
  Bell bell_;
  std::atomic<bool> stopping_{false};
  std::atomic<uint64_t> redelivered_{0};

  std::mutex mutex_;  ///< for the following
  std::deque<BusDelivery> arrived_;
  std::unordered_map<uint64_t, uint64_t> tags_;  ///< of deliveries of this connection
  std::vector<uint64_t> to_acknowledge_;         ///< tags
  uint64_t next_id_ = 1;
  std::optional<Duration> rest_;

  std::string trouble_;  ///< of its thread alone
  std::thread thread_;
};

}  // namespace fermata
