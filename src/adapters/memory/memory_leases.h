#pragma once
#include <map>

#include "ports/clock.h"
#include "ports/leases.h"

namespace fermata {

/// Leases of one process. Several may share a `Book` and are then several holders.
class MemoryLeases final : public Leases {
 public:
  struct Kept {
    uint64_t fence = 0;
    Instant until{};
    const void* holder = nullptr;
  };
  struct Book {
    uint64_t fences = 0;  ///< given so far
    std::map<std::string, Kept> leases{};
  };

  MemoryLeases(const Clock& clock, Book& book) : clock_(clock), book_(book) {}
  explicit MemoryLeases(const Clock& clock) : clock_(clock), book_(own_) {}
  MemoryLeases(const MemoryLeases&) = delete;
  MemoryLeases& operator=(const MemoryLeases&) = delete;

  using Leases::give_back;
  using Leases::renew;
  using Leases::take;
  std::vector<LeaseAnswer> take(std::span<const LeaseWanted> wanted) override;
  std::vector<LeaseAnswer> renew(std::span<const LeaseHeld> held) override;
  void give_back(std::span<const LeaseHeld> held) override;

 private:
  static constexpr size_t pruned_above = 1'000;
  /// The lease if it is this holder's, under this fence, and its time is not over.
  Kept* ours(const LeaseHeld& held);

  const Clock& clock_;
  Book own_;
  Book& book_;
};

}  // namespace fermata
