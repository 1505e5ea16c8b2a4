#include "front/fields.h"

#include <gtest/gtest.h>

#include "base/json.h"

namespace fermata::front {
namespace {

TEST(Fields, reads_what_is_there_and_leaves_the_rest_empty) {
  Value body =
      *parse_json(R"({"t":"x","n":5,"b":true,"at":"2026-01-01T00:00:00Z","o":{},"z":null})");
  Fields fields(body);
  EXPECT_EQ(fields.text("t"), "x");
  EXPECT_EQ(fields.integer("n", 1, 5), 5);
  EXPECT_EQ(fields.boolean("b"), true);
  EXPECT_TRUE(fields.instant("at"));
  EXPECT_TRUE(fields.object("o").is_object());
  EXPECT_EQ(fields.text("z"), std::nullopt);
  EXPECT_EQ(fields.text("absent"), std::nullopt);
  EXPECT_TRUE(fields.finish());
}

TEST(Fields, finds_every_mistake_at_once) {
  Value body = *parse_json(R"({"t":1,"n":6,"b":"x","at":"soon","o":[],"a/b":1})");
  Fields fields(body, "/in");
  fields.text("t");
  fields.integer("n", 1, 5);
  fields.boolean("b");
  fields.instant("at");
  fields.object("o");
  fields.require("needed");
  auto done = fields.finish();
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, ErrorCode::invalid_field);
  ASSERT_EQ(done.error().findings.size(), 7u);
  EXPECT_EQ(done.error().findings[0].path, "/in/t");
  EXPECT_EQ(done.error().findings[6].path, "/in/a~1b");
  EXPECT_EQ(done.error().findings[6].code, "unknown_field");
}

TEST(Fields, unknown_fields_alone_have_their_own_code) {
  Fields fields(*parse_json(R"({"a":1,"b":2})"));
  fields.any("a");
  auto done = fields.finish();
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, ErrorCode::unknown_field);
  EXPECT_NE(done.error().findings[0].message.find("Known fields: a"), std::string::npos);
}

TEST(Fields, a_body_that_is_no_object_is_refused) {
  EXPECT_FALSE(Fields(*parse_json("[1]")).finish());
  EXPECT_TRUE(Fields(Value()).finish());
}

TEST(Ids, are_short_and_printable) {  // W-4
  EXPECT_TRUE(is_valid_id("a-B_9.~!"));
  EXPECT_TRUE(is_valid_id(std::string(100, 'x')));
  for (std::string bad : {std::string(), std::string(101, 'x'), std::string("a b"),
                          std::string("a/b"), std::string("a?b"), std::string("a#b"),
                          std::string("a%b"), std::string("\xc3\xa4"), std::string("a\n")})
    EXPECT_FALSE(is_valid_id(bad)) << bad;
}

}  // namespace
}  // namespace fermata::front
