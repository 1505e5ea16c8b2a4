#include <gtest/gtest.h>

#include "core/graph/check_drawing.h"

namespace fermata::graph {
namespace {

using Lines = std::vector<std::string>;

Value with_message(Value document, std::string_view node, std::string_view message) {
  Value fields = Value::object({{"parameters", Value::object({{"message", message}})}});
  return with_fields(std::move(document), node, to_json(fields));
}

}  // namespace

// G-7
TEST(CheckExpressions, a_mistake_is_told_at_the_very_string) {
  Value document = with_fields(drawn("t:manual h:http", "t>h"), "h", R"({"parameters":
      {"url": "https://x.test/{{ $json. }}", "headers": {"a/b": ["fine", "{{ ( }}"]}}})");
  EXPECT_EQ(errors_of(document), (Lines{"expression_invalid /nodes/1/parameters/url",
                                        "expression_invalid /nodes/1/parameters/headers/a~1b/1"}));
}

// G-16, G-51
TEST(CheckExpressions, conditions_and_code_are_parsed_when_saved) {
  Value document = drawn("t:manual c:conditional l:loop f:filter x:code y:code",
                         "t>c c>l=true l>f=body f>l l>x=done c>y=false");
  document = with_fields(document, "l", R"({"parameters": {"while": "$json.x ==",
      "body_edge_id": "l>f", "done_edge_id": "l>x"}})");
  document = with_fields(document, "f", R"({"parameters": {"where": "$item.x > ("}})");
  document = with_fields(document, "x", R"({"parameters": {"source": "return ("}})");
  document = with_fields(document, "y", R"({"parameters": {"source": "return await x"}})");
  auto checked = check_definition(document);
  ASSERT_EQ(told(checked.errors), (Lines{"expression_invalid /nodes/2/parameters/while",
                                         "expression_invalid /nodes/3/parameters/where",
                                         "expression_invalid /nodes/4/parameters/source",
                                         "code_not_pure /nodes/5/parameters/source"}));
  EXPECT_NE(checked.errors[0].message.find("at character"), std::string::npos);
  EXPECT_NE(checked.errors[2].message.find("at line 1"), std::string::npos);
}

// G-52, G-81: where a value was moved in the canonical form, findings name where it was written.
TEST(CheckExpressions, moved_parameters_are_told_where_they_were_written) {
  Value document = drawn("t:manual e:set w:wait", "t>e e>w");
  document = with_fields(document, "e", R"({"parameters": {"array_path": "{{ ( }}"}})");
  document = with_fields(document, "w", R"({"parameters": {"wait_type": "until_date",
      "config": {"target_date": "{{ ( }}"}}})");
  EXPECT_EQ(errors_of(document),
            (Lines{"expression_invalid /nodes/1/parameters/array_path",
                   "expression_invalid /nodes/2/parameters/config/target_date"}));
}

// G-7
TEST(CheckExpressions, references_name_nodes) {
  auto checked = check_definition(
      with_message(drawn("t:manual fetch:http a:log", "t>fetch fetch>a"), "a",
                   "$fetch.body $fecth.body $json $input.x $run.id $$5 {{ $error?.code }}"));
  EXPECT_EQ(told(checked.errors), Lines{});
  EXPECT_EQ(told(checked.warnings), Lines{"reference_unknown /nodes/2/parameters/message"});
  EXPECT_NE(checked.warnings[0].message.find("Did you mean \"fetch\"?"), std::string::npos);
}

// G-7
TEST(CheckExpressions, only_what_can_have_run_before_can_be_read) {
  Value document = drawn("t:manual a:log b:log c:log", "t>a a>b t>c");
  EXPECT_EQ(warnings_of(with_message(document, "b", "$a.message $t")), Lines{});
  EXPECT_EQ(warnings_of(with_message(document, "a", "$b.message")),
            Lines{"reference_not_upstream /nodes/1/parameters/message"});
  EXPECT_EQ(warnings_of(with_message(document, "b", "$c.message")),
            Lines{"reference_not_upstream /nodes/2/parameters/message"});
  EXPECT_EQ(warnings_of(with_message(document, "a", "$a.message")),
            Lines{"reference_not_upstream /nodes/1/parameters/message"});
}

// G-67
TEST(CheckExpressions, what_runs_in_a_split_does_not_leave_it) {
  Value document = drawn("t:manual s:split x:log g:aggregator e:log", "t>s s>x x>g g>e");
  EXPECT_EQ(warnings_of(with_message(document, "e", "$g.count $s.count $t")), Lines{});
  EXPECT_EQ(warnings_of(with_message(document, "x", "$s.item")), Lines{});
  EXPECT_EQ(warnings_of(with_message(document, "e", "$x.message")),
            Lines{"reference_not_upstream /nodes/4/parameters/message"});
  EXPECT_EQ(
      warnings_of(with_fields(document, "g", R"({"parameters": {"result": {"m": "$x.message"}}})")),
      Lines{});
}

// G-91
TEST(CheckExpressions, the_result_of_a_run_is_an_expression_too) {
  Value document = drawn("t:manual a", "t>a");
  document.set("result", parse_json(R"({"x": ["$a", "{{ ( }}"]})").value());
  EXPECT_EQ(errors_of(document), Lines{"expression_invalid /result/x/1"});
  document.set("result", "$b");
  EXPECT_EQ(warnings_of(document), Lines{"reference_unknown /result"});
}

}  // namespace fermata::graph
