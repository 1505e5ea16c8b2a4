#include "adapters/yaml/yaml_text.h"

#include <gtest/gtest.h>

#include "core/policy/document.h"

namespace fermata {
namespace {

Value yaml(std::string_view text) {
  auto read = read_yaml(text);
  EXPECT_TRUE(read) << (read ? "" : read.error().message);
  return read ? read->value : Value();
}

/// `line:column message` of the refusal.
std::string refused(std::string_view text) {
  auto read = read_yaml(text);
  if (read) return "read";
  EXPECT_EQ(read.error().findings.size(), 1u);
  return read.error().message;
}

TEST(Yaml, mappings_sequences_and_scalars_of_the_core_schema) {
  EXPECT_EQ(yaml("a: 1\nb: [x, 2.5, true, ~, 'no', \"q\"]\nc:\n  d: -3\n"),
            *parse_json(R"({"a":1,"b":["x",2.5,true,null,"no","q"],"c":{"d":-3}})"));
  // What YAML 1.1 would have taken for truth or an octal number is a text or a decimal one.
  EXPECT_EQ(yaml("[yes, on, 010, 0x1f, 0o17, 1e3, .5, +7, 1.2.3, -, 0x-1]"),
            *parse_json(R"(["yes","on",10,31,15,1000.0,0.5,7,"1.2.3","-","0x-1"])"));
  EXPECT_EQ(yaml(R"({"version": 1, "rules": []})"), *parse_json(R"({"version":1,"rules":[]})"));
  EXPECT_EQ(yaml("|\n  two\n  lines\n"), Value("two\nlines\n"));
}

// J-23
TEST(Yaml, every_part_has_its_place) {
  auto read = read_yaml("version: 1\nrules:\n  - id: a\n    decision: alow\n");
  ASSERT_TRUE(read);
  auto reading = policy::read_document(read->value, policy::DocumentKind::base);
  policy::locate(reading.findings, *read);
  bool found = false;
  for (const Finding& finding : reading.findings) {
    if (finding.path != "/rules/0/decision") continue;
    found = true;
    EXPECT_EQ(finding.line, 4);
    EXPECT_EQ(finding.column, 5);
  }
  EXPECT_TRUE(found);
  EXPECT_TRUE(policy::first_of(reading.findings, "safety.yaml").starts_with("safety.yaml:1:1: "));
}

TEST(Yaml, what_could_hide_something_is_refused_with_its_place) {
  EXPECT_EQ(refused("a: &x 1\nb: *x\n"), "1:4: Anchors are not allowed.");
  EXPECT_EQ(refused("a: *x\n"), "1:4: Aliases are not allowed.");
  EXPECT_EQ(refused("a: !!str 1\n"), "1:4: Tags are not allowed.");
  EXPECT_EQ(refused("a: 1\na: 2\n"), "2:1: The key `a` stands here twice.");
  EXPECT_EQ(refused("a: 1\n---\nb: 2\n"), "2:1: One document is expected, not several.");
  EXPECT_EQ(refused("? [a]\n: 1\n"), "1:3: A key is a text.");
  EXPECT_EQ(refused(""), "1:1: The text is empty.");
  EXPECT_TRUE(refused("a: [1, 2\n").starts_with("2:1: This is not YAML"));
  EXPECT_TRUE(refused("a: 1\nä: \xff\n").starts_with("2:4: This is not YAML"));
  EXPECT_TRUE(refused("\xff").starts_with("1:1: This is not YAML"));
  EXPECT_TRUE(refused("a: 1\nb: \x01\n").starts_with("2:4: This is not YAML"));
  EXPECT_TRUE(refused("\tа: 1\n").find("This is not YAML") != std::string::npos);
  EXPECT_TRUE(refused("a: \xff\n").find("not") != std::string::npos);
  EXPECT_EQ(refused(std::string(yaml_nesting_max + 1, '[')),
            "1:65: At most 64 levels are allowed.");
  EXPECT_TRUE(refused(std::string(yaml_bytes_max + 1, ' ')).find("bytes") != std::string::npos);
}

}  // namespace
}  // namespace fermata
