#include "core/graph/nodes/field_path.h"

#include <gtest/gtest.h>

#include "core/graph/nodes/node_fixture.h"

namespace fermata::graph {
namespace {

Value found(std::string_view path, std::string_view in) {
  auto parsed = FieldPath::parse(path);
  if (!parsed) return Value("malformed");
  Value value = json(in);
  const Value* at = parsed->find(value);
  return at ? *at : Value("missing");
}

// G-53
TEST(FieldPath, finds_fields_elements_and_odd_keys) {
  constexpr std::string_view in = R"({"a": {"b": [10, {"c": 1}], "x y": 2, "d.e": 3}, "0": "z"})";
  EXPECT_EQ(found("a.b[1].c", in), Value(1));
  EXPECT_EQ(found("a.b.0", in), Value(10));
  EXPECT_EQ(found("a[\"x y\"]", in), Value(2));
  EXPECT_EQ(found("a['d.e']", in), Value(3));
  EXPECT_EQ(found("0", in), Value("z"));
  EXPECT_EQ(found("a.b[2]", in), Value("missing"));
  EXPECT_EQ(found("a.none.c", in), Value("missing"));
  EXPECT_EQ(found("a.b.c", in), Value("missing"));
}

// G-53
TEST(FieldPath, drops_the_root_that_may_stand_before_it) {
  EXPECT_EQ(found("$item.a", R"({"a": 1})"), Value(1));
  EXPECT_EQ(found("$json.a", R"({"a": 1})"), Value(1));
  EXPECT_EQ(found("$item[1]", "[1, 2]"), Value(2));
  EXPECT_EQ(found("$item", "5"), Value(5));
  EXPECT_EQ(found("", "5"), Value(5));
  EXPECT_EQ(found("$items", R"({"$items": 1})"), Value(1));
}

TEST(FieldPath, refuses_what_names_no_place) {
  for (std::string_view path : {".a", "a.", "a..b", "a[", "a[1", "a[]", "a[\"x]", "a[0]b"})
    EXPECT_EQ(found(path, "{}"), Value("malformed")) << path;
}

TEST(FieldPath, has_a_limit) {
  std::string path = "a";
  for (size_t i = 1; i < field_steps_max; ++i) path += ".a";
  EXPECT_TRUE(FieldPath::parse(path));
  EXPECT_TRUE(DottedName::parse(path));
  EXPECT_FALSE(FieldPath::parse(path + ".a"));
  EXPECT_FALSE(DottedName::parse(path + ".a"));
}

TEST(FieldPath, replaces_in_its_own_copy_only) {
  Value original = json(R"({"a": [{"b": 1}, {"b": 2}], "c": {"d": 1}})");
  Value copy = original;
  FieldPath::parse("a[1].b")->replace(copy, Value("new"));
  EXPECT_EQ(copy, json(R"({"a": [{"b": 1}, {"b": "new"}], "c": {"d": 1}})"));
  EXPECT_EQ(original, json(R"({"a": [{"b": 1}, {"b": 2}], "c": {"d": 1}})"));
  EXPECT_TRUE(copy.get("c").same_node(original.get("c")));
}

// G-52
TEST(DottedName, makes_objects_on_its_way) {
  Value value = json(R"({"a": {"x": 1}})");
  EXPECT_TRUE(DottedName::parse("a.b.c")->assign(value, Value(2)));
  EXPECT_TRUE(DottedName::parse("d")->assign(value, Value(3)));
  EXPECT_EQ(to_json(value), R"({"a":{"x":1,"b":{"c":2}},"d":3})");
}

// G-52
TEST(DottedName, does_not_lead_through_other_values) {
  for (std::string_view in : {R"({"a": 1})", R"({"a": "x"})", R"({"a": [1]})", R"({"a": null})"}) {
    Value value = json(in);
    EXPECT_FALSE(DottedName::parse("a.b")->assign(value, Value(2))) << in;
  }
}

TEST(DottedName, has_no_empty_parts) {
  for (std::string_view name : {"", ".", "a.", ".a", "a..b"})
    EXPECT_FALSE(DottedName::parse(name)) << name;
}

}  // namespace
}  // namespace fermata::graph
