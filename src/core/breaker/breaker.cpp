#include "core/breaker/breaker.h"

namespace fermata::breaker {

std::string_view name_of(State state) {
  switch (state) {
    case State::closed: return "CLOSED";
    case State::open: return "OPEN";
    case State::half_open: return "HALF_OPEN";
  }
  return "";
}

State state_of(const Counts& counts) {
  if (counts.episode <= counts.closed) return State::closed;
  if (counts.open) return State::open;
  // Who counted the last success may have died before it wrote that the episode is closed.
  if (counts.ok && counts.ok->value >= successes_to_close) return State::closed;
  return State::half_open;
}

bool is_silent(const Counts& counts) {
  return state_of(counts) == State::half_open && counts.probes && !counts.ok;
}

std::optional<Instant> changes_at(const Counts& counts) {
  switch (state_of(counts)) {
    case State::closed: return std::nullopt;
    case State::open: return counts.open->ends_at;
    case State::half_open: return counts.ok ? counts.ok->ends_at : std::nullopt;
  }
  return std::nullopt;
}

std::string failures_key() { return "failures"; }
std::string episode_key() { return "episode"; }
std::string closed_key() { return "closed"; }
std::string open_key(int64_t episode) { return "open:" + std::to_string(episode); }
std::string probes_key(int64_t episode) { return "probes:" + std::to_string(episode); }
std::string ok_key(int64_t episode) { return "ok:" + std::to_string(episode); }

std::array<Bump, 2> opening(const Counts& counts) {
  // In this order: a newest episode that is not open yet would look half open.
  return {{{open_key(counts.episode + 1), 1, open_for}, {episode_key(), 1}}};
}

std::array<Bump, 2> ticket(const Counts& counts) {
  // In this order: tickets without `ok` would look as if nobody probed any more.
  return {{{ok_key(counts.episode), 0, silence_max}, {probes_key(counts.episode), 1}}};
}

std::vector<Bump> closing(const Counts& counts) {
  std::vector<Bump> bumps;
  if (counts.failures > 0) bumps.push_back({failures_key(), -counts.failures, Duration{0}});
  if (counts.episode > counts.closed) {
    bumps.push_back({closed_key(), counts.episode - counts.closed});
    // It must not end before what it is compared with.
    bumps.push_back({episode_key(), 0});
  }
  return bumps;
}

}  // namespace fermata::breaker
