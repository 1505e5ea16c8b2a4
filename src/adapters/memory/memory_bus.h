#pragma once
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <set>

#include "ports/bus.h"
#include "ports/clock.h"

namespace fermata {

/// The bus within one process: the reference of the contract, and what tests stand on. The other
/// side of it is `send` and `take`. Safe from several threads.
class MemoryBus final : public Bus {
 public:
  explicit MemoryBus(const Clock& clock) : clock_(clock) {}

  void publish(std::vector<BusMessage> batch) override;
  std::vector<BusConfirm> confirms() override;
  size_t room() const override;
  std::vector<BusDelivery> pull(size_t most) override;
  void settle(uint64_t id, BusSettlement settlement) override;
  void rest(Duration pause) override;
  BusHealth health() const override;

  // The outside.
  /// A queue that we consume gets a message.
  void send(const std::string& queue, BusMessage message);
  /// What was published to a queue, oldest first, and is taken from it.
  std::vector<BusMessage> take(const std::string& queue);
  /// Nobody keeps messages to this queue until it is there again.
  void remove(const std::string& queue);
  void restore(const std::string& queue);
  /// Messages published from now on are answered `lost`; unsettled deliveries come again.
  void cut();
  void mend();

 private:
  static constexpr size_t queue_messages_max = 1'024;
  struct Waiting {
    Instant ready_at;
    BusDelivery delivery;
  };
  void give_back();

  const Clock& clock_;
  mutable std::mutex mutex_;
  std::map<std::string, std::deque<BusMessage>> published_;
  std::set<std::string> removed_;
  std::vector<BusConfirm> confirms_;
  std::deque<Waiting> waiting_;
  std::map<uint64_t, BusDelivery> pulled_;
  uint64_t next_id_ = 1;
  uint64_t redelivered_ = 0;
  Instant resting_until_;
  bool cut_ = false;
};

}  // namespace fermata
