#pragma once
#include <vector>

#include "core/model/call.h"

namespace fermata {

/// Outgoing calls as two queues. An answer may come late, twice or never; what was submitted is
/// forgotten when the process ends. `submit`, `abandon` and `harvest` are called by one thread.
class Calls {
 public:
  virtual ~Calls() = default;
  virtual void submit(const CallTicket& ticket, CallRequest request) = 0;
  /// The answer is no longer wanted; it may come all the same.
  virtual void abandon(const CallTicket& ticket) = 0;
  /// Answers that have come since the last harvest.
  virtual std::vector<CallAnswer> harvest() = 0;
  /// True while this ticket is queued or under way here.
  virtual bool holds(const CallTicket& ticket) const = 0;
  virtual size_t in_flight() const = 0;
};

}  // namespace fermata
