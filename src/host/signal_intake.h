#pragma once
#include <functional>
#include <string>
#include <vector>

#include "base/error.h"
#include "ports/signals.h"

namespace fermata {

/// What became of a signal that was sent in: durable, with what it has reached so far.
struct SignalTold {
  SignalRecord record;
  bool duplicate = false;  ///< it was there before; this is the first answer
  uint64_t pending = 0;    ///< effects that have not happened yet, and will
};
/// Called once, on the partition's thread; must not block.
using SignalReply = std::function<void(Outcome<SignalTold>)>;

struct IncomingSignal {
  Signal signal;  ///< without an id one is made; when it was received is written here
  std::string actor;
  Duration patience{1'000};  ///< how long the answer may wait for effects (W-50)
  SignalReply reply{};
};

/// The way of signals into the engine. Safe from any thread.
class SignalIntake {
 public:
  virtual ~SignalIntake() = default;
  /// Those of one call are taken in in their order. False when the queue is full or the engine is
  /// stopping; then no reply is called.
  [[nodiscard]] virtual bool submit_signals(std::vector<IncomingSignal> signals) = 0;
};

}  // namespace fermata
