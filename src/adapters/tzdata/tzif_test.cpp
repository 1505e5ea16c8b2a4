#include "adapters/tzdata/tzif.h"

#include <gtest/gtest.h>

#include "base/random.h"

namespace fermata {
namespace {

std::string big(int64_t value, int width) {
  std::string bytes;
  for (int shift = (width - 1) * 8; shift >= 0; shift -= 8)
    bytes += static_cast<char>(value >> shift & 0xff);
  return bytes;
}

struct Block {
  std::vector<int64_t> changes;
  std::string indexes;
  std::vector<int> offsets{3600, 7200};
  std::string letters{"CET\0CEST\0", 9};
  int leap_seconds = 0;
};

std::string header(char version, const Block& block) {
  return "TZif" + std::string(1, version) + std::string(15, '\0') + big(0, 4) + big(0, 4) +
         big(block.leap_seconds, 4) + big(static_cast<int64_t>(block.changes.size()), 4) +
         big(static_cast<int64_t>(block.offsets.size()), 4) +
         big(static_cast<int64_t>(block.letters.size()), 4);
}

std::string body(const Block& block, int width) {
  std::string bytes;
  for (int64_t change : block.changes) bytes += big(change, width);
  bytes += block.indexes;
  for (size_t i = 0; i < block.offsets.size(); ++i)
    bytes += big(block.offsets[i], 4) + big(i == 1, 1) + big(i == 0 ? 0 : 4, 1);
  return bytes + block.letters + std::string(static_cast<size_t>(block.leap_seconds * 12), '\0');
}

Block one_change() { return {{1'000'000'000}, std::string(1, '\1')}; }

std::string version_2(const Block& block, std::string_view footer, char version = '2') {
  return header(version, {}) + body({}, 4) + header(version, block) + body(block, 8) + "\n" +
         std::string(footer) + "\n";
}

std::string refusal(std::string_view bytes) {
  auto zone = read_tzif(bytes);
  return zone ? "read" : zone.error();
}

}  // namespace

TEST(Tzif, all_versions_are_read) {
  Block block = one_change();
  for (const std::string& bytes :
       {header('\0', block) + body(block, 4), version_2(block, ""), version_2(block, "", '3'),
        version_2(block, "CET-1CEST,M3.5.0,M10.5.0/3", '4')}) {
    auto zone = read_tzif(bytes);
    ASSERT_TRUE(zone) << zone.error();
    EXPECT_EQ(zone->offset_at({999'999'999'999}), (ZoneOffset{3600, "CET", false}));
    EXPECT_EQ(zone->offset_at({1'000'000'000'000}), (ZoneOffset{7200, "CEST", true}));
  }
}

TEST(Tzif, rule_goes_on_after_the_last_change) {
  auto zone = read_tzif(version_2(one_change(), "CET-1CEST,M3.5.0,M10.5.0/3"));
  ASSERT_TRUE(zone);
  EXPECT_EQ(zone->offset_at(*parse_rfc3339("2100-01-01T00:00:00Z")).seconds, 3600);
  EXPECT_EQ(zone->offset_at(*parse_rfc3339("2100-07-01T00:00:00Z")).seconds, 7200);
}

TEST(Tzif, bytes_that_are_no_zone_are_refused_with_the_reason) {
  Block block = one_change();
  EXPECT_EQ(refusal(""), "it is no compiled zone");
  EXPECT_EQ(refusal("# tzdata"), "it is no compiled zone");
  EXPECT_EQ(refusal(header('5', block) + body(block, 4)), "its version is not known");
  EXPECT_EQ(refusal(version_2(block, "CET")), "its rule is not readable");
  EXPECT_EQ(refusal(version_2(block, "EST5")), "the rule does not continue the last change");
  EXPECT_EQ(refusal(std::string(tzif_bytes_max + 1, 'T')), "it is too large");
  Block leaps = block;
  leaps.leap_seconds = 1;
  EXPECT_EQ(refusal(version_2(leaps, "")), "it counts leap seconds");
  Block backwards = block;
  backwards.changes = {5, 4};
  backwards.indexes = std::string(2, '\1');
  EXPECT_EQ(refusal(version_2(backwards, "")), "changes are out of order");
  Block nowhere = block;
  nowhere.indexes = "\7";
  EXPECT_EQ(refusal(version_2(nowhere, "")), "a change has no offset");
  Block endless = block;
  endless.letters = "CET";
  EXPECT_EQ(refusal(version_2(endless, "")), "an abbreviation is not readable");
  Block far = block;
  far.offsets = {3600, 200'000};
  EXPECT_EQ(refusal(version_2(far, "")), "an offset is a day or more");
  Block none = block;
  none.offsets.clear();
  EXPECT_EQ(refusal(version_2(none, "")), "it has no offset");
}

TEST(Tzif, counts_that_promise_more_than_there_is_are_refused) {
  std::string bytes = version_2(one_change(), "");
  for (size_t field = 20; field < 44; field += 4) {
    std::string wrong = bytes;
    wrong.replace(field, 4, "\xff\xff\xff\xff");
    EXPECT_FALSE(read_tzif(wrong)) << field;
  }
}

TEST(Tzif, every_beginning_of_a_zone_is_refused) {
  std::string bytes = version_2(one_change(), "CET-1CEST,M3.5.0,M10.5.0/3");
  ASSERT_TRUE(read_tzif(bytes));
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(read_tzif(std::string_view(bytes).substr(0, size))) << size;
}

TEST(Tzif, bytes_changed_at_random_give_a_zone_or_a_reason) {
  std::string bytes = version_2(one_change(), "CET-1CEST,M3.5.0,M10.5.0/3");
  Random random(5);
  int refused = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string wrong = bytes;
    for (uint64_t n = 1 + random.below(4); n > 0; --n)
      wrong[random.below(wrong.size())] = static_cast<char>(random.next());
    auto zone = read_tzif(wrong);
    refused += !zone;
    if (!zone) continue;
    LocalMatch match = zone->match(zone->local_at({1'700'000'000'000}));
    ASSERT_NE(match.kind, LocalMatch::Kind::gap);
  }
  EXPECT_GT(refused, 1'000);
}

}  // namespace fermata
