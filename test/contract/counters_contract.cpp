#include <gtest/gtest.h>

#include <functional>

#include "adapters/memory/memory_counters.h"
#include "adapters/memory/virtual_clock.h"
#include "adapters/redis/redis_counters.h"
#include "adapters/system/system_clock.h"
#include "test/support/eventually.h"
#include "test/support/redis_process.h"

/// What every adapter of the Counters port promises.
namespace fermata {
namespace {

/// Counters and the time they live in.
class CountersWorld {
 public:
  virtual ~CountersWorld() = default;
  virtual Counters& counters() = 0;
  /// Lets time go by, exactly where that can be done.
  virtual void pass(int64_t ms) = 0;
  virtual bool is_exact() const = 0;
  virtual Instant now() const = 0;
};

class MemoryWorld final : public CountersWorld {
 public:
  Counters& counters() override { return counters_; }
  void pass(int64_t ms) override { clock_.advance(Duration{ms}); }
  bool is_exact() const override { return true; }
  Instant now() const override { return clock_.now(); }

 private:
  VirtualClock clock_{Instant{1'000}};
  MemoryCounters counters_{clock_};
};

class RedisWorld final : public CountersWorld {
 public:
  RedisWorld() {
    EXPECT_TRUE(redis_.start());
    RedisOptions options;
    options.address = *read_redis_address(redis_.url());
    counters_ =
        std::make_unique<RedisCounters>(options, clock_, std::make_unique<MemoryCounters>(clock_));
    EXPECT_TRUE(test::eventually([&] { return !counters_->is_away(); }));
  }
  Counters& counters() override { return *counters_; }
  void pass(int64_t ms) override {
    Instant then = clock_.now() + Duration{ms};
    EXPECT_TRUE(test::eventually([&] { return clock_.now() >= then; }));
  }
  bool is_exact() const override { return false; }
  Instant now() const override { return clock_.now(); }

 private:
  test::RedisProcess redis_;
  SystemClock clock_;
  std::unique_ptr<RedisCounters> counters_;
};

struct CountersKind {
  std::string name;
  std::function<std::unique_ptr<CountersWorld>()> make;
};

struct CountersContract : testing::TestWithParam<CountersKind> {
  std::unique_ptr<CountersWorld> world = GetParam().make();
  Counters& counters = world->counters();

  std::optional<int64_t> value(const std::string& key) {
    auto read = counters.read(std::span(&key, 1));
    return read.front() ? std::optional(read.front()->value) : std::nullopt;
  }
  /// At once, where time is exact.
  bool ends(const std::string& key) {
    if (world->is_exact()) return !value(key);
    return test::eventually([&] { return !value(key); });
  }
};

TEST_P(CountersContract, adds_and_answers_the_new_value) {
  EXPECT_EQ(value("a"), std::nullopt);
  EXPECT_EQ(counters.add("a", 2, Duration{100'000}), 2);
  EXPECT_EQ(counters.add("a", -1, Duration{100'000}), 1);
  EXPECT_EQ(counters.add("b", 0, Duration{100'000}), 0);
  const std::string keys[] = {"b", "a", "c"};
  auto read = counters.read(keys);
  ASSERT_EQ(read.size(), 3u);
  EXPECT_EQ(read[0]->value, 0);
  EXPECT_EQ(read[1]->value, 1);
  EXPECT_EQ(read[2], std::nullopt);
}

TEST_P(CountersContract, tells_when_a_counter_ends) {
  Instant before = world->now();
  counters.add("a", 1, Duration{60'000});
  const std::string key = "a";
  auto read = counters.read(std::span(&key, 1)).front();
  ASSERT_TRUE(read && read->ends_at);
  EXPECT_GT(*read->ends_at, before + Duration{30'000});
  EXPECT_LE(*read->ends_at, world->now() + Duration{60'000});
}

TEST_P(CountersContract, ends_when_its_time_is_over_and_begins_anew) {
  counters.add("a", 5, Duration{100});
  if (world->is_exact()) world->pass(50);
  counters.add("a", 0, Duration{100});
  if (world->is_exact()) {
    world->pass(99);
    EXPECT_EQ(value("a"), 5);
    world->pass(1);
  }
  EXPECT_TRUE(ends("a"));
  EXPECT_EQ(counters.add("a", 1, Duration{100}), 1);
}

TEST_P(CountersContract, addition_gives_it_a_whole_time_again) {
  counters.add("a", 5, Duration{2'000});
  counters.add("a", 0, Duration{100'000});
  world->pass(2'100);
  EXPECT_EQ(value("a"), 5);
}

TEST_P(CountersContract, ends_at_once_when_told_so) {
  counters.add("a", 5, Duration{100'000});
  counters.add("a", -5, Duration{0});
  EXPECT_EQ(value("a"), std::nullopt);
}

TEST_P(CountersContract, keeps_nothing_of_many_that_have_ended) {
  for (int i = 0; i < 5'000; ++i) {
    if (world->is_exact()) world->pass(1'000);
    counters.add("key " + std::to_string(i), 1, Duration{i < 4'999 ? 500 : 100'000});
  }
  EXPECT_EQ(value("key 4999"), 1);
  EXPECT_TRUE(ends("key 0"));
  EXPECT_TRUE(ends("key 4998") || world->is_exact());
}

INSTANTIATE_TEST_SUITE_P(
    adapters, CountersContract,
    testing::Values(CountersKind{"memory", [] { return std::make_unique<MemoryWorld>(); }},
                    CountersKind{"redis", [] { return std::make_unique<RedisWorld>(); }}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace fermata
