#include "adapters/redis/redis_wire.h"

#include "test/redis/fixture.h"

/// Bodies and guards of the wire in a real Redis (C-31, C-77, C-78).
namespace fermata::test {
namespace {

struct WireInRedis : RedisTest {
  std::unique_ptr<RedisWire> wire = [this] {
    auto opened = RedisWire::open(options());
    EXPECT_TRUE(opened) << opened.error().message;
    return *std::move(opened);
  }();
};

// C-31, C-78
TEST_F(WireInRedis, bodies_lie_where_workers_look_for_them) {
  ASSERT_TRUE(wire->put_body("ctx:j-1", R"({"amount":12})", Duration{90'000'000}));
  EXPECT_EQ(ask({"GET", "ctx:j-1"}).text, R"({"amount":12})");
  int64_t life = count({"TTL", "ctx:j-1"});
  EXPECT_GT(life, 89'900);
  EXPECT_LE(life, 90'000);
  ask({"SET", "res:j-1", "[1]"});
  auto found = wire->body("res:j-1");
  ASSERT_TRUE(found && *found);
  EXPECT_EQ(**found, "[1]");
  auto missing = wire->body("res:j-2");
  ASSERT_TRUE(missing);
  EXPECT_FALSE(*missing);
}

// C-77
TEST_F(WireInRedis, guards_name_the_consumer_and_end_by_themselves) {
  EXPECT_FALSE(wire->was_done({"S:one:7", "a"}));
  EXPECT_GT(count({"TTL", "cordum:bus:inflight:S:one:7"}), 100);
  wire->done({"S:one:7", "a"});
  EXPECT_EQ(count({"EXISTS", "cordum:bus:inflight:S:one:7"}), 0);
  EXPECT_GT(count({"TTL", "cordum:bus:processed:S:one:7"}), 1'700);
  EXPECT_TRUE(wire->was_done({"S:one:7", "a"}));
  EXPECT_FALSE(wire->was_done({"S:two:7", "a"})) << "another consumer is not silenced";
}

// C-77, C-229: NATS came back without its newest messages and numbers others as it had numbered
// those. A guard of what is gone must not silence what stands there now.
TEST_F(WireInRedis, guard_of_another_message_at_the_same_place_silences_nothing) {
  wire->done({"S:one:7", "a"});
  EXPECT_FALSE(wire->was_done({"S:one:7", "b"}));
  wire->done({"S:one:7", "b"});
  EXPECT_TRUE(wire->was_done({"S:one:7", "b"}));
}

// C-77: wrong or missing, they cost a look at the store.
TEST_F(WireInRedis, redis_that_is_away_knows_nothing_and_keeps_nobody_waiting_for_long) {
  wire->done({"S:one:7", "a"});
  gate.refuse();
  gate.cut();
  EXPECT_FALSE(wire->was_done({"S:one:7", "a"}));
  wire->done({"S:one:8", "a"});
  EXPECT_FALSE(wire->put_body("ctx:j", "1", Duration{60'000}));
  EXPECT_FALSE(wire->body("res:j"));
}

}  // namespace
}  // namespace fermata::test
