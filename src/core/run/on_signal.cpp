#include "core/graph/advance.h"
#include "core/run/step.h"

namespace fermata {

Outcome<void> on_signal(Step& step, const SignalRun& signal) {
  Run& run = step.run;
  if (run.finished()) return fail(ErrorCode::run_finished, "the execution has ended");
  if (!signal.signal_id.empty() && run.signal_ids.contains(signal.signal_id)) return {};
  if (run.signals.size() >= step.given.limits.signals_kept_max)
    return fail(ErrorCode::rate_limited, "the execution keeps " +
                                             std::to_string(run.signals.size()) +
                                             " signals; setting graph_signals_kept_max");
  std::string id = signal.signal_id;
  if (id.empty()) id = "#" + std::to_string(run.last_sequence + 1);
  step.emit(SignalReceived{signal.name, id, signal.payload, signal.trace});
  if (!run.paused()) graph::offer_signals(step, signal.name);
  graph::advance(step);
  return {};
}

}  // namespace fermata
