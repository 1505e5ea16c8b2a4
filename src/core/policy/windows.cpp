#include "core/policy/windows.h"

#include <algorithm>

namespace fermata::policy {

namespace {

constexpr Duration prune_interval{60'000};

}  // namespace

bool Windows::exceeds(const std::string& key, uint64_t max_requests, int64_t window_ms,
                      const JobId& job, Instant now) const {
  auto found = windows_.find(key);
  if (found == windows_.end()) return max_requests == 0;
  const Window& window = found->second;
  Instant begin = now - Duration{window_ms};
  auto known = window.members.find(job);
  if (known != window.members.end() && known->second > begin) return false;
  auto inside = std::upper_bound(window.entries.begin(), window.entries.end(), begin,
                                 [](Instant at, const Entry& entry) { return at < entry.at; });
  return static_cast<uint64_t>(window.entries.end() - inside) + 1 > max_requests;
}

void Windows::drop_old(Window& window, Instant now) {
  Instant begin = now - Duration{window.window_ms};
  while (!window.entries.empty() && window.entries.front().at <= begin) {
    window.members.erase(window.entries.front().job);
    window.entries.pop_front();
  }
}

void Windows::count(const job::VelocityCount& passed, const JobId& job, Instant at) {
  if (at - last_prune_ >= prune_interval) prune(at);
  Window& window = windows_[passed.key];
  window.window_ms = passed.window_ms;
  drop_old(window, at);
  if (!window.members.emplace(job, at).second) return;
  // Almost always the last one; a clock that was set back must not spoil the order.
  auto place = std::upper_bound(window.entries.begin(), window.entries.end(), at,
                                [](Instant when, const Entry& entry) { return when < entry.at; });
  window.entries.insert(place, Entry{at, job});
}

void Windows::uncount(const job::VelocityCount& passed, const JobId& job, Instant at) {
  auto found = windows_.find(passed.key);
  if (found == windows_.end()) return;
  Window& window = found->second;
  auto known = window.members.find(job);
  if (known == window.members.end() || known->second != at) return;
  window.members.erase(known);
  std::erase_if(window.entries, [&](const Entry& entry) { return entry.job == job; });
  if (window.entries.empty()) windows_.erase(found);
}

void Windows::prune(Instant now) {
  last_prune_ = now;
  for (auto at = windows_.begin(); at != windows_.end();) {
    drop_old(at->second, now);
    at = at->second.entries.empty() ? windows_.erase(at) : std::next(at);
  }
}

std::vector<Windows::Shown> Windows::shown(const std::string& prefix, Instant now,
                                           size_t limit) const {
  std::vector<Shown> out;
  for (auto at = windows_.lower_bound(prefix); at != windows_.end() && out.size() < limit; ++at) {
    const auto& [key, window] = *at;
    if (!key.starts_with(prefix)) break;
    Instant begin = now - Duration{window.window_ms};
    Shown shown{key, window.window_ms, 0, now};
    for (const Entry& entry : window.entries) {
      if (entry.at <= begin) continue;
      if (shown.jobs++ == 0) shown.oldest = entry.at;
    }
    if (shown.jobs > 0) out.push_back(std::move(shown));
  }
  return out;
}

}  // namespace fermata::policy
