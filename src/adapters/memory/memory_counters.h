#pragma once
#include <map>

#include "ports/clock.h"
#include "ports/counters.h"

namespace fermata {

/// Counters of one process, which end with it.
class MemoryCounters final : public Counters {
 public:
  explicit MemoryCounters(const Clock& clock) : clock_(clock) {}
  int64_t add(const std::string& key, int64_t by, Duration ends_in) override;
  std::vector<std::optional<breaker::Counter>> read(std::span<const std::string> keys) override;

 private:
  static constexpr size_t pruned_above = 1'000;
  struct Kept {
    int64_t value = 0;
    Instant ends_at{};
    Duration given{};  ///< no counter lasts longer, should the clock be set back
  };
  static bool has_ended(Kept& kept, Instant now);

  const Clock& clock_;
  std::map<std::string, Kept> counters_;
};

}  // namespace fermata
