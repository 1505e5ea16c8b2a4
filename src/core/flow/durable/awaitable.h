#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "base/value.h"

/// Records of what a script can wait for (F-25, F-42). They stand beside the snapshot: a completion
/// changes records and counters, and the machine is needed only when a fiber can go on.
namespace fermata::flow {

enum class AwaitableKind : uint8_t {
  task,
  timer,
  signal,
  send,  ///< `Signal.send`; scripts see it as a signal
  child,
  approval,
  fiber,
  all,
  any,
  race,
  settled,
};
constexpr bool is_composite(AwaitableKind kind) { return kind >= AwaitableKind::all; }
/// Something outside the run settles it.
constexpr bool is_outside(AwaitableKind kind) { return kind < AwaitableKind::fiber; }
std::string_view kind_name(AwaitableKind kind);

enum class AwaitableStatus : uint8_t { pending, completed, failed, cancelled };
std::string_view status_name(AwaitableStatus status);

/// What becomes of a job or child when the run ends before it (F-39).
enum class OnParentEnd : uint8_t { as_usual, keep, cancel };

/// Where in the script something happened.
struct Place {
  std::string function;
  int line = 0;
  int column = 0;
  friend bool operator==(const Place&, const Place&) = default;
};

/// A wait for a signal and the signal it was given (F-35).
struct SignalWait {
  Value match;          ///< criteria that the payload must meet, or null
  uint64_t place = 0;   ///< in the queue of its name; 0 while it does not stand there
  uint64_t signal = 0;  ///< arrival number of the signal assigned to it, 0 for none
  bool taken = false;   ///< the payload has reached the script
  friend bool operator==(const SignalWait&, const SignalWait&) = default;
};

/// all, any, race and settled: counters instead of queries.
struct Composite {
  enum class Shape : uint8_t { bare, kv, item };
  Shape shape = Shape::bare;
  bool object = false;          ///< made from an object: `keys` names the items
  bool cancel = false;          ///< losers are cancelled when it settles (F-31)
  bool waits = false;           ///< a signal wait stands in it, perhaps deeper
  uint32_t open = 0;            ///< items not settled yet
  uint32_t winner = 0;          ///< index + 1 of the item that decided it; 0 when none did
  std::vector<uint32_t> items;  ///< numbers; 0 stands for a plain value, which the machine holds
  std::vector<std::string> keys;
  friend bool operator==(const Composite&, const Composite&) = default;
};

struct Awaitable {
  AwaitableKind kind = AwaitableKind::task;
  AwaitableStatus status = AwaitableStatus::pending;
  OnParentEnd on_parent_end = OnParentEnd::as_usual;
  bool given_whole = false;    ///< composite settled from outside as a whole; `result` is its value
  bool delivered = false;      ///< the result has moved into the machine
  bool observed = false;       ///< somebody awaited it or put it into a composite
  bool lost = false;           ///< the script can no longer reach it
  uint64_t sequence = 0;       ///< of its settling in the run, 0 while pending (F-30)
  std::string name;            ///< task, signal, workflow, title of the approval, function
  Value result;                ///< completed: the value; failed or cancelled: {code, message, …}
  std::optional<Instant> due;  ///< of a timer, or of the timeout of a signal wait or approval
  std::optional<Value> otherwise;    ///< the value that a timeout completes it with
  std::vector<uint32_t> composites;  ///< pending ones it stands in, once per place
  std::vector<uint32_t> fibers;      ///< parked on it, in the order they parked
  SignalWait wait;
  Composite composite;
  Place place;

  bool pending() const { return status == AwaitableStatus::pending; }
};

}  // namespace fermata::flow
