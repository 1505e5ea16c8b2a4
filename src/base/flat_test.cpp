#include "base/flat.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "base/random.h"

namespace fermata {
namespace {

TEST(Flat, set_is_a_set) {
  Random random(7);
  FlatSet<uint64_t> flat;
  std::set<uint64_t> plain;
  for (int i = 0; i < 2'000; ++i) {
    uint64_t value = random.below(40);
    if (random.below(2) == 0) {
      flat.insert(value);
      plain.insert(value);
    } else {
      flat.erase(value);
      plain.erase(value);
    }
    ASSERT_TRUE(std::ranges::equal(flat, plain));
    ASSERT_EQ(flat.contains(value), plain.contains(value));
    ASSERT_EQ(flat.empty(), plain.empty());
  }
}

TEST(Flat, map_is_a_map) {
  Random random(8);
  FlatMap<uint32_t, int> flat;
  std::map<uint32_t, int> plain;
  for (int i = 0; i < 500; ++i) {
    auto key = static_cast<uint32_t>(random.below(40));
    ASSERT_EQ(flat.find(key) != nullptr, plain.contains(key));
    ++flat[key];
    ++plain[key];
    ASSERT_EQ(*flat.find(key), plain.at(key));
    ASSERT_EQ(flat.size(), plain.size());
  }
  EXPECT_TRUE(std::ranges::equal(flat, plain, [](const auto& a, const auto& b) {
    return a.first == b.first && a.second == b.second;
  }));
}

}  // namespace
}  // namespace fermata
