#include "core/job/step.h"

namespace fermata::job {

Outcome<void> on_judge(Step& step, const JudgeJob& judge) {
  if (judge.revision != step.job.revision)
    return fail(ErrorCode::wrong_state, "the verdict is about revision " +
                                            std::to_string(judge.revision) + ", the job is at " +
                                            std::to_string(step.job.revision));
  return take_word(step, judge);
}

}  // namespace fermata::job
