#include "base/json.h"

#include <gtest/gtest.h>

#include <limits>

#include "base/utf8.h"

namespace fermata {
namespace {

std::string again(std::string_view text) {
  auto parsed = parse_json(text);
  return parsed ? to_json(*parsed) : "refused: " + parsed.error().message;
}

std::string refusal(std::string_view text) {
  auto parsed = parse_json(text);
  return parsed ? "accepted " + to_json(*parsed) : parsed.error().message;
}

TEST(ParseJson, accepts_every_kind_of_value) {
  EXPECT_EQ(again("null"), "null");
  EXPECT_EQ(again(" true "), "true");
  EXPECT_EQ(again("false"), "false");
  EXPECT_EQ(again("[]"), "[]");
  EXPECT_EQ(again("{ }"), "{}");
  EXPECT_EQ(again("\t[1 , 2.5,\r\n\"x\" ,{ \"a\" : [ ] }]"), R"([1,2.5,"x",{"a":[]}])");
}

TEST(ParseJson, skips_a_byte_order_mark) { EXPECT_EQ(again("\xef\xbb\xbf{}"), "{}"); }

TEST(ParseJson, integers_of_64_bits_keep_every_digit) {
  EXPECT_EQ(again("9223372036854775807"), "9223372036854775807");
  EXPECT_EQ(again("-9223372036854775808"), "-9223372036854775808");
  EXPECT_EQ(again("123456789012345678"), "123456789012345678");
  EXPECT_TRUE(parse_json("9223372036854775807")->is_integer());
  EXPECT_EQ(parse_json("9223372036854775808")->kind(), Value::Kind::number);
  EXPECT_EQ(again("9223372036854775808"), "9223372036854776000");
  EXPECT_EQ(again("-0"), "0");
}

TEST(ParseJson, fractions_and_exponents_are_numbers) {
  EXPECT_EQ(parse_json("1.0")->kind(), Value::Kind::number);
  EXPECT_EQ(parse_json("1e2")->as_number(), 100.0);
  EXPECT_EQ(parse_json("-2.5E-1")->as_number(), -0.25);
  EXPECT_EQ(parse_json("1e+2")->as_number(), 100.0);
  EXPECT_EQ(parse_json("1e-400")->as_number(), 0.0);
  EXPECT_EQ(parse_json("5e-324")->as_number(), 5e-324);
  EXPECT_EQ(parse_json("1.7976931348623157e308")->as_number(), 1.7976931348623157e308);
}

TEST(ParseJson, numbers_too_large_for_a_double_are_refused) {
  EXPECT_EQ(refusal("[1e400]"), "line 1, column 2: the number is too large for a double");
  EXPECT_EQ(refusal("-1e309"), "line 1, column 1: the number is too large for a double");
  std::string digits(400, '9');
  EXPECT_EQ(refusal(digits), "line 1, column 1: the number is too large for a double");
}

TEST(ParseJson, malformed_numbers_are_refused) {
  EXPECT_EQ(refusal("01"), "line 1, column 1: a number may not begin with a zero");
  EXPECT_EQ(refusal("-"),
            "line 1, column 2: expected a digit after '-', found the end of the text");
  EXPECT_EQ(refusal("1."),
            "line 1, column 3: expected a digit after the decimal point, found the "
            "end of the text");
  EXPECT_EQ(refusal("1e"),
            "line 1, column 3: expected a digit in the exponent, found the end of "
            "the text");
  EXPECT_EQ(refusal(".5"), "line 1, column 1: expected a value, found '.'");
  EXPECT_EQ(refusal("+1"), "line 1, column 1: expected a value, found '+'");
  EXPECT_EQ(refusal("0x1"),
            "line 1, column 2: expected the end of the text after the value, found "
            "'x'");
  EXPECT_EQ(refusal("NaN"), "line 1, column 1: expected a value, found 'N'");
}

TEST(ParseJson, refusals_say_line_column_and_what_was_expected) {
  EXPECT_EQ(refusal(""), "line 1, column 1: expected a value, found the end of the text");
  EXPECT_EQ(refusal("{\n  \"a\": 1\n  \"b\": 2}"),
            "line 3, column 3: expected ',' or '}' after a member of an object, found '\"'");
  EXPECT_EQ(refusal("[1 2]"),
            "line 1, column 4: expected ',' or ']' after an item of an array, "
            "found '2'");
  EXPECT_EQ(refusal("[1,]"), "line 1, column 4: expected a value, found ']'");
  EXPECT_EQ(refusal("{\"a\" 1}"), "line 1, column 6: expected ':' after the key, found '1'");
  EXPECT_EQ(refusal("{a:1}"), "line 1, column 2: expected a key in double quotes, found 'a'");
  EXPECT_EQ(refusal("{\"a\":1,}"), "line 1, column 8: expected a key in double quotes, found '}'");
  EXPECT_EQ(refusal("[\"\u00e9\u00e9\" \u00fc]"),
            "line 1, column 7: expected ',' or ']' after an item of an array, found '\u00fc'");
  EXPECT_EQ(refusal("1 1"),
            "line 1, column 3: expected the end of the text after the value, found "
            "'1'");
  EXPECT_EQ(refusal("tru"), "line 1, column 1: expected a value (did you mean true?), found 't'");
}

TEST(ParseJson, refusal_carries_a_finding_with_its_position) {
  auto parsed = parse_json("[\n 1,\n x]");
  ASSERT_FALSE(parsed);
  EXPECT_EQ(parsed.error().code, ErrorCode::bad_json);
  ASSERT_EQ(parsed.error().findings.size(), 1u);
  EXPECT_EQ(parsed.error().findings[0].line, 3);
  EXPECT_EQ(parsed.error().findings[0].column, 2);
  EXPECT_EQ(parsed.error().findings[0].code, "bad_json");
}

TEST(ParseJson, every_escape_is_understood) {
  EXPECT_EQ(parse_json(R"("\"\\\/\b\f\n\r\t")")->as_string(), "\"\\/\b\f\n\r\t");
  EXPECT_EQ(parse_json(R"("\u0041\u00e9\u20AC\ud83d\ude00 and more text")")->as_string(),
            "A\u00e9\u20ac\U0001f600 and more text");
  EXPECT_EQ(parse_json(R"("\u0000")")->as_string(), std::string_view("\0", 1));
}

TEST(ParseJson, bad_escapes_are_refused) {
  EXPECT_EQ(refusal(R"("\x")"),
            "line 1, column 3: expected one of \" \\ / b f n r t u after the "
            "backslash, found 'x'");
  EXPECT_EQ(refusal(R"("\u12g4")"), "line 1, column 2: expected four hexadecimal digits after \\u");
  EXPECT_EQ(refusal(R"("\u+123")"), "line 1, column 2: expected four hexadecimal digits after \\u");
  EXPECT_EQ(refusal(R"("\u-123")"), "line 1, column 2: expected four hexadecimal digits after \\u");
  const char* half =
      "line 1, column 2: a \\u escape is half of a surrogate pair without the other "
      "half";
  EXPECT_EQ(refusal(R"("\ud83d")"), half);
  EXPECT_EQ(refusal(R"("\ude00")"), half);
  EXPECT_EQ(refusal(R"("\ud83d\u0041")"), half);
  EXPECT_EQ(refusal(R"("\ud83dxxxxxx")"), half);
  EXPECT_NE(refusal("\"\\").find("after the backslash"), std::string::npos);
  EXPECT_NE(refusal("\"\\u12").find("four hexadecimal"), std::string::npos);
}

TEST(ParseJson, control_characters_and_unended_strings_are_refused) {
  EXPECT_EQ(refusal("\"a\nb\""),
            "line 1, column 3: a control character must be escaped in a "
            "string, found byte 0x0A");
  EXPECT_EQ(refusal("\"abc"),
            "line 1, column 5: expected '\"' at the end of the string, found the "
            "end of the text");
  EXPECT_EQ(again("\"\x7f\""), "\"\x7f\"");
}

TEST(ParseJson, malformed_utf8_is_refused) {
  for (std::string_view bad : {"\x80", "\xc0\xaf", "\xc3", "\xe0\x80\x80", "\xed\xa0\x80",
                               "\xf4\x90\x80\x80", "\xff", "\xf0\x9f\x98"}) {
    std::string text = "[\"12345678" + std::string(bad) + "\"]";
    EXPECT_NE(refusal(text).find("column 11: the text is not valid UTF-8"), std::string::npos)
        << refusal(text);
  }
  EXPECT_EQ(again("\"h\u00e9llo \u20ac \U0001f600\""), "\"h\u00e9llo \u20ac \U0001f600\"");
}

TEST(ParseJson, strings_of_every_length_and_alignment_survive) {
  for (size_t size = 0; size < 50; ++size) {
    for (size_t special = 0; special <= size; ++special) {
      std::string text(size, 'x');
      text.insert(special, special % 2 == 0 ? "\"\n" : "\u00e9");
      EXPECT_EQ(parse_json(to_json(text))->as_string(), text);
    }
  }
}

TEST(ParseJson, repeated_keys_are_refused_where_the_second_stands) {
  EXPECT_EQ(refusal("{\"a\": {\"x\": [1, \"}\"]},\n \"b\": 2, \"a\": 3}"),
            "line 2, column 10: the key \"a\" is given twice");
  EXPECT_EQ(refusal(R"([{"a":1,"\u0061":2}])"), "line 1, column 9: the key \"a\" is given twice");
  std::string many = "{";
  for (int i = 0; i < 50; ++i) many += "\"key number " + std::to_string(i) + "\":0,\n";
  EXPECT_EQ(refusal(many + "\"key number 7\":1}"),
            "line 51, column 1: the key \"key number 7\" is given twice");
}

TEST(ParseJson, nesting_beyond_the_limit_names_the_setting) {
  auto nested = [](size_t levels) { return std::string(levels, '[') + std::string(levels, ']'); };
  EXPECT_TRUE(parse_json(nested(128)));
  auto refused = parse_json(nested(129));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::nesting_too_deep);
  EXPECT_NE(refused.error().message.find("json_nesting_max"), std::string::npos);
  EXPECT_TRUE(parse_json(nested(3), {.nesting_max = 3}));
  EXPECT_FALSE(parse_json(R"({"a":{"a":{"a":{}}}})", {.nesting_max = 3}));
  EXPECT_TRUE(parse_json(R"([{},{},[[]],{},[{}]])", {.nesting_max = 3}));
  EXPECT_FALSE(parse_json(nested(1'000'000), {.nesting_max = 2'000'000}));
}

TEST(ParseJson, every_prefix_of_a_document_is_refused_without_reading_outside) {
  std::string whole = R"({"a":[1,-2.5e3,"x\u00e9\n",true,false,null,{"b":{}}],"long key here":""})";
  ASSERT_TRUE(parse_json(whole));
  for (size_t size = 0; size < whole.size(); ++size) {
    std::vector<char> exact(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_FALSE(parse_json({exact.data(), exact.size()})) << size;
  }
}

TEST(PositionAt, counts_lines_and_code_points) {
  TextPosition position = position_at("ab\n\u00e9\u00e9x", 3 + 4);
  EXPECT_EQ(position.line, 2);
  EXPECT_EQ(position.column, 3);
  EXPECT_EQ(position.offset, 7u);
  EXPECT_EQ(position_at("ab", 99).offset, 2u);
}

TEST(LocateJson, finds_values_by_pointer) {
  std::string text = R"( {"a": [10, {"b/c": "x", "d~": [true]}], "e": {}, "\u0066": 5})";
  auto rest = [&](std::string_view pointer) { return text.substr(locate_json(text, pointer), 4); };
  EXPECT_EQ(locate_json(text, ""), 1u);
  EXPECT_EQ(rest("/a"), "[10,");
  EXPECT_EQ(rest("/a/0"), "10, ");
  EXPECT_EQ(rest("/a/1/b~1c"), "\"x\",");
  EXPECT_EQ(rest("/a/1/d~0/0"), "true");
  EXPECT_EQ(rest("/e"), "{}, ");
  EXPECT_EQ(rest("/f"), "5}");
}

TEST(LocateJson, gives_the_deepest_ancestor_that_exists) {
  std::string text = R"({"a": [10, {"b": 1}]})";
  EXPECT_EQ(locate_json(text, "/a/7"), text.find('['));
  EXPECT_EQ(locate_json(text, "/a/1/none/x"), text.find("{\"b"));
  EXPECT_EQ(locate_json(text, "/a/0/x"), text.find("10"));
  EXPECT_EQ(locate_json(text, "/a/-"), text.find('['));
  EXPECT_EQ(locate_json(text, "/none"), 0u);
}

TEST(LocateJson, stays_inside_texts_that_are_not_json) {
  for (std::string_view text :
       {"", "{", "[", "{\"a", "{\"a\\", "{\"a\":", "[1,", "{\"a\" 1", "]"}) {
    EXPECT_LE(locate_json(text, "/a/0"), text.size());
    EXPECT_LE(locate_json(text, "/3"), text.size());
  }
}

TEST(EscapePointer, escapes_tilde_and_slash) { EXPECT_EQ(escape_pointer("a/b~c"), "a~1b~0c"); }

TEST(Utf8, counts_and_checks) {
  EXPECT_TRUE(is_utf8("h\u00e9\U0001f600"));
  EXPECT_FALSE(is_utf8("h\xc3"));
  EXPECT_EQ(utf8_length("h\u00e9\U0001f600"), 3u);
}

}  // namespace
}  // namespace fermata
