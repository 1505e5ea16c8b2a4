#include <algorithm>

#include "core/graph/event_wait.h"
#include "core/run/api_waits.h"

/// Waits of the API that listen to signals (W-11, W-44).
namespace fermata {

namespace {

/// From when on a signal counts (W-56): without a program, since the end of the last wait that
/// listened, or since the run is known here.
Instant api_window_start(const Step& step, const OpenWait& open, const waits::ForEvent& config) {
  const Run& run = step.run;
  Instant start = step.at;
  if (config.lookback == waits::Lookback::run_start) start = run.started_at;
  if (config.lookback == waits::Lookback::minutes)
    start = step.at - Duration{config.lookback_minutes * 60'000};
  if (config.lookback == waits::Lookback::related) {
    start = run.started_at;
    for (const auto& [name, end] : run.event_ends)
      if (run.definition->external) start = std::max(start, end.at);
    if (config.related_at) start = *config.related_at;
  }
  auto before = run.event_ends.find(open.step);
  if (before != run.event_ends.end()) start = std::max(start, before->second.at);
  return std::min(start, step.at);
}

std::string branch_of_listener(const Wait& wait, size_t listener) {
  const Value& events = wait.config.get("events");
  if (!events.is_array() || listener >= events.size()) return "";
  const Value& branch = events.items()[listener].get("branch");
  return branch.is_string() ? std::string(branch.as_string()) : std::string();
}

}  // namespace

namespace {

/// A wait beside a program may look back to a node of it; other runs have no steps to name.
std::optional<Finding> unrelated(const Run& run, const waits::ForEvent& config) {
  bool known =
      config.related_step.empty() || (!run.definition->is_script() && !run.definition->external &&
                                      run.definition->node_by_id(config.related_step));
  if (known) return std::nullopt;
  return Finding{"unknown_step",
                 "/related_step",
                 "the execution has no step `" + config.related_step +
                     "` to look back to; an instant can be given as related_at",
                 {}};
}

}  // namespace

Result<Wait, std::vector<Finding>> plan_api_event(const Step& step, const OpenWait& open) {
  auto read = waits::read_for_event(open.config, waits::for_event_rules(step.given.account.get()));
  if (!read) return Failure{std::move(read).error()};
  auto scope = waits::scope_of(*read, !step.run.contact_id.empty());
  if (!scope) return Failure{std::vector<Finding>{std::move(scope).error()}};
  if (auto mistake = unrelated(step.run, *read))
    return Failure{std::vector<Finding>{*std::move(mistake)}};
  Wait wait;
  wait.config = open.config;
  wait.intent = graph::told_of_window(step, *read);
  wait.status = WaitStatus::waiting;
  wait.due = step.at + read->timeout;
  wait.listeners = graph::listeners_of(*read, *scope, api_window_start(step, open, *read),
                                       graph::phone_of(step.given.contact.get()));
  return wait;
}

void take_api_event(Step& step, const WaitKey& key, size_t listener, const Signal& signal) {
  const Wait& wait = step.run.waits.at(key);
  Value shown = shown_signal(signal);
  step.emit(SignalMatched{wait.id, static_cast<uint32_t>(listener), signal.id, shown});
  bool all = wait.config.get("mode") == Value("all");
  bool open = std::any_of(wait.listeners.begin(), wait.listeners.end(),
                          [](const Listener& one) { return one.status == ListenerStatus::active; });
  if (all && open) return;
  WaitEnded ended;
  ended.wait = wait.id;
  ended.resumed_by = "event";
  ended.signal_id = signal.id;
  ended.outcome = Value::object({{"event", std::move(shown)}});
  std::string branch = all ? "" : branch_of_listener(wait, listener);
  if (!branch.empty()) ended.outcome.set("branch", branch);
  step.emit(std::move(ended));
  go_on(step);
}

}  // namespace fermata
