#include "core/graph/template.h"

#include "core/flow/flow_fixture.h"

namespace fermata::graph {
namespace {

constexpr std::string_view roots = R"({
  "Fetch": {"body": {"users": [{"name": "Ann"}], "Content Type": "json"}, "status": 200},
  "User": {"name": "Bob"}, "All": {"count": 3}, "my-node": {"x": 1}, "my": {"y": 2},
  "Filter": {"$json": [1]}, "Sync & Combine": {"q": true}, "item": {"price": 10},
  "A": {"x": null, "int": 12345678, "dec": 0.1, "big": 1e21, "obj": {"a": 1},
        "evil": "$A {{1}}"}})";
const std::vector<std::string> names{"Fetch",  "User",           "All", "my-node", "my",
                                     "Filter", "Sync & Combine", "A"};

Template parsed(std::string_view json) {
  auto value = parse_json(json);
  EXPECT_TRUE(value) << json;
  std::vector<Finding> findings;
  Template out = parse_template(value ? *value : Value(), names, "/p", findings);
  EXPECT_TRUE(findings.empty()) << json << " " << (findings.empty() ? "" : findings[0].message);
  return out;
}

Result<Value, flow::EvalError> outcome(std::string_view json) {
  return evaluate(parsed(json), flow::JsonRoots(roots), {});
}

std::string evaluated(std::string_view json) {
  auto value = outcome(json);
  return value ? to_json(*value) : value.error().code + to_json(value.error().details);
}

/// The value of one string, given without its quotes.
std::string text(std::string_view content) { return evaluated(to_json(Value(content))); }

// G-11
TEST(Template, a_whole_reference_or_expression_yields_the_typed_value) {
  EXPECT_EQ(text("$Fetch.body.users[0]"), R"({"name":"Ann"})");
  EXPECT_EQ(text("$Fetch.status"), "200");
  EXPECT_EQ(text("{{ $item.price * 1.2 }}"), "12");
  EXPECT_EQ(text("{{[1, {a: {b: 2}}]}}"), R"([1,{"a":{"b":2}}])");
  EXPECT_EQ(text("$A.x"), "null");
}

// G-11
TEST(Template, any_other_string_is_text_with_each_part_in_text_form) {
  EXPECT_EQ(text("$User.name has {{ $All.count }} orders"), R"("Bob has 3 orders")");
  EXPECT_EQ(text(" $Fetch.status"), R"(" 200")");
  EXPECT_EQ(text("{{ 1 }}{{ 2 }}"), R"("12")");
  EXPECT_EQ(text("plain"), R"("plain")");
  EXPECT_EQ(text(""), R"("")");
}

// G-12, scenario 28
TEST(Template, the_text_form_of_values) {
  EXPECT_EQ(text("n $A.int"), R"("n 12345678")");
  EXPECT_EQ(text("n $A.dec"), R"("n 0.1")");
  EXPECT_EQ(text("n $A.big"), R"("n 1000000000000000000000")");
  EXPECT_EQ(text("n $A.obj"), R"("n {\"a\":1}")");
  EXPECT_EQ(text("n $A.x {{ true }} {{ [1, 'a'] }}"), R"("n null true [1,\"a\"]")");
}

// G-10, scenario 28
TEST(Template, what_comes_out_is_never_read_again) {
  EXPECT_EQ(text("$A.evil"), R"("$A {{1}}")");
  EXPECT_EQ(text("<$A.evil>"), R"("<$A {{1}}>")");
}

// G-13
TEST(Template, the_longest_existing_name_wins) {
  EXPECT_EQ(text("$my-node.x"), "1");
  EXPECT_EQ(text("$my-nodes"), R"("{\"y\":2}-nodes")");
  EXPECT_EQ(text("$my-other.y"), R"("{\"y\":2}-other.y")");
  EXPECT_EQ(text("$my.y-$my-node.x"), R"("2-1")");
}

// G-13
TEST(Template, points_and_dashes_that_start_no_part_are_text) {
  EXPECT_EQ(text("Hello $User.name."), R"("Hello Bob.")");
  EXPECT_EQ(text("$User.name..."), R"("Bob...")");
  EXPECT_EQ(text("$All.count-"), R"("3-")");
  EXPECT_EQ(text("$All.count.5"), R"("3.5")");
  EXPECT_EQ(text("$All.count-$All.count"), R"("3-3")");
  EXPECT_EQ(text("$Fetch.status[x]"), R"("200[x]")");
  EXPECT_EQ(text("$Fetch.status["), R"("200[")");
}

// G-13
TEST(Template, keys_indices_and_other_names_in_brackets) {
  EXPECT_EQ(text("$Fetch.body[\"Content Type\"]"), R"("json")");
  EXPECT_EQ(text("$Fetch['body'].users[0].name"), R"("Ann")");
  EXPECT_EQ(text("$[\"Sync & Combine\"].q"), "true");
  EXPECT_EQ(text("is $[\"Sync & Combine\"].q!"), R"("is true!")");
  EXPECT_EQ(text("$Filter.$json"), "[1]");
  EXPECT_EQ(text("$Filter.$json[0]"), "1");
  EXPECT_EQ(text("$Fetch.body.users.length"), "1");
}

// G-13
TEST(Template, a_dollar_sign_before_anything_else_is_text) {
  EXPECT_EQ(text("$$5 and $5 and $ and $"), R"("$5 and $5 and $ and $")");
  EXPECT_EQ(text("$$User.name"), R"("$User.name")");
  EXPECT_EQ(text("$[5]"), R"("$[5]")");
  EXPECT_EQ(text("costs $$$All.count"), R"("costs $3")");
  EXPECT_EQ(text("{ $All.count }"), R"("{ 3 }")");
}

// G-13
TEST(Template, inside_braces_a_dash_is_minus) {
  EXPECT_EQ(text("{{ $All.count-1 }}"), "2");
  EXPECT_EQ(text("{{ $[\"my-node\"].x }}"), "1");
}

TEST(Template, braces_inside_an_expression_do_not_end_it) {
  EXPECT_EQ(text("{{ '}}' + \"}}\" }}"), R"("}}}}")");
  EXPECT_EQ(text("{{ `a${ {b: {c: 1}}.b.c }}}` }}"), R"("a1}}")");
  EXPECT_EQ(text("{{ {a: {b: 1}} }}"), R"({"a":{"b":1}})");
  EXPECT_EQ(text("{{ 'it\\'s }}' }}"), R"("it's }}")");
}

// G-15, scenario 27
TEST(Template, unresolved_references_fail_and_are_all_named) {
  EXPECT_EQ(text("$No.x"),
            R"(unresolved_reference{"references":[{"reference":"$No.x","missing":"$No"}]})");
  EXPECT_EQ(text("{{ $No.x ?? 1 }}"), "1");
  EXPECT_EQ(text("{{ $A?.gone }}"), "null");
  EXPECT_EQ(text("{{ $No?.x }}"), "null");
  EXPECT_EQ(
      evaluated(R"j({"a": "hi $No.x", "b": ["$A.x.y", "{{ $User.age + 1 }}", "$User.name"]})j"),
      "unresolved_reference"
      R"({"references":[{"reference":"$No.x","missing":"$No"},)"
      R"({"reference":"$A.x.y","missing":"$A.x.y"},)"
      R"({"reference":"$User.age","missing":"$User.age"}]})");
  EXPECT_EQ(text("$Fetch.body.users[3].name"),
            R"(unresolved_reference{"references":[{"reference":"$Fetch.body.users[3].name",)"
            R"("missing":"$Fetch.body.users[3]"}]})");
}

TEST(Template, each_expression_draws_its_own_chance) {
  EXPECT_EQ(text("{{ Random.number() }}"), text("{{ Random.number() }}"));
  auto two = outcome(R"j(["{{ Random.uuid() }}", "{{ Random.uuid() }}"])j");
  ASSERT_TRUE(two);
  EXPECT_NE(two->items()[0], two->items()[1]);
}

TEST(Template, another_failure_outweighs_unresolved_references) {
  auto value = outcome(R"(["$No", "{{ null.x }}"])");
  ASSERT_FALSE(value);
  EXPECT_EQ(value.error().code, "expression_failed");
}

// G-10
TEST(Template, strings_at_any_depth_are_evaluated_but_keys_are_not) {
  EXPECT_EQ(evaluated(R"({"$User.name": {"list": ["$User.name", 1, {"n": "{{ 1 + 1 }}"}]}})"),
            R"({"$User.name":{"list":["Bob",1,{"n":2}]}})");
}

TEST(Template, constant_parts_are_shared_and_not_copied) {
  auto value = parse_json(R"({"same": {"list": [1, 2, {"k": "a string of some length"}]},
                              "x": "$User.name"})");
  ASSERT_TRUE(value);
  std::vector<Finding> findings;
  Template one = parse_template(*value, names, "", findings);
  EXPECT_FALSE(one.constant());
  auto made = evaluate(one, flow::JsonRoots(roots), {});
  ASSERT_TRUE(made);
  EXPECT_TRUE(made->get("same").same_node(value->get("same")));
  Template whole = parse_template(value->get("same"), names, "", findings);
  EXPECT_TRUE(whole.constant());
  EXPECT_TRUE(evaluate(whole, flow::JsonRoots(), {})->same_node(value->get("same")));
  EXPECT_TRUE(parsed(R"("costs $$5")").constant());
}

TEST(Template, roots_are_listed_once_in_order) {
  EXPECT_EQ(parsed(R"(["$b.x and $a", {"k": "{{ $c + $a }}"}])").roots(),
            (std::vector<std::string>{"b", "a", "c"}));
}

TEST(Template, mistakes_are_found_with_their_place_and_stand_for_themselves) {
  auto value =
      parse_json(R"({"a/b": ["ok", "x {{ 1 + }} y"], "c": "{{ 1", "d": "{{ Mth.max(1) }}"})");
  ASSERT_TRUE(value);
  std::vector<Finding> findings;
  Template one = parse_template(*value, names, "/nodes/1/parameters", findings);
  ASSERT_EQ(findings.size(), 3u);
  EXPECT_EQ(findings[0].code, "expression_invalid");
  EXPECT_EQ(findings[0].path, "/nodes/1/parameters/a~1b/1");
  EXPECT_EQ(findings[0].message, "at character 10: unexpected end of the text: expected a value");
  EXPECT_EQ(findings[1].path, "/nodes/1/parameters/c");
  EXPECT_NE(findings[1].message.find("expected }}"), std::string::npos);
  EXPECT_NE(findings[2].message.find("did you mean `Math`"), std::string::npos);
  EXPECT_EQ(to_json(*evaluate(one, flow::JsonRoots(), {})), to_json(*value));
}

// G-110
TEST(Template, the_text_it_makes_is_limited) {
  flow::EvalGiven given;
  given.limits.text_bytes_max = 10;
  auto made = evaluate(parsed(R"("$Fetch.body $User.name")"), flow::JsonRoots(roots), given);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, "expression_limit");
  EXPECT_NE(made.error().message.find("graph_expression_text_bytes_max"), std::string::npos);
}

}  // namespace
}  // namespace fermata::graph
