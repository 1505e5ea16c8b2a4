#include "cli/test_clock.h"

#include <future>

namespace fermata::cli {

server::TestClock ClockMover::for_api() {
  return {[this] { return seen_.now(); },
          [this](Instant now) { return move([now](Instant) { return now; }); },
          [this](Duration by) { return move([by](Instant now) { return now + by; }); },
          [this](bool enabled) { return set_alarm(enabled); }};
}

void ClockMover::stop() { stopping_ = true; }

Outcome<Instant> ClockMover::move(std::function<Instant(Instant)> target) {
  std::lock_guard lock(one_at_a_time_);
  Instant now = seen_.now();
  Instant then = target(now);
  if (then < now)
    return fail(ErrorCode::invalid_field,
                "The clock stands at " + to_rfc3339(now) + " and cannot go back.");
  if (alarm_) return catch_up(then);
  seen_.set(then);
  return then;
}

Outcome<Instant> ClockMover::set_alarm(bool enabled) {
  std::lock_guard lock(one_at_a_time_);
  alarm_ = enabled;
  return enabled ? catch_up(seen_.now()) : seen_.now();
}

Outcome<Instant> ClockMover::catch_up(Instant then) {
  // Shared with the host, which may call it after a caller has given up.
  auto done = std::make_shared<std::promise<void>>();
  std::future<void> quiet = done->get_future();
  host_.advance_clock(
      then, [clock = &clock_](Instant at) { clock->set(at); }, [done] { done->set_value(); });
  while (quiet.wait_for(std::chrono::milliseconds(100)) != std::future_status::ready)
    if (stopping_) return fail(ErrorCode::shutting_down, "The server is stopping.");
  return seen_.now();
}

}  // namespace fermata::cli
