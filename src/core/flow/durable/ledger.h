#pragma once
#include <deque>
#include <span>

#include "core/flow/durable/execution.h"
#include "core/flow/durable/outgoing.h"

namespace fermata::flow {

/// Changes the records of an execution: opening, settling and everything that follows from a
/// settling. Never needs the machine; fibers that can go on are left in `Execution::ready`.
class Ledger {
 public:
  Ledger(Execution& execution, std::vector<Outgoing>& out) : execution_(execution), out_(out) {}

  Awaitable* find(uint32_t number);
  void tell(decltype(Outgoing::what) what, Place place = {});

  // Opening. The place of the record says where in the script it was.
  uint32_t open(Awaitable record);
  /// A number without a record: of a run that nobody waits for.
  uint32_t reserve() { return ++execution_.last_number; }
  uint32_t open_signal_wait(Awaitable record);
  /// `items` of the record's composite are set; settles at once when its outcome is certain.
  uint32_t open_composite(Awaitable record);

  // Settling.
  /// False when there is no such awaitable or it has settled.
  bool settle(uint32_t number, AwaitableStatus status, Value result);
  bool fire(uint32_t number, Instant now);
  bool cancel(uint32_t number, std::string_view reason);

  // Signals.
  void receive(std::string_view name, Value payload);
  /// The payload of a wait reaches the script.
  void take(uint32_t number);
  /// The script can no longer reach the wait.
  void withdraw(uint32_t number);

  // Fibers.
  void end_fiber(uint32_t fiber, AwaitableStatus status, Value why = {});
  void park(uint32_t fiber, uint32_t awaiting, Place place);
  /// True when no parked fiber can ever be woken from outside (F-44).
  bool stuck();

  // The end (F-39, F-53).
  void unwind(const EndFlow& how, Instant now, int64_t grace_ms);
  void finish(FlowEnd end);

  /// Drops a settled record that the script cannot reach.
  void forget(uint32_t number);
  /// A result leaves the records: it is counted elsewhere or gone.
  void drop_bytes(const Value& result);

  /// Somebody awaits it: waits for signals that gave up their place stand in line again.
  void want(uint32_t number);

 private:
  struct Settling {
    uint32_t number;
    AwaitableStatus status;
    Value result;
    bool ours = false;  ///< the run decided it: the world has to be told
    std::string reason{};
    uint64_t signal = 0;  ///< assigned meanwhile; void if it was given back before
  };

  // ledger.cpp
  void enqueue(Settling settling) { queue_.push_back(std::move(settling)); }
  void drain();
  void silence(uint32_t number);
  void apply(Settling settling);
  void release(uint32_t number, Awaitable& record, const Settling& settling);
  void wake(std::span<const uint32_t> fibers, Wake how);
  void warn_if_unawaited(const Awaitable& record);

  // ledger_composite.cpp
  void count(uint32_t composite, uint32_t item, const Awaitable& settled);
  void decide(uint32_t number, Awaitable& record, AwaitableStatus status, uint32_t winner);
  void let_go(uint32_t number, const Awaitable& record);
  void judge_new(uint32_t number, Awaitable& record);

  // ledger_signal.cpp
  void queue_wait(uint32_t number, Awaitable& record);
  void leave_queue(Awaitable& record);
  void offer_signal(std::string_view name, uint64_t signal);
  void assign(uint32_t number, Awaitable& record, uint64_t signal, KeptSignal& kept);
  void relinquish(uint32_t number);
  bool wanted(uint32_t number);

  // ledger_end.cpp
  void throw_into(uint32_t fiber, Wake how);
  bool kept_at(FlowEnd end, const Awaitable& record) const;

  struct Woken {
    uint64_t stamp;
    ReadyFiber fiber;
  };

  Execution& execution_;
  std::vector<Outgoing>& out_;
  std::deque<Settling> queue_;
  std::vector<Woken> woken_;
  bool draining_ = false;
};

}  // namespace fermata::flow
