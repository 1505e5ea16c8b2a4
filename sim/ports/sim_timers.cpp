#include "sim/ports/sim_timers.h"

namespace fermata::sim {

namespace {

constexpr int64_t delay_max_ms = 120'000;
constexpr Duration far_away{int64_t{1} << 42};

}  // namespace

void SimTimers::arm(const RunId& run, Instant due, TimerLane lane) {
  chaos_.port_call("timers.arm");
  if (chaos_.strikes(Fault::timers_flushed)) wheel_ = std::make_unique<WheelTimers>();
  if (chaos_.strikes(Fault::timer_lost)) return wheel_->disarm(run);
  if (chaos_.strikes(Fault::timer_delayed)) due = due + Duration{chaos_.between(1, delay_max_ms)};
  wheel_->arm(run, due, lane);
}

void SimTimers::disarm(const RunId& run) {
  chaos_.port_call("timers.disarm");
  wheel_->disarm(run);
}

std::vector<DueRun> SimTimers::due(Instant now, size_t most) {
  chaos_.port_call("timers.due");
  std::vector<DueRun> taken = wheel_->due(now, most);
  if (taken.size() < most && chaos_.strikes(Fault::timer_early)) {
    for (DueRun& due : wheel_->due(now + far_away, 1)) taken.push_back(std::move(due));
  }
  for (const DueRun& due : taken) {
    if (chaos_.strikes(Fault::timer_repeated))
      wheel_->arm(due.run, now + Duration{chaos_.between(0, 1'000)}, due.lane);
  }
  chaos_.port_call("timers.due taken");
  return taken;
}

}  // namespace fermata::sim
