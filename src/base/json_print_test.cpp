#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/json.h"
#include "base/random.h"

namespace fermata {
namespace {

TEST(NumberToText, prints_as_javascript_does) {
  EXPECT_EQ(number_to_text(0), "0");
  EXPECT_EQ(number_to_text(-0.0), "0");
  EXPECT_EQ(number_to_text(0.1), "0.1");
  EXPECT_EQ(number_to_text(-1.5), "-1.5");
  EXPECT_EQ(number_to_text(100), "100");
  EXPECT_EQ(number_to_text(123456.789), "123456.789");
  EXPECT_EQ(number_to_text(1e20), "100000000000000000000");
  EXPECT_EQ(number_to_text(1e21), "1e+21");
  EXPECT_EQ(number_to_text(-1.25e300), "-1.25e+300");
  EXPECT_EQ(number_to_text(123456789012345680000.0), "123456789012345680000");
  EXPECT_EQ(number_to_text(1e-6), "0.000001");
  EXPECT_EQ(number_to_text(1e-7), "1e-7");
  EXPECT_EQ(number_to_text(1.5e-7), "1.5e-7");
  EXPECT_EQ(number_to_text(5e-324), "5e-324");
  EXPECT_EQ(number_to_text(1.7976931348623157e308), "1.7976931348623157e+308");
  EXPECT_EQ(number_to_text(0.1 + 0.2), "0.30000000000000004");
  EXPECT_EQ(number_to_text(std::nan("")), "NaN");
  EXPECT_EQ(number_to_text(-std::numeric_limits<double>::infinity()), "-Infinity");
}

TEST(ToJson, numbers_that_json_cannot_hold_are_null) {
  double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(to_json(Value::array({std::nan(""), infinity, -infinity})), "[null,null,null]");
}

TEST(ToJson, doubles_read_back_the_same) {
  Random random(7);
  for (int i = 0; i < 20'000; ++i) {
    double number = std::bit_cast<double>(random.next());
    if (!std::isfinite(number)) continue;
    auto parsed = parse_json(to_json(number));
    ASSERT_TRUE(parsed) << to_json(number);
    EXPECT_EQ(parsed->as_number(), number);
    EXPECT_EQ(parse_json(to_text(number))->as_number(), number) << to_text(number);
  }
}

TEST(ToJson, strings_get_the_shortest_legal_escapes) {
  EXPECT_EQ(to_json("\"\\/\b\f\n\r\t"), R"("\"\\/\b\f\n\r\t")");
  EXPECT_EQ(to_json(std::string("\0\x1f\x7f", 3)), "\"\\u0000\\u001f\x7f\"");
  EXPECT_EQ(to_json("\u00e9\u2028"), "\"\u00e9\u2028\"");
}

TEST(ToJson, bytes_that_are_not_utf8_are_replaced) {
  EXPECT_EQ(to_json("a\xff\xc3z"), "\"a\ufffd\ufffdz\"");
}

TEST(AppendJson, adds_to_what_is_there) {
  std::string out = "data: ";
  append_json(out, Value::array({1}));
  EXPECT_EQ(out, "data: [1]");
}

TEST(ToPrettyJson, indents_by_two) {
  Value value = Value::object({{"a", Value::array({1, Value::object()})}, {"b", Value::array()}});
  EXPECT_EQ(to_pretty_json(value), R"({
  "a": [
    1,
    {}
  ],
  "b": []
})");
}

TEST(ToCanonicalJson, sorts_keys_by_bytes_at_every_level) {
  auto value = parse_json(R"({"b":{"z":1,"a":2},"a":[{"\u00e9":1,"z":2,"Z":3}],"":0})");
  EXPECT_EQ(to_canonical_json(*value),
            "{\"\":0,\"a\":[{\"Z\":3,\"z\":2,\"\u00e9\":1}],"
            "\"b\":{\"a\":2,\"z\":1}}");
  EXPECT_EQ(to_canonical_json(1.0), to_canonical_json(1));
  EXPECT_EQ(to_canonical_json(Value(INT64_MAX)), "9223372036854775807");
  EXPECT_EQ(to_canonical_json(Value(INT64_MIN)), "-9223372036854776000");
  EXPECT_EQ(to_json(Value(INT64_MIN)), "-9223372036854775808");
}

// G-12
TEST(ToText, strings_as_they_are_and_numbers_without_exponent) {
  EXPECT_EQ(to_text("a \"b\""), "a \"b\"");
  EXPECT_EQ(to_text(nullptr), "null");
  EXPECT_EQ(to_text(true), "true");
  EXPECT_EQ(to_text(9223372036854775807), "9223372036854775807");
  EXPECT_EQ(to_text(1e21), "1000000000000000000000");
  EXPECT_EQ(to_text(1.5e-10), "0.00000000015");
  EXPECT_EQ(to_text(2.5), "2.5");
  EXPECT_EQ(to_text(-0.0), "0");
  EXPECT_EQ(to_text(Value::object({{"b", 1}, {"a", Value::array({"x"})}})), R"({"b":1,"a":["x"]})");
  // Inside objects and arrays too: what reads the text may not know exponents.
  EXPECT_EQ(to_text(Value::object({{"n", 1e21}, {"m", Value::array({1.5e-10, 1e300})}})),
            "{\"n\":1000000000000000000000,\"m\":[0.00000000015,1" + std::string(300, '0') + "]}");
}

}  // namespace
}  // namespace fermata
