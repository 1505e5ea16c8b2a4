#include "host/guarded_calls.h"

namespace fermata {

void GuardedWay::look() {
  breaker::Counts counts = breaker_.look();
  state_ = state_of(counts);
  // Whoever probes may fall silent; then it opens again without anybody asking.
  silent_at_ = state_ == breaker::State::half_open ? changes_at(counts) : std::nullopt;
}

std::optional<breaker::State> GuardedWay::take_change() {
  if (told_ == state_) return std::nullopt;
  told_ = state_;
  return state_;
}

BreakerView GuardedWay::view() {
  BreakerView view;
  breaker::Counts counts = breaker_.look();
  view.name = name_;
  view.state = state_of(counts);
  view.failures = counts.failures;
  view.episode = counts.episode;
  view.probes_used = counts.probes ? counts.probes->value : 0;
  view.changes_at = changes_at(counts);
  view.probes_sent = probes_;
  return view;
}

bool GuardedWay::reset() {
  if (!breaker_.reset()) return false;
  look();
  return true;
}

std::optional<Instant> earliest(std::initializer_list<std::optional<Instant>> instants) {
  std::optional<Instant> first;
  for (const std::optional<Instant>& one : instants)
    if (one && (!first || *one < *first)) first = one;
  return first;
}

}  // namespace fermata
