#include "core/model/branches.h"

#include <gtest/gtest.h>

#include <map>

#include "base/random.h"

namespace fermata {
namespace {

/// Each branch is told from others by what it counts.
std::map<uint32_t, uint32_t> content(const Branches& branches) {
  std::map<uint32_t, uint32_t> out;
  for (auto [item, branch] : branches) out.emplace(item, branch.merges);
  return out;
}

TEST(Branches, are_found_by_item_in_whatever_order_they_end) {
  Random random(11);
  for (int round = 0; round < 20; ++round) {
    Branches branches;
    std::map<uint32_t, uint32_t> plain;
    uint32_t next = static_cast<uint32_t>(random.below(5));
    for (int step = 0; step < 400; ++step) {
      if (plain.empty() || random.below(100) < 52) {
        next += static_cast<uint32_t>(random.below(3));
        branches.add(next).merges = next * 7;
        plain[next] = next * 7;
        ++next;
      } else {
        auto ended = plain.begin();
        std::advance(ended, static_cast<ptrdiff_t>(random.below(plain.size())));
        branches.erase(ended->first);
        plain.erase(ended);
      }
      ASSERT_EQ(content(branches), plain);
      ASSERT_EQ(branches.size(), plain.size());
      uint32_t sought = static_cast<uint32_t>(random.below(next + 2));
      ASSERT_EQ(branches.contains(sought), plain.contains(sought));
    }
    Branches copy = branches;
    branches.clear();
    EXPECT_TRUE(branches.empty());
    EXPECT_EQ(content(copy), plain);
  }
}

}  // namespace
}  // namespace fermata
