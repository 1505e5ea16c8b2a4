#include "core/job/step.h"

namespace fermata::job {

Outcome<void> on_life(Step& step, const NoteLife& life) {
  FERMATA_TRY_VOID(permit(step.job.state, Cause::sign_of_life));
  const Attempt* open = step.job.open_attempt();
  if (open == nullptr || open->fence != life.fence)
    return fail(ErrorCode::wrong_state, "this attempt does not hold the lease");
  step.emit(JobStarted{open->attempt});
  return {};
}

}  // namespace fermata::job
