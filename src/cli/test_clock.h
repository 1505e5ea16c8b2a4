#pragma once
#include <algorithm>
#include <atomic>
#include <mutex>

#include "cli/world.h"
#include "host/host.h"
#include "server/api.h"

namespace fermata::cli {

/// The time that people are shown: the engine's, or a later one while its alarm is off.
class SeenClock final : public Clock {
 public:
  explicit SeenClock(const Clock& engine) : engine_(engine) {}
  Instant now() const override { return std::max(engine_.now(), Instant{ahead_.load()}); }
  void set(Instant now) { ahead_ = now.ms; }

 private:
  const Clock& engine_;
  std::atomic<int64_t> ahead_{0};
};

/// Moves a virtual clock for `/api/v1/test/clock`: every due time on the way is stopped at,
/// and the answer comes when all is quiet.
class ClockMover {
 public:
  ClockMover(MovableClock& clock, Host& host) : clock_(clock), seen_(clock), host_(host) {}

  server::TestClock for_api();
  Clock& seen() { return seen_; }
  /// Lets callers that still wait go; before the host stops.
  void stop();

 private:
  Outcome<Instant> move(std::function<Instant(Instant now)> target);
  Outcome<Instant> set_alarm(bool enabled);
  Outcome<Instant> catch_up(Instant then);

  MovableClock& clock_;
  SeenClock seen_;
  Host& host_;
  std::mutex one_at_a_time_;
  bool alarm_ = true;  ///< under the mutex
  std::atomic<bool> stopping_{false};
};

}  // namespace fermata::cli
