#include "core/graph/advance.h"
#include "core/run/step.h"

namespace fermata {

Outcome<void> on_cancel(Step& step, const Command& command, const CancelRun& cancel) {
  if (step.run.status == RunStatus::cancelled) return {};
  if (step.run.finished()) return fail(ErrorCode::run_finished, "the execution has ended");
  graph::cancel_everything(step);
  graph::tell_skipped(step);
  step.emit(RunCancelled{cancel.reason, command.actor});
  return {};
}

}  // namespace fermata
