#pragma once
#include <functional>
#include <string>

#include "base/error.h"
#include "core/model/delivery.h"

namespace fermata {

/// Somebody wants a delivery to be sent again (W-33).
struct Redelivery {
  AccountId account;
  std::string delivery;
  std::string actor;
  /// Told once what became of it, on the partition's thread; must not block.
  std::function<void(Outcome<Delivery>)> reply;
};

/// The way of callbacks into the engine. Safe from any thread.
class CallbackIntake {
 public:
  virtual ~CallbackIntake() = default;
  /// False when the queue is full or the engine is stopping; then nobody is told.
  [[nodiscard]] virtual bool redeliver(Redelivery wanted) = 0;
};

}  // namespace fermata
