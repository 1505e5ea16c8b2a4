#include "core/graph/advance.h"
#include "core/run/api_waits.h"
#include "core/run/wait_events.h"

/// Holding waits and letting them go again (W-65). A pause of the run is another kind of hold.
namespace fermata {

namespace {

std::vector<std::string> chosen(const Run& run, const std::string& id) {
  std::vector<std::string> ids;
  auto add = [&](const WaitKey& key, const Wait& wait) {
    if (is_pending(wait.status) && key.source != WaitSource::flow) ids.push_back(wait.id);
  };
  if (id.empty()) {
    for (const auto& [key, wait] : run.waits) add(key, wait);
  } else if (const auto* found = find_wait(run, id)) {
    add(found->first, found->second);
  }
  return ids;
}

bool held_otherwise(const Wait& wait) { return !wait.hold.empty() && wait.hold != "run_paused"; }

}  // namespace

Outcome<void> on_hold_waits(Step& step, const Command& command, const HoldWaits& hold) {
  if (!hold.wait.empty()) {
    FERMATA_TRY(key, standing_wait(step.run, hold.wait));
    if (key.source == WaitSource::flow)
      return fail(ErrorCode::type_fixed, "the wait is a script's own: pause the execution");
  }
  if (step.run.finished()) return fail(ErrorCode::run_finished, "the execution has ended");
  for (const std::string& id : chosen(step.run, hold.wait)) {
    // Who held it first lets it go.
    if (held_otherwise(find_wait(step.run, id)->second)) continue;
    step.emit(WaitHeld{id, hold.reason, command.actor});
  }
  return {};
}

Outcome<void> on_release_waits(Step& step, const Command& command, const ReleaseWaits& release) {
  if (!release.wait.empty()) FERMATA_TRY_VOID(standing_wait(step.run, release.wait));
  if (step.run.finished()) return fail(ErrorCode::run_finished, "the execution has ended");
  for (const std::string& id : chosen(step.run, release.wait)) {
    const Wait& wait = find_wait(step.run, id)->second;
    if (!held_otherwise(wait) || (!release.reason.empty() && wait.hold != release.reason)) continue;
    step.emit(WaitReleased{id, command.actor});
  }
  // Signals that came meanwhile go first, then what is due, in due order.
  if (step.run.paused() || step.decision.events.empty()) return {};
  if (!step.run.definition->is_script()) graph::offer_kept_signals(step);
  take_retained(step);
  go_on(step);
  look_at_clock(step);
  return {};
}

}  // namespace fermata
