#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"

/// A circuit breaker whose state is a pure function of counters (J-31, J-32), so that replicas that
/// share the counters share the breaker. A counter is added to, read, and ends at its expiry.
///
/// CLOSED until 3 failures in a row; then an *episode* begins: OPEN for 30 s, then HALF_OPEN with 3
/// tickets. 2 successes close it; a failure, or 10 s without an outcome, begins the next episode.
namespace fermata::breaker {

constexpr int64_t failures_to_open = 3;
constexpr int64_t successes_to_close = 2;
constexpr int64_t tickets = 3;
constexpr Duration open_for{30'000};
constexpr Duration silence_max{10'000};
constexpr Duration counters_kept{3'600'000};

enum class State : uint8_t { closed, open, half_open };
/// `CLOSED`, `OPEN`, `HALF_OPEN`
std::string_view name_of(State state);

/// A counter as it is read; one that has ended or never began is absent.
struct Counter {
  int64_t value = 0;
  std::optional<Instant> ends_at{};
  bool operator==(const Counter&) const = default;
};

/// The counters of a breaker. Those of an episode are of the newest one.
struct Counts {
  int64_t failures = 0;  ///< in a row
  int64_t episode = 0;   ///< the newest; 0: it has never opened
  int64_t closed = 0;    ///< newest episode that was closed
  std::optional<Counter> open{};
  std::optional<Counter> probes{};
  /// Successes of probes. Ends 10 s after the last ticket or success: then nobody probes any more.
  std::optional<Counter> ok{};
  bool operator==(const Counts&) const = default;
};

State state_of(const Counts& counts);
/// HALF_OPEN, tickets were taken, and for too long nothing came of them.
bool is_silent(const Counts& counts);
/// When the state changes by time alone.
std::optional<Instant> changes_at(const Counts& counts);

/// What a request is let go out under. Its outcome counts only while this episode is the newest.
struct Pass {
  int64_t episode = 0;
  bool probe = false;
  bool operator==(const Pass&) const = default;
};

/// One addition to a counter. `ends_in` sets its expiry anew; 0 ends it at once.
struct Bump {
  std::string key;
  int64_t by = 0;
  Duration ends_in = counters_kept;
  bool operator==(const Bump&) const = default;
};

/// Names of the counters behind the breaker's prefix.
std::string failures_key();
std::string episode_key();
std::string closed_key();
std::string open_key(int64_t episode);
std::string probes_key(int64_t episode);
std::string ok_key(int64_t episode);

/// Begins the episode after `counts.episode`. The first bump must yield 1: who gets more came
/// second and leaves it at that. Then the second.
std::array<Bump, 2> opening(const Counts& counts);
/// To be made in order; the last must yield at most `tickets`, else there is no ticket left.
std::array<Bump, 2> ticket(const Counts& counts);
/// Ends a row of failures, or the newest episode, whatever stands.
std::vector<Bump> closing(const Counts& counts);

}  // namespace fermata::breaker
