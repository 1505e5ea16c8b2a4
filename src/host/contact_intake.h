#pragma once
#include <functional>

#include "base/error.h"
#include "core/contact/decide.h"

namespace fermata {

/// What became of a command to a contact, once its commit is durable.
struct ContactTold {
  Contact contact;
  bool created = false;
  uint64_t waits_cancelled = 0;  ///< by it, with the runs they belonged to
  uint64_t executions_cancelled = 0;
};
/// Called once, on the partition's thread; must not block.
using ContactReply = std::function<void(Outcome<ContactTold>)>;

/// The way of contacts into the engine. Safe from any thread.
class ContactIntake {
 public:
  virtual ~ContactIntake() = default;
  /// False when the queue is full or the engine is stopping; then `reply` is not called.
  [[nodiscard]] virtual bool submit_contact(contact::Command command, ContactReply reply) = 0;
};

}  // namespace fermata
