#pragma once
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "adapters/postgres/connection.h"
#include "ports/replicas.h"

namespace fermata::postgres {

/// Says that this one lives, with what it is.
Outcome<void> touch_replica(Connection& connection, const Replica& self);
/// It ends: nobody has to wait until it was silent for long.
Outcome<void> forget_replica(Connection& connection, const std::string& id);
Outcome<std::vector<Replica>> list_replicas(Connection& connection);
/// Ids of those that live.
Outcome<std::set<std::string>> living_replicas(Connection& connection);
/// Those that were silent for a day.
Outcome<void> sweep_replicas(Connection& connection);

/// How much a clock is ahead of PostgreSQL's (C-103): the median of five, each good to half of its
/// round trip.
struct Skew {
  int64_t ms = 0;
  int64_t error_ms = 0;  ///< at most so much more or less
};
Outcome<Skew> measure_skew(Connection& connection, const std::function<Instant()>& now);

}  // namespace fermata::postgres
