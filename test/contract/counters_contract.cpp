#include <gtest/gtest.h>

#include "adapters/memory/memory_counters.h"
#include "adapters/memory/virtual_clock.h"

/// What every adapter of the Counters port promises.
namespace fermata {
namespace {

struct CountersContract : testing::Test {
  VirtualClock clock{Instant{1'000}};
  MemoryCounters counters{clock};

  std::optional<int64_t> value(const std::string& key) {
    auto read = counters.read(std::span(&key, 1));
    return read.front() ? std::optional(read.front()->value) : std::nullopt;
  }
};

TEST_F(CountersContract, adds_and_answers_the_new_value) {
  EXPECT_EQ(value("a"), std::nullopt);
  EXPECT_EQ(counters.add("a", 2, Duration{100}), 2);
  EXPECT_EQ(counters.add("a", -1, Duration{100}), 1);
  EXPECT_EQ(counters.add("b", 0, Duration{100}), 0);
  const std::string keys[] = {"b", "a", "c"};
  auto read = counters.read(keys);
  ASSERT_EQ(read.size(), 3u);
  EXPECT_EQ(read[0]->value, 0);
  EXPECT_EQ(read[1]->value, 1);
  EXPECT_EQ(read[2], std::nullopt);
}

TEST_F(CountersContract, ends_when_its_time_is_over_and_begins_anew) {
  counters.add("a", 5, Duration{100});
  clock.set(Instant{1'050});
  counters.add("a", 0, Duration{100});
  clock.set(Instant{1'149});
  EXPECT_EQ(value("a"), 5);
  clock.set(Instant{1'150});
  EXPECT_EQ(value("a"), std::nullopt);
  EXPECT_EQ(counters.add("a", 1, Duration{100}), 1);
}

TEST_F(CountersContract, ends_at_once_when_told_so) {
  counters.add("a", 5, Duration{100});
  counters.add("a", -5, Duration{0});
  EXPECT_EQ(value("a"), std::nullopt);
}

TEST_F(CountersContract, keeps_nothing_of_many_that_have_ended) {
  for (int i = 0; i < 5'000; ++i) {
    clock.set(Instant{1'000 + i * 1'000});
    counters.add("key " + std::to_string(i), 1, Duration{500});
  }
  EXPECT_EQ(value("key 4999"), 1);
  EXPECT_EQ(value("key 0"), std::nullopt);
}

}  // namespace
}  // namespace fermata
