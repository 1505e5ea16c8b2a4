#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/time.h"

namespace fermata {

/// Text headers of a message, in the order they are written.
using BusHeaders = std::vector<std::pair<std::string, std::string>>;

/// Tells a message's headers apart from its properties; empty when there is none.
const std::string* find_header(const BusHeaders& headers, std::string_view name);

/// A message for others. `ticket` is the publisher's own number for it.
struct BusMessage {
  uint64_t ticket = 0;
  std::string target;  ///< queue
  std::string id;      ///< `message_id`: the same whenever it is published again
  std::string body;
  BusHeaders headers{};
};

/// What became of a message that was published.
struct BusConfirm {
  enum class Outcome : uint8_t {
    confirmed,   ///< the broker has it and answers for it
    unroutable,  ///< there is nobody to keep it: publish it again later
    lost,        ///< it may be there or not: publish it again under the same id
  };
  uint64_t ticket = 0;
  Outcome outcome = Outcome::confirmed;
  bool operator==(const BusConfirm&) const = default;
};

/// A message of others. It stays the broker's until it is settled.
struct BusDelivery {
  uint64_t id = 0;  ///< for `settle`; never used twice
  std::string queue;
  std::string message_id{};  ///< empty when the sender gave none
  std::string body;
  BusHeaders headers{};
  bool redelivered = false;
  uint32_t attempt = 1;  ///< how often it was put off, and one
};

/// What becomes of a delivery.
struct BusSettlement {
  enum class Kind : uint8_t {
    ack,    ///< done with
    retry,  ///< a copy comes back after `delay`
    dead,   ///< a copy goes to where people look, with `reason`
  };
  Kind kind = Kind::ack;
  Duration delay{};
  std::string reason{};
};

/// How a bus is, for readiness and metrics.
struct BusHealth {
  bool up = false;
  std::string trouble{};  ///< why it is not, in words for people; no secret
  uint64_t redelivered = 0;
};

/// Messages to and from other programs. At least once, in any order between targets; messages of
/// one target are handed to the broker in the order they were published. As other slow ports it is
/// two queues each way: nothing here waits for the broker, and everything may come late, twice or,
/// when the connection breaks, as `lost`. Used by one thread.
class Bus {
 public:
  virtual ~Bus() = default;
  /// Every message gets one confirm, unless the process ends before.
  virtual void publish(std::vector<BusMessage> batch) = 0;
  virtual std::vector<BusConfirm> confirms() = 0;
  /// How many more messages may be published before confirms come.
  virtual size_t room() const = 0;
  /// Deliveries that have come, at most `most`, oldest first.
  virtual std::vector<BusDelivery> pull(size_t most) = 0;
  /// A delivery that is not known any more (its connection is gone) is left alone: it comes again.
  virtual void settle(uint64_t id, BusSettlement settlement) = 0;
  /// Gives back everything that is not settled and takes nothing for so long.
  virtual void rest(Duration pause) = 0;
  virtual BusHealth health() const = 0;
};

}  // namespace fermata
