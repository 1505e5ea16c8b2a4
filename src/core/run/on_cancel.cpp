#include "core/graph/advance.h"
#include "core/run/step.h"
#include "core/saga/saga.h"

namespace fermata {

Outcome<void> on_cancel(Step& step, const Command& command, const CancelRun& cancel) {
  if (step.run.status == RunStatus::cancelled) return {};
  if (step.run.finished()) return fail(ErrorCode::run_finished, "the execution has ended");
  if (cancel.rollback) saga::request(step, "cancel", cancel.reason, command.actor);
  graph::cancel_everything(step);
  graph::tell_skipped(step);
  saga::end_run(step, RunCancelled{cancel.reason, command.actor});
  return {};
}

Outcome<void> cancel_run(Step& step, const Command& command, const CancelRun& cancel) {
  return step.run.definition->is_script() ? on_cancel_script(step, command, cancel)
                                          : on_cancel(step, command, cancel);
}

}  // namespace fermata
