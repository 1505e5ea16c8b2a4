#include "base/hash.h"
#include "core/job/hearing.h"

namespace fermata::job {

Outcome<void> on_decline(Step& step, const DeclineJob& decline) {
  if (decline.retry_after_ms < 0 ||
      decline.retry_after_ms > step.given.limits.request.timeout_ms_max)
    return fail(
        ErrorCode::invalid_field, "/retry_after_ms: the pause is too long",
        {{"invalid_field",
          "/retry_after_ms",
          "0 to " + std::to_string(step.given.limits.request.timeout_ms_max) + " is expected.",
          {}}});
  std::string digest = sha256_hex("declined\n" + decline.reason);
  Answer answer = hear(step.job, decline.spoken, digest);
  if (answer != Answer::accepted) {
    answer_only(step, answer, decline.spoken, nullptr);
    return {};
  }
  const Attempt& open = *step.job.open_attempt();
  step.effect(FreeLease{open.fence, open.registration, true});
  AttemptEnd end;
  end.outcome = AttemptOutcome::declined;
  end.error = make_error("declined", decline.reason);
  end.digest = std::move(digest);
  end.delay_ms = decline.retry_after_ms;
  end_attempt(step, std::move(end));
  return {};
}

}  // namespace fermata::job
