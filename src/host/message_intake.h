#pragma once
#include "host/intake.h"

namespace fermata {

/// The way in for messages of other programs. Safe from any thread.
class MessageIntake {
 public:
  virtual ~MessageIntake() = default;
  /// As Intake::submit; what `mark` names is taken once. A message that was taken before changes
  /// nothing and is answered as if it were new.
  [[nodiscard]] virtual bool submit_message(Command command, std::string mark, Reply reply) = 0;
};

}  // namespace fermata
