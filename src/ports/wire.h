#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/time.h"

namespace fermata {

/// A message for others, kept by the broker's stream. The same `id` again within the stream's
/// window is not a second message.
struct WireMessage {
  uint64_t ticket = 0;  ///< the publisher's own number; 0: nobody asks what became of it
  std::string subject;
  std::string id{};
  std::string bytes;
};

/// The stream has the message and answers for it.
struct WireConfirm {
  uint64_t ticket = 0;
  bool duplicate = false;  ///< it had it before
};

/// A message of others.
struct WireDelivery {
  uint64_t number = 0;  ///< for `settle`; 0: nobody waits to hear what became of it
  std::string subject;
  std::string bytes;
  uint32_t deliveries = 1;
  /// What a repeated delivery has in common with the first: the sender's id, or its place.
  std::string id{};
  std::vector<std::pair<std::string, std::string>> headers{};
  /// It was delivered as often as it may be, in vain, and will not be again.
  bool exhausted = false;
  /// Stream, consumer and number, by which guards know it (C-77); empty where nobody settles it.
  std::string place{};
};

struct WireSettlement {
  enum class Kind : uint8_t {
    ack,    ///< done with
    again,  ///< delivered once more after `delay`
    dead,   ///< never delivered again
  };
  Kind kind = Kind::ack;
  Duration delay{};
};

struct WireHealth {
  bool up = false;
  std::string trouble{};  ///< why it is not, or what is not as it should be; no secret
  uint64_t redelivered = 0;
  uint64_t published = 0;
  uint64_t publish_failures = 0;
  size_t unpublished = 0;  ///< messages that wait for the broker
};

/// Messages of the CAP protocol to and from a broker that keeps them. At least once, in any order.
/// What was published is tried until the broker has it, in the order it came. Safe from several
/// threads; nothing but `wait` and what answers an Outcome waits for the broker.
class Wire {
 public:
  virtual ~Wire() = default;
  /// True unless too many wait already; then the caller tries again later.
  [[nodiscard]] virtual bool publish(WireMessage message) = 0;
  /// Tells whoever listens at the moment; may be lost.
  virtual void announce(const std::string& subject, const std::string& bytes) = 0;
  /// A delivery that is not known any more is left alone: it comes again.
  virtual void settle(uint64_t number, WireSettlement settlement) = 0;

  struct News {
    std::vector<WireDelivery> deliveries;
    std::vector<WireConfirm> confirms;
  };
  /// What has come in, at most `most` of each; waits for it as long, or until `wake`.
  virtual News wait(size_t most, Duration patience) = 0;
  virtual void wake() = 0;

  /// Messages of the subject that have not been settled, whether they were delivered or not.
  virtual Outcome<uint64_t> pending(const std::string& subject) = 0;
  /// The newest message of the subject that the stream keeps; nothing when there is none.
  virtual Outcome<std::optional<std::string>> latest(const std::string& subject) = 0;
  virtual WireHealth health() const = 0;
};

}  // namespace fermata
