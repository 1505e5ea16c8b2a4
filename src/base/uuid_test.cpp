#include "base/uuid.h"

#include <gtest/gtest.h>

namespace fermata {
namespace {

TEST(Uuid, version_7_begins_with_the_time_and_sorts_by_it) {
  std::string id = uuid_v7({0x0123456789ab}, ~0ull, ~0ull);
  EXPECT_EQ(id, "01234567-89ab-7fff-bfff-ffffffffffff");
  EXPECT_EQ(uuid_v7({0x0123456789ab}, 0, 0), "01234567-89ab-7000-8000-000000000000");
  EXPECT_LT(uuid_v7({1000}, ~0ull, ~0ull), uuid_v7({1001}, 0, 0));
}

TEST(Uuid, version_5_is_the_standard_one_in_the_oid_namespace) {
  EXPECT_EQ(uuid_v5("hello"), "4d71d03f-f19b-5d9e-8523-9628ba18063c");
  EXPECT_NE(uuid_v5("hello"), uuid_v5("hello "));
}

TEST(Uuid, version_4_marks_version_and_variant) {
  EXPECT_EQ(uuid_v4(0, 0), "00000000-0000-4000-8000-000000000000");
  EXPECT_EQ(uuid_v4(~0ull, ~0ull), "ffffffff-ffff-4fff-bfff-ffffffffffff");
}

TEST(Uuid, is_uuid_knows_the_form) {
  EXPECT_TRUE(is_uuid("01234567-89ab-7fff-bfff-ffffffffffff"));
  EXPECT_TRUE(is_uuid("01234567-89AB-7FFF-BFFF-FFFFFFFFFFFF"));
  EXPECT_FALSE(is_uuid(""));
  EXPECT_FALSE(is_uuid("01234567-89ab-7fff-bfff-fffffffffff"));
  EXPECT_FALSE(is_uuid("01234567-89ab-7fff-bfff-fffffffffffg"));
  EXPECT_FALSE(is_uuid("0123456789ab-7fff-bfff-ffffffffffff-"));
}

}  // namespace
}  // namespace fermata
