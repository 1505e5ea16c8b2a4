#pragma once
#include <mutex>

#include "adapters/redis/redis_link.h"
#include "ports/wire_memory.h"

namespace fermata {

/// Bodies and guards of the wire in Redis (C-31, C-77, C-78).
class RedisWire final : public WireMemory {
 public:
  static constexpr Duration processed_life{30 * 60'000};
  static constexpr Duration under_way_life{2 * 60'000};

  /// Fails as RedisLink::connect does.
  static Outcome<std::unique_ptr<RedisWire>> open(RedisOptions options);
  Outcome<void> put_body(const std::string& key, const std::string& bytes, Duration life) override;
  Outcome<std::optional<std::string>> body(const std::string& key) override;
  bool was_done(const GuardedPlace& place) override;
  void done(const GuardedPlace& place) override;

 private:
  explicit RedisWire(RedisOptions options) : link_(std::move(options)) {}

  std::mutex mutex_;
  RedisLink link_;
};

}  // namespace fermata
