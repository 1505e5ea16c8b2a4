#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/flow/code.h"
#include "core/flow/durable/execution.h"
#include "core/flow/durable/ledger.h"
#include "core/flow/durable/outgoing.h"
#include "core/flow/durable/zone_answers.h"
#include "core/flow/machine.h"

namespace fermata::flow {

/// What one activation may know.
struct FlowGiven {
  Instant now;
  uint64_t entropy = 0;
  FlowLimits limits;
  ZoneAnswers* zones = nullptr;  ///< none: UTC and fixed offsets
};

/// One run of the machine, from a start or a wake until every fiber is parked or the run has ended
/// (F-41). The machine and the library talk to the execution through it.
class Activation {
 public:
  Activation(Execution& execution, Machine& machine, const FlowGiven& given,
             std::vector<Outgoing>& out);

  /// Runs until the fibers are parked, the run has ended or the slice is used up.
  void run();
  uint64_t fuel_used() const;

  // For the library.
  Execution& execution() { return execution_; }
  Ledger& ledger() { return ledger_; }
  Machine& machine() { return machine_; }
  Instant now() const { return now_; }
  const FlowLimits& limits() const { return given_.limits; }
  ZoneAnswers* zones() const { return given_.zones; }
  /// Opens an awaitable and gives the value that stands for it. What is wrong with the limits ends
  /// the run; look at `Machine::stopped`.
  Datum open(Awaitable record);
  bool room_for_awaitable();
  Datum datum_of(uint32_t number);
  void log(std::string_view level, std::string message, std::optional<Value> data);

  // For the machine.
  bool is_pending(uint32_t number);
  uint32_t open_fiber(const Function& function);
  void fiber_parked(uint32_t fiber, uint32_t awaiting);
  void fiber_completed(uint32_t fiber);
  void fiber_failed(uint32_t fiber, const Datum& thrown);
  void fiber_unwound(uint32_t fiber);
  /// True, once, when the fiber was cancelled while it ran.
  bool takes_doom(uint32_t fiber);
  /// Fills in what awaiting gives; false when the evaluation has ended meanwhile.
  bool materialise(AwaitableObject& awaited);

 private:
  // activation.cpp
  EvalGiven machine_given() const;
  bool step_on(Machine::Verdict verdict);
  void apply_deferred();
  void complete();
  FlowError error_of(Machine::Verdict verdict);
  void fail(FlowError error);
  void settle_down();
  void give_up_unreachable();
  void write_down(const Reach& reach);
  void cut();

  // activation_outcome.cpp
  bool needs(const AwaitableObject& awaited, const Awaitable& record,
             std::vector<AwaitableObject*>& open);
  void give(AwaitableObject& awaited, Datum value, bool threw = false);
  void take_result(AwaitableObject& awaited, Awaitable& record);
  void compose(AwaitableObject& awaited, const Awaitable& record);
  void compose_winner(AwaitableObject& awaited, const Awaitable& record);
  void compose_list(AwaitableObject& awaited, const Awaitable& record);
  void compose_failures(AwaitableObject& awaited, const Awaitable& record);
  Datum settled_item(const Datum& item);
  Datum error_of(const Value& value, uint32_t number);
  Datum with_key(const Datum& thrown, const Datum& key);
  Datum key_of(const Composite& composite, uint32_t place);
  Datum id_of(uint32_t number);
  bool item_threw(const Datum& item);
  Datum item_value(const Datum& item);

  Execution& execution_;
  Machine& machine_;
  FlowGiven given_;
  std::vector<Outgoing>& out_;
  Ledger ledger_;
  Instant now_;
  uint64_t fuel_before_ = 0;  ///< of earlier slices
  uint64_t log_lines_ = 0;
  uint64_t logs_dropped_ = 0;
};

}  // namespace fermata::flow
