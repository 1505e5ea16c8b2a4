#pragma once
#include <condition_variable>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "adapters/rabbitmq/rabbit_consumer.h"
#include "adapters/rabbitmq/rabbit_publisher.h"
#include "ports/bus.h"

namespace fermata {

/// RabbitMQ as a bus (C-50 to C-53): one connection publishes, another consumes, each on a thread
/// of its own, and both come back by themselves.
class RabbitBus final : public Bus {
 public:
  /// Connects and declares before it returns. Fails with invalid_setting for what is unsafe and
  /// would stay so, and with io_failed when nobody answered for `start_patience` (C-6).
  static Outcome<std::unique_ptr<RabbitBus>> open(RabbitOptions options);
  ~RabbitBus() override;

  void publish(std::vector<BusMessage> batch) override;
  std::vector<BusConfirm> confirms() override;
  size_t room() const override;
  std::vector<BusDelivery> pull(size_t most) override;
  void settle(uint64_t id, BusSettlement settlement) override;
  void rest(Duration pause) override;
  BusHealth health() const override;
  /// Of the broker.
  const std::string& version() const { return version_; }

 private:
  explicit RabbitBus(RabbitOptions options, std::string version);
  static Outcome<std::string> look(const RabbitOptions& options);
  void note(std::string& side, const std::string& trouble);
  void forget(uint64_t delivery);

  const RabbitOptions options_;
  const std::string version_;
  mutable std::mutex mutex_;  ///< for the following
  std::vector<BusConfirm> confirms_;
  size_t under_way_ = 0;
  std::string publishing_trouble_ = "not connected yet", consuming_trouble_ = "not connected yet";
  bool told_trouble_ = false;
  std::unordered_map<uint64_t, BusDelivery> pulled_;  ///< and not settled: what copies are made of

  std::unique_ptr<RabbitConsumer> consumer_;
  std::unique_ptr<RabbitPublisher> publisher_;
};

}  // namespace fermata
