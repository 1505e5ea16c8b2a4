#pragma once
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/time.h"
#include "base/value.h"
#include "core/flow/durable/awaitable.h"

/// What a flow asks of the world and what it tells about itself, in the order it happened. The
/// flow knows no host or store: who drives it makes events and effects of these (F-47).
namespace fermata::flow {

// Requests. `number` is that of the awaitable; the id outside is `<run>.<number>`.
struct SubmitTask {
  uint32_t number = 0;
  std::string name;
  Value input;
  Value options;
};
struct ArmTimer {
  uint32_t number = 0;
  Instant due;
};
struct DisarmTimer {
  uint32_t number = 0;
};
struct StartChild {
  uint32_t number = 0;
  std::string workflow;
  Value input;
  Value options;
  bool detached = false;  ///< `Workflow.start`: nobody waits for it
};
struct SendSignal {
  uint32_t number = 0;
  std::string run;
  std::string name;
  Value payload;
};
struct OpenApproval {
  uint32_t number = 0;
  Value request;
};
/// A task or child is asked to stop, an approval is withdrawn.
struct CancelWork {
  uint32_t number = 0;
  AwaitableKind kind = AwaitableKind::task;
  std::string reason;
};

// Notes.
struct TimerFired {
  uint32_t number = 0;
};
struct SignalTaken {
  uint32_t number = 0;
  std::string name;
  uint64_t signal = 0;
};
struct Logged {
  std::string level;
  std::string message;
  std::optional<Value> data;
};
struct LogsDropped {
  uint64_t lines = 0;
};
struct Progressed {
  double done = 0;
  double planned = 0;
};
struct Labelled {
  std::string key;
  std::string value;
};
struct Warned {
  std::string rule;
  std::string message;
};
struct FibersDropped {
  uint64_t fibers = 0;
};

struct Outgoing {
  Place place;
  std::variant<SubmitTask, ArmTimer, DisarmTimer, StartChild, SendSignal, OpenApproval, CancelWork,
               TimerFired, SignalTaken, Logged, LogsDropped, Progressed, Labelled, Warned,
               FibersDropped>
      what;
};

}  // namespace fermata::flow
