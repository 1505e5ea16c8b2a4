#include "sim/workloads/meddler.h"

#include "base/uuid.h"

namespace fermata::sim {

void Meddler::pause(World& world, const RunId& run, int64_t pauses, int64_t within_ms) {
  for (int64_t i = world.chaos().between(0, pauses); i > 0; --i) {
    Request request;
    request.command = {run, PauseRun{}, "tester"};
    request.after = Duration{world.chaos().between(0, within_ms)};
    world.send(std::move(request));
  }
}

void Meddler::send(World& world, const RunId& run, CommandBody body) {
  Request request;
  request.command = {run, std::move(body), "tester"};
  request.after = Duration{world.chaos().between(0, 60'000)};
  world.send(std::move(request));
}

void Meddler::touch_wait(World& world, const RunId& run, const std::string& step) {
  Random& dice = world.chaos().dice();
  std::string wait = uuid_v5(run.text() + "/" + step + "#1");
  if (dice.chance(0.15)) send(world, run, ResumeWait{wait, Value(7), "", "", false});
  if (dice.chance(0.15)) send(world, run, CancelWait{wait, "unwanted"});
  if (dice.chance(0.3)) send(world, run, HoldWaits{wait, "operator"});
  if (dice.chance(0.3)) send(world, run, ReleaseWaits{wait, "operator"});
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
