#pragma once
#include <memory>

#include "adapters/memory/wheel_timers.h"
#include "sim/chaos.h"

namespace fermata::sim {

/// The wheel that the server uses, in front of a world that loses, repeats and delays its entries.
/// Dies with the process.
class SimTimers final : public Timers {
 public:
  explicit SimTimers(Chaos& chaos) : chaos_(chaos) {}

  using Timers::arm;
  void arm(const RunId& run, Instant due, TimerLane lane) override;
  void disarm(const RunId& run) override;
  std::vector<DueRun> due(Instant now, size_t most) override;
  std::optional<Instant> next_due() const override { return wheel_->next_due(); }
  size_t size() const override { return wheel_->size(); }

 private:
  Chaos& chaos_;
  std::unique_ptr<WheelTimers> wheel_ = std::make_unique<WheelTimers>();
};

}  // namespace fermata::sim
