#pragma once
#include <gtest/gtest.h>

#include "adapters/memory/memory_counters.h"
#include "adapters/memory/memory_leases.h"
#include "adapters/memory/virtual_clock.h"
#include "adapters/redis/redis_link.h"
#include "test/support/eventually.h"
#include "test/support/gate.h"
#include "test/support/redis_process.h"

namespace fermata::test {

/// A Redis, a gate before it, and a connection of the test's own past the gate.
struct RedisTest : testing::Test {
  RedisTest() { EXPECT_TRUE(redis.start()); }

  /// By the gate.
  RedisOptions options() const {
    RedisOptions made;
    made.address = *read_redis_address("redis://127.0.0.1:" + std::to_string(gate.port()));
    return made;
  }
  RedisReply ask(const RedisCommand& command) const {
    auto connection = RedisConnection::open(*read_redis_address(redis.url()), Duration{20'000});
    if (!connection) return {RedisReply::Kind::error, connection.error().message};
    auto reply = connection->run(command);
    return reply ? *reply : RedisReply{RedisReply::Kind::error, reply.error().message};
  }
  int64_t count(const RedisCommand& command) const {
    RedisReply reply = ask(command);
    EXPECT_EQ(reply.kind, RedisReply::Kind::integer) << reply.text;
    return reply.integer;
  }

  RedisProcess redis;
  Gate gate{redis.port()};
};

}  // namespace fermata::test
