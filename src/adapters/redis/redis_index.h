#pragma once
#include "adapters/redis/redis_link.h"
#include "ports/clock.h"

namespace fermata {

/// Which life of the index in Redis this is: `fermata:index` holds `<cluster>:<epoch>`, and
/// `fermata:fence` the newest fence, epoch · 2²⁰ + counter, so that fences grow across flushes
/// (C-90). Absent or another's: the index is lost, and whoever notices begins the next epoch.
class RedisIndex {
 public:
  RedisIndex(RedisLink& link, const Clock& clock) : link_(link), clock_(clock) {}

  static constexpr std::string_view index_name = "fermata:index";
  static constexpr std::string_view fence_name = "fermata:fence";
  static constexpr int fence_bits = 20;  ///< of a fence, below its epoch

  /// What scripts compare `fermata:index` with; empty until `find` or `renew` has succeeded.
  const std::string& known() const { return known_; }
  /// What an index of ours begins with.
  std::string mine() const { return link_.options().cluster + ":"; }
  /// Takes over the index that is there, or begins the next epoch. True when it was begun or is
  /// another one than was known: what we had put there is gone.
  Outcome<bool> renew();

 private:
  uint64_t next_epoch() const;

  RedisLink& link_;
  const Clock& clock_;
  std::string known_;
  uint64_t epoch_ = 0;  ///< of the index that is known
};

}  // namespace fermata
