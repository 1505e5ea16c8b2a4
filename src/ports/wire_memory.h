#pragma once
#include <optional>
#include <string>

#include "base/error.h"
#include "base/time.h"

namespace fermata {

/// By what a guard knows a delivery (C-77). A stream that lost its newest messages gives their
/// numbers out again, so the number alone would silence another message.
struct GuardedPlace {
  std::string name;   ///< stream, consumer and number
  std::string print;  ///< of the message's bytes
};

/// What is kept for the wire beside the store: bodies of jobs where workers look for them, and
/// which deliveries were done with. It may lose everything: a body is put again with the next
/// dispatch, and a delivery that is not known as done is judged by the store. Safe from several
/// threads; calls wait for an answer, not for long.
class WireMemory {
 public:
  virtual ~WireMemory() = default;
  /// Keys are `ctx:<job>` and `res:<job>` (C-31).
  virtual Outcome<void> put_body(const std::string& key, const std::string& bytes,
                                 Duration life) = 0;
  virtual Outcome<std::optional<std::string>> body(const std::string& key) = 0;
  /// True when this very message was done with before; else it is shown as under way (C-77).
  virtual bool was_done(const GuardedPlace& place) = 0;
  virtual void done(const GuardedPlace& place) = 0;
};

}  // namespace fermata
