#pragma once
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"

namespace fermata {

/// Where a Redis is: `redis://[user:password@]host[:port][/database]`, or
/// `redis+sentinel://[user:password@]host[:port],…/name` for one that sentinels know by name.
struct RedisAddress {
  using Place = std::pair<std::string, int>;
  std::vector<Place> places;  ///< of the server, or of its sentinels
  std::string master;         ///< what the sentinels call it; empty: there are none
  std::string user;
  std::string password;
  int database = 0;
  /// As it may be shown: without the password.
  std::string shown;
};

/// Fails with invalid_setting, naming what is wrong and never the password. A place that would need
/// TLS is refused: the client library has none.
Outcome<RedisAddress> read_redis_address(const std::string& url);

}  // namespace fermata
