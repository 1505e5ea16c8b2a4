#pragma once
#include <atomic>
#include <map>
#include <memory>
#include <mutex>

#include "host/host.h"
#include "ports/bus.h"
#include "ports/dead_letters.h"
#include "ports/interpreter.h"

namespace fermata {

/// Takes messages of other programs (C-53): what an interpreter makes of each goes to the engine,
/// and the message is acknowledged after the commit. Used by one thread, in turns.
class Receiver {
 public:
  static constexpr size_t under_way_max = 256;
  static constexpr uint32_t attempts_max = 6;  ///< the first, and five put-offs
  static constexpr Duration rest_first{1'000}, rest_longest{30'000};

  Receiver(Bus& bus, Interpreter& interpreter, MessageIntake& intake, Outbox& outbox,
           AccountId account)
      : bus_(bus),
        interpreter_(interpreter),
        intake_(intake),
        outbox_(outbox),
        account_(std::move(account)) {}

  NextTurn turn(Instant now);
  /// Called on the engine's thread when an answer has come; must not block.
  std::function<void()> on_answer;
  /// Told of what became a dead letter.
  std::function<void(const BusDelivery&, const Unusable&)> on_dead;

  // Safe from any thread.
  std::map<std::string, uint64_t> dead_by_reason() const;
  /// Messages that were acknowledged without any effect: repeated ones, and late ones.
  std::map<std::string, uint64_t> passed_by_reason() const;
  uint64_t taken() const { return taken_; }

 private:
  struct Answer {
    uint64_t delivery = 0;
    std::optional<Error> refusal;
  };
  /// What replies write to; it outlives a receiver that is gone.
  struct Answers {
    std::mutex mutex;
    std::vector<Answer> items;
  };
  void take_answers(Instant now);
  void settle(const BusDelivery& delivery, Reading reading, Instant now);
  void submit(BusDelivery delivery, Understood understood);
  void bury(const BusDelivery& delivery, const Unusable& unusable, Instant now);
  void put_off(const BusDelivery& delivery, const std::string& why, Instant now);
  void rest(Instant now);
  void count(std::map<std::string, uint64_t>& counts, const std::string& reason);

  Bus& bus_;
  Interpreter& interpreter_;
  MessageIntake& intake_;
  Outbox& outbox_;
  const AccountId account_;
  std::shared_ptr<Answers> answers_ = std::make_shared<Answers>();
  std::map<uint64_t, BusDelivery> under_way_;
  Duration next_rest_ = rest_first;
  Instant resting_until_;
  std::atomic<uint64_t> taken_{0};
  mutable std::mutex counts_mutex_;
  std::map<std::string, uint64_t> dead_, passed_;
};

}  // namespace fermata
