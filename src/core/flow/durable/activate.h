#pragma once
#include <memory>

#include "core/flow/durable/activation.h"
#include "core/flow/durable/snapshot.h"

/// Driving an execution: commands change its records, `activate` lets the machine run. Whoever
/// drives it commits what comes out together with the execution itself.
namespace fermata::flow {

/// A flow that has not run yet. Signals may reach it before its first activation.
Execution begin_flow(std::string run_id, Value inputs, Value context);

enum class Taken : uint8_t {
  done,
  ignored,  ///< settled already, unknown, or not due: nothing changed
  run_finished,
  signals_full,  ///< F-35
};
/// Changes records only. While an activation is cut the command waits for its end (F-51).
Taken take(Execution& execution, FlowCommand command, const FlowGiven& given,
           std::vector<Outgoing>& out);

/// True when a fiber could go on, or a cut activation.
bool wants_activation(const Execution& execution);

/// A machine that stays in memory between activations. Optional: without it, and after a crash, the
/// machine is rebuilt from the execution's snapshot, with the same results.
class Resident {
 public:
  Resident();
  ~Resident();
  Resident(Resident&&) noexcept;
  Resident& operator=(Resident&&) noexcept;
  void drop();

 private:
  friend struct Residence;
  std::unique_ptr<struct Residence> residence_;
};

struct Activated {
  bool cut = false;   ///< the slice is used up: call again when others had a turn
  uint64_t fuel = 0;  ///< of this slice
};
/// Runs one slice. The execution must want it. Fails, changing nothing, when its snapshot cannot be
/// read (F-49).
Result<Activated, SnapshotError> activate(Execution& execution, const Expression& script,
                                          const FlowGiven& given, std::vector<Outgoing>& out,
                                          Resident* resident = nullptr);

}  // namespace fermata::flow
