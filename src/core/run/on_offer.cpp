#include <algorithm>

#include "core/graph/advance.h"
#include "core/graph/event_wait.h"
#include "core/run/api_waits.h"
#include "core/run/wait_events.h"
#include "core/run/wait_gate.h"
#include "core/wait/matching.h"

/// Signals that waits of the run may listen to. The run judges: what has changed since somebody
/// looked at the wait counts (W-54).
namespace fermata {

namespace {

Failure<Error> not_listening() {
  return fail(ErrorCode::not_listening, "the wait does not listen to this signal");
}

bool started_by(const Run& run, const Signal& signal) {
  return run.trigger_kind == "event" && run.trigger.get("event_id") == Value(signal.id);
}

/// What ended a wait at this step before the wait was opened is not used there again (W-58).
bool is_used(const Run& run, const Wait& wait, const Signal& signal) {
  auto end = run.event_ends.find(wait.step);
  return end != run.event_ends.end() && wait.occurrence > end->second.opened &&
         end->second.signals.contains(signal.id);
}

std::optional<size_t> hearer(const Run& run, const Wait& wait, const Signal& signal) {
  if (!wait.listens() || is_used(run, wait, signal) || started_by(run, signal)) return std::nullopt;
  return waits::hearer({run.account, run.workflow, run.id, run.contact_id, wait}, signal);
}

bool was_heard(const Wait& wait, const Signal& signal) {
  return std::any_of(wait.listeners.begin(), wait.listeners.end(), [&](const Listener& listener) {
    return listener.status == ListenerStatus::matched && listener.matched_event == signal.id;
  });
}

/// True when it meant something to the wait. One that must not go on now is held instead, and finds
/// the signal when it is released (W-65).
bool offer_to(Step& step, const WaitKey& key, const Signal& signal) {
  auto found = step.run.waits.find(key);
  if (found == step.run.waits.end() || step.run.paused()) return false;
  auto listener = hearer(step.run, found->second, signal);
  if (!listener || key.source == WaitSource::flow) return false;
  if (stopped_at_gate(step, key)) return true;
  if (key.source == WaitSource::api) {
    take_api_event(step, key, *listener, signal);
    return true;
  }
  graph::take_event(step, key.number, *listener, signal);
  graph::advance(step);
  return true;
}

/// For whoever takes signals of the run in order: kept, unless nobody ever would.
Outcome<void> on_run_offer(Step& step, const Signal& signal) {
  const auto& nodes = step.run.definition->nodes;
  bool taken = std::any_of(nodes.begin(), nodes.end(), [](const graph::Node& node) {
    return node.type == graph::NodeType::wait_for_signal;
  });
  if (!taken) return not_listening();
  return on_signal(step, SignalRun{signal.type, signal.data, signal.id});
}

}  // namespace

Outcome<void> on_offer(Step& step, const OfferSignal& offer) {
  const Signal& signal = *offer.signal;
  if (step.run.finished()) return fail(ErrorCode::run_finished, "the execution has ended");
  if (signal.account != step.run.account) return not_listening();
  if (offer.wait.empty()) return on_run_offer(step, signal);
  FERMATA_TRY(key, standing_wait(step.run, offer.wait));
  const Wait& wait = step.run.waits.at(key);
  // Offered again, it has been taken already.
  if (was_heard(wait, signal)) return {};
  if (!is_pending(wait.status)) return wait_has_ended();
  if (!offer_to(step, key, signal)) return not_listening();
  return {};
}

void take_retained(Step& step) {
  for (const SignalRef& signal : step.given.retained) {
    std::vector<WaitKey> keys;
    for (const auto& [key, wait] : step.run.waits)
      if (wait.listens() && is_pending(wait.status)) keys.push_back(key);
    for (const WaitKey& key : keys) {
      if (step.over()) return;
      offer_to(step, key, *signal);
    }
  }
}

}  // namespace fermata
