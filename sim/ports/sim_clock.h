#pragma once
#include "ports/clock.h"

namespace fermata::sim {

/// What the host believes the time to be: true time plus an error that jumps.
class SimClock final : public Clock {
 public:
  explicit SimClock(Instant start) : true_now_(start) {}
  Instant now() const override { return true_now_ + error_; }

  Instant true_now() const { return true_now_; }
  void pass(Duration time) { true_now_ = true_now_ + time; }
  void pass_until(Instant at) {
    if (at > true_now_) true_now_ = at;
  }
  void jump(Duration by) { error_ = error_ + by; }
  Duration error() const { return error_; }

 private:
  Instant true_now_;
  Duration error_;
};

}  // namespace fermata::sim
