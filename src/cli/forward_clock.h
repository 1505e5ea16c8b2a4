#pragma once
#include <algorithm>
#include <atomic>
#include <memory>

#include "ports/clock.h"

namespace fermata::cli {

/// The machine's clock as decisions see it: it never runs backwards (C-103), and stands still until
/// a clock that was set back has come to where it was. Safe from several threads.
class ForwardClock final : public Clock {
 public:
  /// `shift`: by so much it is wrong on purpose.
  explicit ForwardClock(std::unique_ptr<Clock> clock, Duration shift = {})
      : clock_(std::move(clock)), shift_(shift) {}
  Instant now() const override {
    int64_t now = (clock_->now() + shift_).ms;
    int64_t latest = latest_.load();
    while (latest < now && !latest_.compare_exchange_weak(latest, now)) {
    }
    return {std::max(latest, now)};
  }

 private:
  const std::unique_ptr<Clock> clock_;
  const Duration shift_;
  mutable std::atomic<int64_t> latest_{INT64_MIN};
};

}  // namespace fermata::cli
