#include "core/job/step.h"

namespace fermata::job {

/// Nobody is told anything by what was found alone: the rules are asked again, and now they can
/// tell.
Outcome<void> on_content(Step& step, const NoteContent& note) {
  const Job& job = step.job;
  if (job.finished() || note.check.revision != job.revision)
    return fail(ErrorCode::wrong_state, "the input that was read is not the job's any more");
  bool waits = job.state == State::pending && job.phase == Phase::content_check;
  if (!waits && job.state != State::approval_required)
    return fail(ErrorCode::wrong_state, "nobody asks about the input");
  if (!note.problem.empty())
    return fail(ErrorCode::nothing_due, "the input could not be read: " + note.problem);
  const std::string active = step.given.policy ? step.given.policy->snapshot : "none";
  bool noted = note.check.snapshot == active;
  if (noted) step.emit(JobContentChecked{note.check});
  if (!waits) {
    // Where the approval stands as it is, what was found is kept all the same.
    auto reviewed = on_review(step, ReviewJob{});
    return noted ? Outcome<void>{} : reviewed;
  }
  ask_policy(step);
  return {};
}

}  // namespace fermata::job
