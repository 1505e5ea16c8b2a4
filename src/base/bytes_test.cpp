#include "base/bytes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/json.h"
#include "base/random.h"

namespace fermata {
namespace {

constexpr int64_t least = std::numeric_limits<int64_t>::min();
constexpr int64_t most = std::numeric_limits<int64_t>::max();

std::string written(const Value& value) {
  ByteWriter out;
  out.value(value);
  return out.take();
}

Value towers(int levels) {
  Value value = Value::array();
  for (int i = 1; i < levels; ++i) value = Value::array({value});
  return value;
}

TEST(Bytes, numbers_read_back) {
  ByteWriter out;
  const uint64_t plain[] = {0, 1, 127, 128, 300, 1ull << 63, ~0ull};
  const int64_t either[] = {0, -1, 1, 63, -64, 64, least, most};
  for (uint64_t number : plain) out.varint(number);
  for (int64_t number : either) out.zigzag(number);
  out.fixed64(0x0123456789abcdef);
  out.u8(255);
  out.text("text");
  out.text("");
  ByteReader in(out.bytes());
  for (uint64_t number : plain) EXPECT_EQ(in.varint(), number);
  for (int64_t number : either) EXPECT_EQ(in.zigzag(), number);
  EXPECT_EQ(in.fixed64(), 0x0123456789abcdefu);
  EXPECT_EQ(in.u8(), 255);
  EXPECT_EQ(in.text(), "text");
  EXPECT_EQ(in.text(), "");
  EXPECT_TRUE(in.done());
}

TEST(Bytes, stored_form_of_each_kind_is_frozen) {
  EXPECT_EQ(written(nullptr), std::string("\0", 1));
  EXPECT_EQ(written(false), "\1");
  EXPECT_EQ(written(true), "\2");
  EXPECT_EQ(written(-1), "\3\1");
  EXPECT_EQ(written(300), "\3\xd8\4");
  EXPECT_EQ(written(1.0), std::string("\4\0\0\0\0\0\0\xf0\x3f", 9));
  EXPECT_EQ(written("ab"), "\5\2ab");
  EXPECT_EQ(written(Value::array({true})), "\6\1\2");
  EXPECT_EQ(written(Value::object({{"k", true}})), "\7\1\1k\2");
}

TEST(Bytes, values_read_back_with_kinds_and_order) {
  Value value = *parse_json(
      R"({"z":[null,true,false,-5,9223372036854775807,1.0,1e300,"","a text that is not inline"],
          "a":{"deep":[[[{}]]]}})");
  std::string bytes = written(value);
  ByteReader in(bytes);
  Value back = in.value();
  EXPECT_TRUE(in.done());
  EXPECT_EQ(to_json(back), to_json(value));
  EXPECT_EQ(back.get("z").items()[5].kind(), Value::Kind::number);
}

TEST(Bytes, numbers_that_json_cannot_hold_read_back) {
  std::string bytes = written(std::nan("")) + written(-0.0);
  ByteReader in(bytes);
  EXPECT_TRUE(std::isnan(in.value().as_number()));
  EXPECT_TRUE(std::signbit(in.value().as_number()));
  EXPECT_TRUE(in.done());
}

TEST(ByteReader, after_a_mistake_everything_is_zero) {
  ByteReader in("\x05");
  EXPECT_EQ(in.text(), "");
  EXPECT_FALSE(in.ok());
  EXPECT_FALSE(in.done());
  EXPECT_EQ(in.u8(), 0);
  EXPECT_EQ(in.varint(), 0u);
  EXPECT_EQ(in.zigzag(), 0);
  EXPECT_EQ(in.fixed64(), 0u);
  EXPECT_EQ(in.count(), 0u);
  EXPECT_TRUE(in.value().is_null());
}

TEST(ByteReader, numbers_longer_than_64_bits_are_refused) {
  ByteReader fits("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");
  EXPECT_EQ(fits.varint(), ~0ull);
  EXPECT_TRUE(fits.done());
  ByteReader wide("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02");
  EXPECT_EQ(wide.varint(), 0u);
  EXPECT_FALSE(wide.ok());
  ByteReader longer("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01");
  EXPECT_EQ(longer.varint(), 0u);
  EXPECT_FALSE(longer.ok());
}

TEST(ByteReader, counts_that_the_input_cannot_hold_are_refused) {
  ByteReader in(
      "\x03"
      "ab");
  EXPECT_EQ(in.count(), 0u);
  EXPECT_FALSE(in.ok());
  ByteReader huge("\x06\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");
  EXPECT_TRUE(huge.value().is_null());
  EXPECT_FALSE(huge.ok());
}

TEST(ByteReader, nesting_up_to_the_limit_reads_back_and_more_is_refused) {
  std::string allowed = written(towers(value_nesting_max));
  ByteReader in(allowed);
  EXPECT_EQ(in.value(), towers(value_nesting_max));
  EXPECT_TRUE(in.done());
  std::string hostile;
  for (int i = 0; i < 100'000; ++i) hostile += "\6\1";
  ByteReader refused(hostile);
  EXPECT_TRUE(refused.value().is_null());
  EXPECT_FALSE(refused.ok());
}

TEST(ByteReader, repeated_keys_and_unknown_tags_are_refused) {
  ByteReader twice("\7\2\1k\2\1k\2");
  EXPECT_TRUE(twice.value().is_null());
  EXPECT_FALSE(twice.ok());
  ByteReader unknown("\x08");
  EXPECT_TRUE(unknown.value().is_null());
  EXPECT_FALSE(unknown.ok());
}

TEST(ByteReader, survives_any_damage) {
  std::string good = written(*parse_json(R"({"a":[1,2.5,"text",{"b":null}],"c":"a longer text"})"));
  for (size_t size = 0; size < good.size(); ++size) {
    ByteReader in(std::string_view(good).substr(0, size));
    (void)in.value();
    EXPECT_FALSE(in.ok()) << size;
  }
  Random random(1);
  for (int round = 0; round < 20'000; ++round) {
    std::string bad = good;
    for (int i = 0; i < 3; ++i) bad[random.below(bad.size())] = static_cast<char>(random.next());
    ByteReader in(bad);
    Value value = in.value();
    // What is still readable must be a whole value: it can be written again.
    if (in.ok()) {
      EXPECT_FALSE(written(value).empty());
    }
  }
}

TEST(ByteWriterDeathTest, refuses_what_could_not_be_read_again) {
  EXPECT_DEATH(written(towers(value_nesting_max + 1)), "check failed");
}

TEST(Crc32c, known_answers) {
  EXPECT_EQ(crc32c(""), 0u);
  EXPECT_EQ(crc32c("123456789"), 0xe3069283u);
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8a9136aau);
  EXPECT_EQ(crc32c_portable("123456789"), 0xe3069283u);
}

TEST(Crc32c, instruction_and_table_agree) {
  Random random(3);
  std::string bytes;
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(crc32c(bytes), crc32c_portable(bytes));
    bytes += static_cast<char>(random.next());
  }
}

}  // namespace
}  // namespace fermata
