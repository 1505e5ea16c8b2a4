#include "base/packed_id.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "base/id.h"
#include "base/uuid.h"

namespace fermata {
namespace {

TEST(PackedId, gives_back_every_text_as_it_was) {
  for (const std::string& text :
       {std::string(), std::string("j1"), uuid_v7(Instant{1'700'000'000'000}, 7, 11),
        std::string("00000000-0000-0000-0000-000000000000"),
        std::string("ffffffff-ffff-ffff-ffff-ffffffffffff"),
        // Nearly a UUID, and not as one would be written again.
        std::string("0192F3A1-0000-7000-8000-000000000000"),
        std::string("0192f3a1+0000-7000-8000-000000000000"),
        std::string("0192f3a1-0000-7000-8000-00000000000g"),
        std::string("0192f3a1-0000-7000-8000-0000000000000"), "comp-" + uuid_v5("x")}) {
    PackedId<JobId> packed{JobId(text)};
    EXPECT_EQ(JobId(packed).text(), text);
    PackedId<JobId> copy = packed;
    EXPECT_EQ(copy, packed);
    EXPECT_EQ(JobId(copy).text(), text);
  }
}

TEST(PackedId, uuids_are_ordered_as_their_texts_and_come_first) {
  std::vector<std::string> texts;
  for (uint64_t i = 0; i < 200; ++i) texts.push_back(uuid_v5(std::to_string(i)));
  std::sort(texts.begin(), texts.end());
  for (size_t i = 1; i < texts.size(); ++i)
    EXPECT_LT(PackedText(texts[i - 1]), PackedText(texts[i])) << texts[i];
  EXPECT_LT(PackedText(texts.back()), PackedText("a"));
  EXPECT_LT(PackedText("a"), PackedText("b"));
  EXPECT_NE(PackedText("a"), PackedText("b"));
}

TEST(PackedId, takes_no_more_than_its_bits_and_a_pointer) {
  EXPECT_LE(sizeof(PackedId<JobId>), 24u);
}

}  // namespace
}  // namespace fermata
