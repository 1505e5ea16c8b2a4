#include "host/breaker.h"

namespace fermata {

breaker::Counts Breaker::read() {
  breaker::Counts counts;
  const std::string whole[] = {prefix_ + breaker::failures_key(), prefix_ + breaker::episode_key(),
                               prefix_ + breaker::closed_key()};
  auto found = counters_.read(whole);
  auto value = [&](size_t i) { return found[i] ? found[i]->value : 0; };
  counts.failures = value(0);
  counts.episode = value(1);
  counts.closed = value(2);
  if (counts.episode <= counts.closed) return counts;
  const std::string of_episode[] = {prefix_ + breaker::open_key(counts.episode),
                                    prefix_ + breaker::probes_key(counts.episode),
                                    prefix_ + breaker::ok_key(counts.episode)};
  found = counters_.read(of_episode);
  counts.open = found[0];
  counts.probes = found[1];
  counts.ok = found[2];
  return counts;
}

int64_t Breaker::make(const breaker::Bump& bump) {
  return counters_.add(prefix_ + bump.key, bump.by, bump.ends_in);
}

void Breaker::open(const breaker::Counts& counts) {
  auto [mark, count] = breaker::opening(counts);
  if (make(mark) == 1) make(count);
}

breaker::Counts Breaker::look() {
  breaker::Counts counts = read();
  if (!is_silent(counts)) return counts;
  open(counts);
  return read();
}

std::optional<breaker::Pass> Breaker::admit() {
  breaker::Counts counts = look();
  switch (state_of(counts)) {
    case breaker::State::closed: return breaker::Pass{counts.episode, false};
    case breaker::State::open: return std::nullopt;
    case breaker::State::half_open: break;
  }
  if (counts.probes && counts.probes->value >= breaker::tickets) return std::nullopt;
  auto [sign_of_life, taken] = breaker::ticket(counts);
  make(sign_of_life);
  if (make(taken) > breaker::tickets) return std::nullopt;
  return breaker::Pass{counts.episode, true};
}

bool Breaker::succeeded(const breaker::Pass& pass) {
  breaker::Counts counts = look();
  if (pass.episode != counts.episode) return false;
  bool probed = pass.probe && state_of(counts) == breaker::State::half_open;
  if (state_of(counts) != breaker::State::closed && !probed) return false;
  if (probed) {
    int64_t successes = make({breaker::ok_key(counts.episode), 1, breaker::silence_max});
    if (successes < breaker::successes_to_close) return false;
  }
  for (const breaker::Bump& bump : closing(counts)) make(bump);
  return probed;
}

void Breaker::failed(const breaker::Pass& pass) {
  breaker::Counts counts = look();
  if (pass.episode != counts.episode) return;
  switch (state_of(counts)) {
    case breaker::State::closed:
      if (make({breaker::failures_key(), 1}) >= breaker::failures_to_open) open(counts);
      return;
    case breaker::State::open: return;
    case breaker::State::half_open:
      if (pass.probe) open(counts);
  }
}

bool Breaker::reset() {
  breaker::Counts counts = read();
  bool was_open = state_of(counts) != breaker::State::closed;
  for (const breaker::Bump& bump : closing(counts)) make(bump);
  return was_open;
}

}  // namespace fermata
