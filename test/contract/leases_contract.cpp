#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "adapters/memory/memory_leases.h"
#include "adapters/memory/virtual_clock.h"
#include "adapters/redis/redis_leases.h"
#include "adapters/system/system_clock.h"
#include "test/support/eventually.h"
#include "test/support/redis_process.h"

/// What every adapter of the Leases port promises.
namespace fermata {
namespace {

/// Two processes that share what keeps leases.
class LeasesWorld {
 public:
  virtual ~LeasesWorld() = default;
  virtual Leases& one() = 0;
  virtual Leases& other() = 0;
  /// Lets so much time go by that a lease of `ttl_ms` has ended.
  virtual void outlive(int64_t ttl_ms) = 0;
};

class MemoryWorld final : public LeasesWorld {
 public:
  Leases& one() override { return one_; }
  Leases& other() override { return other_; }
  void outlive(int64_t ttl_ms) override { clock_.advance(Duration{ttl_ms}); }

 private:
  VirtualClock clock_{Instant{1'000}};
  MemoryLeases::Book book_;
  MemoryLeases one_{clock_, book_}, other_{clock_, book_};
};

class RedisWorld final : public LeasesWorld {
 public:
  RedisWorld() {
    EXPECT_TRUE(redis_.start());
    RedisOptions options;
    options.address = *read_redis_address(redis_.url());
    one_ = std::make_unique<RedisLeases>(options, clock_, "one");
    other_ = std::make_unique<RedisLeases>(options, clock_, "other");
    // The first question finds no index, and begins one.
    EXPECT_EQ(one_->take("first", Duration{1'000}).state, LeaseState::lost);
  }
  Leases& one() override { return *one_; }
  Leases& other() override { return *other_; }
  void outlive(int64_t ttl_ms) override {
    Instant then = clock_.now() + Duration{ttl_ms + 5};
    EXPECT_TRUE(test::eventually([&] { return clock_.now() >= then; }));
  }

 private:
  test::RedisProcess redis_;
  SystemClock clock_;
  std::unique_ptr<RedisLeases> one_, other_;
};

struct LeasesKind {
  std::string name;
  std::function<std::unique_ptr<LeasesWorld>()> make;
};

struct LeasesContract : testing::TestWithParam<LeasesKind> {
  std::unique_ptr<LeasesWorld> world = GetParam().make();
  Leases& one = world->one();
  Leases& other = world->other();
  static constexpr Duration lasting{100'000};
  static constexpr Duration brief{50};
};

// C-90
TEST_P(LeasesContract, is_held_by_one_at_a_time) {
  LeaseAnswer first = one.take("a", lasting);
  ASSERT_EQ(first.state, LeaseState::held);
  EXPECT_GT(first.fence, 0u);
  EXPECT_EQ(other.take("a", lasting).state, LeaseState::busy);
  EXPECT_EQ(one.take("a", lasting).state, LeaseState::busy);
  EXPECT_EQ(other.take("b", lasting).state, LeaseState::held);
}

// C-90
TEST_P(LeasesContract, fence_grows_with_every_holder) {
  uint64_t before = 0;
  for (int i = 0; i < 20; ++i) {
    Leases& who = i % 2 == 0 ? one : other;
    LeaseAnswer taken = who.take("a", lasting);
    ASSERT_EQ(taken.state, LeaseState::held);
    EXPECT_GT(taken.fence, before);
    before = taken.fence;
    who.give_back({"a", taken.fence, lasting});
  }
}

// C-90, C-215
TEST_P(LeasesContract, one_that_has_ended_is_taken_by_the_next_and_not_renewed) {
  LeaseAnswer first = one.take("a", brief);
  world->outlive(brief.ms);
  EXPECT_EQ(one.renew({"a", first.fence, lasting}).state, LeaseState::gone);
  LeaseAnswer second = other.take("a", lasting);
  ASSERT_EQ(second.state, LeaseState::held);
  EXPECT_GT(second.fence, first.fence);
  EXPECT_EQ(one.renew({"a", first.fence, lasting}).state, LeaseState::gone);
  EXPECT_EQ(other.renew({"a", second.fence, lasting}).state, LeaseState::held);
}

// C-90
TEST_P(LeasesContract, renewal_keeps_the_fence_and_gives_a_whole_time_again) {
  LeaseAnswer first = one.take("a", Duration{2'000});
  LeaseAnswer renewed = one.renew({"a", first.fence, lasting});
  EXPECT_EQ(renewed, first);
  world->outlive(2'000);
  EXPECT_EQ(other.take("a", lasting).state, LeaseState::busy);
}

// C-90
TEST_P(LeasesContract, is_renewed_and_given_back_by_its_holder_alone) {
  LeaseAnswer first = one.take("a", lasting);
  EXPECT_EQ(other.renew({"a", first.fence, lasting}).state, LeaseState::gone);
  EXPECT_EQ(one.renew({"a", first.fence + 1, lasting}).state, LeaseState::gone);
  other.give_back({"a", first.fence, lasting});
  one.give_back({"a", first.fence + 1, lasting});
  EXPECT_EQ(other.take("a", lasting).state, LeaseState::busy);
  one.give_back({"a", first.fence, lasting});
  EXPECT_EQ(other.take("a", lasting).state, LeaseState::held);
}

TEST_P(LeasesContract, many_are_asked_for_at_once_and_answered_in_order) {
  std::vector<LeaseWanted> wanted;
  for (int i = 0; i < 256; ++i) wanted.push_back({"shard:" + std::to_string(i), lasting});
  EXPECT_EQ(other.take("shard:7", lasting).state, LeaseState::held);
  auto answers = one.take(wanted);
  ASSERT_EQ(answers.size(), wanted.size());
  std::set<uint64_t> fences;
  std::vector<LeaseHeld> held;
  for (size_t i = 0; i < wanted.size(); ++i) {
    EXPECT_EQ(answers[i].state, i == 7 ? LeaseState::busy : LeaseState::held) << i;
    if (i == 7) continue;
    EXPECT_TRUE(fences.insert(answers[i].fence).second);
    held.push_back({wanted[i].name, answers[i].fence, lasting});
  }
  for (const LeaseAnswer& renewed : one.renew(held)) EXPECT_EQ(renewed.state, LeaseState::held);
  one.give_back(held);
  EXPECT_EQ(other.take("shard:8", lasting).state, LeaseState::held);
  EXPECT_TRUE(one.take(std::span<const LeaseWanted>()).empty());
}

INSTANTIATE_TEST_SUITE_P(
    adapters, LeasesContract,
    testing::Values(LeasesKind{"memory", [] { return std::make_unique<MemoryWorld>(); }},
                    LeasesKind{"redis", [] { return std::make_unique<RedisWorld>(); }}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace fermata
