#include "adapters/memory/memory_counters.h"

#include <algorithm>

namespace fermata {

bool MemoryCounters::has_ended(Kept& kept, Instant now) {
  kept.ends_at = std::min(kept.ends_at, now + kept.given);
  return kept.ends_at <= now;
}

int64_t MemoryCounters::add(const std::string& key, int64_t by, Duration ends_in) {
  Instant now = clock_.now();
  Kept& kept = counters_[key];
  if (has_ended(kept, now)) kept = {};
  kept.value += by;
  kept.ends_at = now + ends_in;
  kept.given = ends_in;
  int64_t value = kept.value;
  if (ends_in.ms <= 0) counters_.erase(key);
  if (counters_.size() > pruned_above)
    for (auto each = counters_.begin(); each != counters_.end();)
      each = has_ended(each->second, now) ? counters_.erase(each) : std::next(each);
  return value;
}

std::vector<std::optional<breaker::Counter>> MemoryCounters::read(
    std::span<const std::string> keys) {
  Instant now = clock_.now();
  std::vector<std::optional<breaker::Counter>> out;
  out.reserve(keys.size());
  for (const std::string& key : keys) {
    auto found = counters_.find(key);
    bool there = found != counters_.end() && !has_ended(found->second, now);
    out.push_back(there
                      ? std::optional(breaker::Counter{found->second.value, found->second.ends_at})
                      : std::nullopt);
  }
  return out;
}

}  // namespace fermata
