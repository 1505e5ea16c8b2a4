#pragma once
#include <mutex>

#include "cli/world.h"
#include "host/host.h"
#include "server/api.h"

namespace fermata::cli {

/// Moves a virtual clock for `/api/v1/test/clock`: every due time on the way is stopped at,
/// and the answer comes when all is quiet.
class ClockMover {
 public:
  ClockMover(MovableClock& clock, Host& host) : clock_(clock), host_(host) {}

  server::TestClock for_api();
  /// Lets callers that still wait go; before the host stops.
  void stop();

 private:
  Outcome<Instant> move(std::function<Instant(Instant now)> target);

  MovableClock& clock_;
  Host& host_;
  std::mutex one_at_a_time_;
  std::atomic<bool> stopping_{false};
};

}  // namespace fermata::cli
