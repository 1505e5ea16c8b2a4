#include "core/job/step.h"

namespace fermata::job {

namespace {

Outcome<void> holds_lease(const Step& step, uint64_t fence) {
  const Attempt* open = step.job.open_attempt();
  if (open == nullptr || open->fence != fence)
    return fail(ErrorCode::wrong_state, "this attempt does not hold the lease");
  return {};
}

void free_lease(Step& step, bool refused) {
  const Attempt& open = *step.job.open_attempt();
  step.effect(FreeLease{open.fence, open.registration, refused});
}

}  // namespace

Outcome<void> on_lose(Step& step, const LoseLease& lose) {
  FERMATA_TRY_VOID(holds_lease(step, lose.fence));
  free_lease(step, false);
  AttemptEnd end;
  end.outcome = AttemptOutcome::lost;
  end.counts = lose.counted ? CountsAs::a_loss : CountsAs::nothing;
  end.error = make_error("worker_lost", lose.reason.empty() ? "the worker has fallen silent"
                                                            : std::string_view(lose.reason));
  end.reason_code = "worker_lost";
  end_attempt(step, std::move(end));
  return {};
}

Outcome<void> on_undelivered(Step& step, const MarkUndelivered& mark) {
  FERMATA_TRY_VOID(holds_lease(step, mark.fence));
  free_lease(step, true);
  AttemptEnd end;
  end.outcome = AttemptOutcome::undelivered;
  end.error = make_error("undelivered", "the worker does not know of it");
  end_attempt(step, std::move(end));
  return {};
}

}  // namespace fermata::job
