#pragma once
#include <string>
#include <variant>

#include "core/model/call.h"

namespace fermata {

/// Requests to the world, performed after the commit by loops that may be killed at any instant.
/// Everything a crash may lose here is found again from the run's state (RecoverCalls, next_due).
struct PlaceCall {
  CallTicket ticket;
  CallRequest request;
};
struct AbandonCall {
  CallTicket ticket;
};
/// A line of a `log` node for the server's log.
struct WriteLog {
  RunId run;
  std::string level;
  std::string message;
  std::string trace_id{};  ///< of the run, or empty
};
using Effect = std::variant<PlaceCall, AbandonCall, WriteLog>;

}  // namespace fermata
