#pragma once
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace fermata {

/// How values are spread: how many are at most each bound, and how many are above them all.
struct SpreadSeen {
  std::vector<uint64_t> bounds{};
  std::vector<uint64_t> counts{};  ///< one more than there are bounds
  uint64_t sum = 0;
};

/// Counted by one thread, read by any.
template <size_t N>
class Spread {
 public:
  explicit Spread(const std::array<uint64_t, N>& bounds) : bounds_(bounds) {}

  void add(uint64_t value) {
    size_t at = 0;
    while (at < N && value > bounds_[at]) ++at;
    counts_[at].fetch_add(1, std::memory_order_relaxed);
    sum_.fetch_add(value, std::memory_order_relaxed);
  }
  SpreadSeen seen() const {
    SpreadSeen out{{bounds_.begin(), bounds_.end()}, {}, sum_.load(std::memory_order_relaxed)};
    for (const auto& count : counts_) out.counts.push_back(count.load(std::memory_order_relaxed));
    return out;
  }

 private:
  const std::array<uint64_t, N> bounds_;
  std::array<std::atomic<uint64_t>, N + 1> counts_{};
  std::atomic<uint64_t> sum_{0};
};

}  // namespace fermata
