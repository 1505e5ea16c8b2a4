#include "core/graph/advance.h"
#include "core/run/api_waits.h"
#include "core/run/wait_events.h"

namespace fermata {

Outcome<void> on_resume_wait(Step& step, const ResumeWait& resume) {
  FERMATA_TRY(key, standing_wait(step.run, resume.wait));
  if (step.run.paused()) return fail(ErrorCode::run_paused, "the execution is paused");
  if (key.source == WaitSource::api) {
    if (resume.dry_run) return {};
    resume_api_wait(step, key, resume);
    go_on(step);
    return {};
  }
  if (key.source == WaitSource::flow) {
    if (!resume.branch.empty())
      return fail(ErrorCode::unknown_step, "a script has no branches to choose from",
                  {{"unknown_step", "/branch", "a script has no branches to choose from", {}}});
    if (!resume.dry_run)
      settle_awaited(step, static_cast<uint32_t>(key.number), flow::AwaitableStatus::completed,
                     resume.output);
    return {};
  }
  auto edges = graph::edges_to(step.run, key.number, resume.branch);
  if (!edges)
    return fail(ErrorCode::unknown_step, "no edge of the step leads to `" + resume.branch + "`",
                {{"unknown_step", "/branch", "no edge of the step leads there", {}}});
  if (resume.dry_run) return {};
  graph::resume_by_hand(step, key.number, resume.output, *std::move(edges));
  graph::advance(step);
  return {};
}

}  // namespace fermata
