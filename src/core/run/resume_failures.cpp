#include <algorithm>

#include "core/graph/advance.h"
#include "core/run/api_waits.h"
#include "core/run/wait_events.h"
#include "core/saga/saga.h"

/// Resumes that could not be carried out though the store was there (W-66): a few more tries, each
/// after a longer rest, then the wait and its run have failed.
namespace fermata {

namespace {

constexpr uint32_t resume_retries_max = 3;
constexpr int64_t resume_delay_ms = 1'000;
constexpr int64_t resume_delay_ms_max = 300'000;

Duration delay_after(uint32_t attempt) {
  return Duration{std::min(resume_delay_ms << (attempt - 1), resume_delay_ms_max)};
}

/// The wait that the timer belongs to, or null.
const Wait* wait_of(const Run& run, const RunTimer& timer) {
  WaitKey key{WaitSource::graph, timer.id};
  if (timer.kind == TimerKind::wait) key.source = WaitSource::api;
  if (timer.kind == TimerKind::script) {
    if (!run.script || run.script->alarms.empty()) return nullptr;
    key = {WaitSource::flow, run.script->alarms.begin()->second};
  }
  bool known = timer.kind == TimerKind::token || timer.kind == TimerKind::wait ||
               timer.kind == TimerKind::script;
  auto found = run.waits.find(key);
  return known && found != run.waits.end() ? &found->second : nullptr;
}

/// Of those whose time has come, the one whose turn it was.
const Wait* due_wait(const Run& run, Instant now) {
  for (const RunTimer& timer : run.timers) {
    if (timer.due > now) break;
    if (const Wait* wait = wait_of(run, timer)) return wait;
  }
  return nullptr;
}

/// The one that the signal was for. Who takes signals of the run in order has the first say.
const Wait* offered_wait(const Run& run, const OfferSignal& offer) {
  if (!offer.wait.empty()) {
    const auto* found = find_wait(run, offer.wait);
    return found ? &found->second : nullptr;
  }
  for (const auto& [key, wait] : run.waits)
    if (!wait.listens() && !wait.listeners.empty() &&
        wait.listeners.front().event_type == offer.signal->type)
      return &wait;
  return nullptr;
}

void fail_run_for(Step& step, const Wait& wait, uint32_t attempt, const std::string& error) {
  Value failure =
      Value::object({{"code", wait_resume_failed},
                     {"message", "the wait at `" + wait.step + "` could not be resumed: " + error},
                     {"node", wait.step},
                     {"attempts", attempt},
                     {"details", Value::object({{"wait_id", wait.id}, {"error", error}})}});
  step.emit(ResumeFailed{wait.id, attempt, error, std::nullopt});
  if (!step.run.definition->is_script()) return graph::fail_run(step, std::move(failure));
  if (step.run.script->ended()) return saga::end_run(step, RunFailed{std::move(failure)});
  fail_script(step, std::move(failure));
}

}  // namespace

bool note_failed_resume(Step& step, const Command& command) {
  const auto* wake = std::get_if<WakeRun>(&command.body);
  const auto* offer = std::get_if<OfferSignal>(&command.body);
  if (!wake && !offer) return false;
  const std::string& error = wake ? wake->failed : offer->failed;
  const Run& run = step.run;
  if (error.empty() || run.finished() || run.paused()) return false;
  const Wait* found = wake ? due_wait(run, step.given.now) : offered_wait(run, *offer);
  if (!found || !is_pending(found->status)) return false;
  const Wait wait = *found;
  uint32_t attempt = wait.retries + 1;
  if (attempt > resume_retries_max) {
    fail_run_for(step, wait, attempt, error);
  } else {
    step.emit(ResumeFailed{wait.id, attempt, error, step.at + delay_after(attempt)});
  }
  return true;
}

}  // namespace fermata
