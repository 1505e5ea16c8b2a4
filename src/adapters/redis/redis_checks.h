#pragma once
#include "adapters/redis/redis_connection.h"

namespace fermata {

/// Something about a Redis that makes it unsafe to use (C-6).
struct RedisFinding {
  std::string found;     ///< as Redis says it
  std::string why;       ///< what would come of it
  std::string remedy;    ///< the setting that allows it, or what else helps
  bool allowed = false;  ///< by `redis.checks = warn`
};

/// Looks at how the Redis is set up. `prefix` stands before all our keys.
Outcome<std::vector<RedisFinding>> look_at_redis(RedisConnection& connection,
                                                 const std::string& prefix);
std::string text_of(const RedisFinding& finding);

}  // namespace fermata
