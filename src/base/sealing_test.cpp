#include "base/sealing.h"

#include <gtest/gtest.h>

#include <set>

#include "base/hash.h"

namespace fermata {
namespace {

const std::string hex_key(64, '7');
const std::string other_key = base64(std::string(32, 'k'));

SealingKeys keys_of(std::string_view text) {
  auto read = SealingKeys::read(text);
  check(static_cast<bool>(read));
  return *std::move(read);
}

TEST(Sealing, what_was_sealed_opens_with_the_same_key_and_bond) {
  SealingKeys keys = SealingKeys::fresh();
  for (const std::string& plain :
       {std::string(), std::string("s3cret"), std::string(100'000, 'x')}) {
    std::string sealed = keys.seal(plain, "a");
    auto opened = keys.open(sealed, "a");
    ASSERT_TRUE(opened);
    EXPECT_EQ(*opened, plain);
    EXPECT_EQ(SealingKeys::key_id_of(sealed), keys.first_id());
  }
}

TEST(Sealing, every_sealing_has_a_nonce_of_its_own) {
  SealingKeys keys = SealingKeys::fresh();
  std::set<std::string> seen;
  for (int i = 0; i < 1000; ++i) EXPECT_TRUE(seen.insert(keys.seal("same", "same")).second);
}

TEST(Sealing, the_text_is_nowhere_in_what_was_sealed) {
  std::string sealed = SealingKeys::fresh().seal("s3cret-s3cret", "bond");
  EXPECT_EQ(sealed.find("s3cret"), std::string::npos);
  EXPECT_EQ(sealed.find("bond"), std::string::npos);
}

TEST(Sealing, a_change_anywhere_is_noticed) {
  SealingKeys keys = SealingKeys::fresh();
  std::string sealed = keys.seal("s3cret", "bond");
  for (size_t i = 0; i < sealed.size(); ++i) {
    std::string changed = sealed;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    EXPECT_FALSE(keys.open(changed, "bond")) << i;
  }
  for (size_t size = 0; size < sealed.size(); ++size)
    EXPECT_EQ(keys.open(sealed.substr(0, size), "bond").error(), SealFault::altered) << size;
  EXPECT_EQ(keys.open(sealed, "another").error(), SealFault::altered);
}

TEST(Sealing, a_new_key_before_the_old_one_seals_and_both_open) {
  SealingKeys old = keys_of(hex_key);
  SealingKeys both = keys_of(other_key + "," + hex_key);
  SealingKeys next = keys_of(other_key);
  std::string before = old.seal("s3cret", "");
  EXPECT_EQ(*both.open(before, ""), "s3cret");
  EXPECT_EQ(next.open(before, "").error(), SealFault::unknown_key);
  std::string after = both.seal("s3cret", "");
  EXPECT_EQ(*next.open(after, ""), "s3cret");
  EXPECT_EQ(old.open(after, "").error(), SealFault::unknown_key);
  EXPECT_TRUE(both.knows(old.first_id()));
  EXPECT_FALSE(next.knows(old.first_id()));
  EXPECT_FALSE(next.knows("no id"));
}

TEST(Sealing, keys_are_read_as_hexadecimal_or_base64_with_remarks_between) {
  SealingKeys keys = keys_of("# of 2026\n" + hex_key + "  # first\r\n\n" + other_key + "\n#end");
  EXPECT_EQ(keys.first_id(), keys_of(hex_key).first_id());
  EXPECT_TRUE(keys.knows(keys_of(other_key).first_id()));
  SealingKeys fresh = SealingKeys::fresh();
  EXPECT_EQ(keys_of(fresh.first_text()).first_id(), fresh.first_id());
}

TEST(Sealing, what_is_no_key_is_refused_without_being_quoted) {
  for (const std::string& text : {std::string(), std::string("# nothing"), std::string("short-key"),
                                  hex_key + "00", hex_key + " nonsense", base64("31 bytes")}) {
    auto read = SealingKeys::read(text);
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().code, ErrorCode::invalid_setting);
    EXPECT_EQ(read.error().message.find("short-key"), std::string::npos);
    EXPECT_EQ(read.error().message.find("77777"), std::string::npos);
  }
  std::string many;
  for (size_t i = 0; i <= SealingKeys::keys_max; ++i)
    many += base64(std::string(32, static_cast<char>('a' + i))) + "\n";
  EXPECT_FALSE(SealingKeys::read(many));
}

TEST(Sealing, prints_are_recognised_by_whoever_has_the_key) {
  SealingKeys old = keys_of(hex_key);
  SealingKeys both = keys_of(other_key + "," + hex_key);
  std::string print = old.print_of("s3cret");
  EXPECT_TRUE(old.is_print(print, "s3cret"));
  EXPECT_TRUE(both.is_print(print, "s3cret"));
  EXPECT_FALSE(both.is_print(print, "other"));
  EXPECT_FALSE(keys_of(other_key).is_print(print, "s3cret"));
  EXPECT_EQ(print.find("s3cret"), std::string::npos);
  EXPECT_NE(print, both.print_of("s3cret"));
}

}  // namespace
}  // namespace fermata
