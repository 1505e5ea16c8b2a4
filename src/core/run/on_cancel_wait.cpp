#include "core/flow/durable/awaitable_errors.h"
#include "core/run/api_waits.h"
#include "core/run/wait_events.h"

namespace fermata {

Outcome<void> on_cancel_wait(Step& step, const Command& command, const CancelWait& cancel) {
  FERMATA_TRY(key, standing_wait(step.run, cancel.wait));
  // Asked for again, it is still cancelled.
  if (!is_pending(step.run.waits.at(key).status)) return {};
  if (key.source == WaitSource::flow) {
    // Nothing is parked that could be let go later: the script is told at its `await`.
    settle_awaited(
        step, static_cast<uint32_t>(key.number), flow::AwaitableStatus::cancelled,
        flow::cancelled_error(cancel.reason.empty() ? "the wait was cancelled" : cancel.reason));
    return {};
  }
  step.emit(WaitCancelled{cancel.wait, cancel.reason, command.actor});
  // One beside the program may have been the last that kept the run.
  if (key.source == WaitSource::api) go_on(step);
  return {};
}

}  // namespace fermata
