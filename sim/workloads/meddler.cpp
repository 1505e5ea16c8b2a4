#include "sim/workloads/meddler.h"

namespace fermata::sim {

void Meddler::pause(World& world, const RunId& run, int64_t pauses, int64_t within_ms) {
  for (int64_t i = world.chaos().between(0, pauses); i > 0; --i) {
    Request request;
    request.command = {run, PauseRun{}, "tester"};
    request.after = Duration{world.chaos().between(0, within_ms)};
    world.send(std::move(request));
  }
}

void Meddler::watch(World& world) {
  for (const RunId& id : world.runs()) {
    const Run* run = world.state(id);
    if (!run->paused() || !resuming_.insert(id).second) continue;
    Request request;
    request.command = {id, ResumeRun{}, "tester"};
    request.after = Duration{world.chaos().between(0, 90'000)};
    request.answered = [this, id](const Outcome<RunSummary>&) { resuming_.erase(id); };
    world.send(std::move(request));
  }
}

}  // namespace fermata::sim
