#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "core/flow/durable/awaitable.h"

namespace fermata::flow {

/// Budgets of a flow (F-51); settings `flow.…`. Exceeding one ends the run.
struct FlowLimits {
  uint64_t fuel = 10'000'000;  ///< per activation
  uint64_t slice = 1'000'000;
  uint64_t memory_bytes = 64 << 20;
  uint32_t call_depth = 500;
  uint32_t fibers = 10'000;
  uint32_t awaitables = 20'000;  ///< pending at once
  uint64_t string_bytes = 8 << 20;
  uint64_t list_items = 1'000'000;
  uint64_t snapshot_warn_bytes = 1 << 20;
  uint64_t snapshot_max_bytes = 8 << 20;
  uint64_t log_lines = 1'000;  ///< per activation
  uint64_t log_line_bytes = 8192;
  uint64_t signals_kept = 10'000;
  int64_t cancel_grace_ms = 30'000;
  uint32_t snapshots_kept = 8;  ///< parks that a fork may go back to (F-48)
};

enum class FlowEnd : uint8_t { none, completed, failed, cancelled, timed_out };
std::string_view end_name(FlowEnd end);

/// Why a flow failed: what it threw, or a verdict of the engine (F-22, F-23).
struct FlowError {
  std::string code;
  std::string message;
  Value details;
  Value cause;
  int line = 0;
  int column = 0;
  /// `{code, message, details?, cause?, at?}`
  Value to_value() const;
};

// Commands: what reaches a run from outside. They change records; `activate` does the rest.

/// The end of a task, child, approval or sent signal, or a resume by hand. A failure's result is
/// `{code, message, …}` as `awaitable_errors.h` makes it.
struct SettleAwaitable {
  uint32_t number = 0;
  AwaitableStatus status = AwaitableStatus::completed;
  Value result;
};
/// Number 0 is the end of a cancellation's grace.
struct FireTimer {
  uint32_t number = 0;
};
struct ReceiveSignal {
  std::string name;
  Value payload;
};
struct CancelAwaitable {
  uint32_t number = 0;
  std::string reason;
};
/// Cancellation or timeout of the whole run (F-53).
struct EndFlow {
  FlowEnd end = FlowEnd::cancelled;
  std::string reason;
  bool force = false;  ///< `finally` blocks do not run
};
/// Ends the run as failed at once, without a word to the script: a fatal failure of a worker.
struct FailFlow {
  FlowError error;
};
using FlowCommand =
    std::variant<SettleAwaitable, FireTimer, ReceiveSignal, CancelAwaitable, EndFlow, FailFlow>;

struct KeptSignal {
  Value payload;
  uint32_t wait = 0;  ///< the wait it is assigned to
};

/// Signals of one name that no script has taken, and the waits for more, both in order.
struct Mailbox {
  std::map<uint64_t, KeptSignal> kept;  ///< by arrival
  std::map<uint64_t, uint32_t> waits;   ///< number by place in the queue
};

/// How a fiber goes on behind its await.
enum class Wake : uint8_t { outcome, cancelled, verdict };
struct ReadyFiber {
  uint32_t fiber = 0;
  Wake wake = Wake::outcome;
  uint32_t awaited = 0;  ///< what it was parked at; 0 when an earlier release has written it
};

struct ParkedFiber {
  uint32_t awaiting = 0;
  uint64_t stamp = 0;  ///< order of parking (F-44)
  Place place;
};

/// An activation that was cut after its slice of fuel and goes on with the next one.
struct OpenActivation {
  Instant now;
  uint64_t random = 0;  ///< state of the generator
  uint64_t fuel_used = 0;
  uint64_t log_lines = 0;
};

/// The whole durable state of one run of a script, as a value: records beside an encoded machine.
/// Copies are independent. Nothing in here knows a clock, a store or a worker.
struct Execution {
  std::string run_id;
  Value inputs;
  Value context;
  bool started = false;

  FlowEnd end = FlowEnd::none;
  Value output;
  FlowError error;  ///< when failed

  FlowEnd unwinding = FlowEnd::none;  ///< cancelled or timed_out while `finally` blocks still run
  std::string reason;
  std::optional<Instant> grace_until;

  uint32_t last_number = 0;    ///< of awaitables
  uint32_t pending = 0;        ///< awaitables not settled
  uint64_t last_sequence = 0;  ///< of settlings
  uint64_t last_signal = 0;    ///< of arrivals
  uint64_t last_place = 0;     ///< in queues for signals
  uint64_t last_stamp = 0;     ///< of parks
  uint64_t signals_kept = 0;
  uint64_t result_bytes = 0;  ///< of results that the machine does not hold yet
  uint64_t activations = 0;
  uint64_t fuel = 0;  ///< used by all of them
  bool warned_of_size = false;

  std::map<uint32_t, Awaitable> awaitables;
  std::map<std::string, Mailbox, std::less<>> mailboxes;
  std::map<uint32_t, ParkedFiber> parked;  ///< main is 0, others have their awaitable's number
  /// What is armed, in the order it fires; number 0 is the end of a cancellation's grace.
  std::set<std::pair<Instant, uint32_t>> alarms;
  std::vector<ReadyFiber> ready;
  std::set<uint32_t> unwinding_fibers;  ///< those that the end of the run waits for (F-53)
  std::set<uint32_t> doomed;            ///< fibers that are thrown at when they park next
  std::optional<OpenActivation> open;
  std::vector<FlowCommand> deferred;  ///< came while an activation was open
  std::string snapshot;               ///< of the machine; empty before the first park

  bool ended() const { return end != FlowEnd::none; }
  std::string id_of(uint32_t number) const { return run_id + "." + std::to_string(number); }
};

}  // namespace fermata::flow
