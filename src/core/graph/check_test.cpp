#include "core/graph/check.h"

#include <gtest/gtest.h>

#include "core/graph/check_drawing.h"

namespace fermata::graph {
namespace {

using Lines = std::vector<std::string>;

Value parsed(std::string_view text) { return parse_json(text).value(); }

/// A drawing with one edge's fields replaced.
Value with_edge(Value document, size_t index, std::string_view text) {
  Value edges = document.get("edges");
  edges.put(index, parsed(text));
  document.set("edges", std::move(edges));
  return document;
}

}  // namespace

// G-1: the example of the specification.
TEST(Check, an_order_workflow_with_split_and_error_branch_has_no_findings) {
  auto checked = check_text(R"({"nodes": [
    {"id": "t", "name": "Start", "type": "manual", "trigger": true},
    {"id": "s", "name": "Each", "type": "split", "parameters": {"input_array": "$input.orders"}},
    {"id": "h", "name": "Pay", "type": "http", "retry": {"max_attempts": 3},
     "parameters": {"method": "POST", "url": "https://pay.test/o/$item.id"},
     "error": {"type": "branch", "error_edge": "e4"}},
    {"id": "n", "name": "Note", "type": "log",
     "parameters": {"message": "order $item.id: $error.code"}},
    {"id": "a", "name": "All", "type": "aggregator"}],
   "edges": [{"id": "e1", "src": "t", "dst": "s"}, {"id": "e2", "src": "s", "dst": "h"},
    {"id": "e3", "src": "h", "dst": "a"}, {"id": "e4", "src": "h", "dst": "n"},
    {"id": "e5", "src": "n", "dst": "a"}]})");
  EXPECT_EQ(told(checked.errors), Lines{});
  EXPECT_EQ(told(checked.warnings), Lines{});
  ASSERT_NE(checked.definition, nullptr);
  EXPECT_EQ(checked.definition->nodes[2].retry.max_attempts, 3u);
  EXPECT_EQ(checked.definition->nodes[1].aggregator, 4u);
}

// G-7
TEST(Check, what_is_no_object_is_told_at_the_root) {
  EXPECT_EQ(errors_of(Value::array()), Lines{"field_type "});
}

// G-7
TEST(Check, required_fields_are_missed_where_they_belong) {
  EXPECT_EQ(errors_of(Value::object()), (Lines{"field_missing /nodes", "field_missing /edges"}));
  EXPECT_EQ(errors_of(parsed(R"({"nodes": [{"id": "t", "type": "manual", "trigger": true},
      {"name": "x"}], "edges": [{"id": "e"}, {"id": "", "src": "t", "dst": "t2"}]})")),
            (Lines{"field_missing /nodes/1/id", "field_missing /nodes/1/type",
                   "field_missing /edges/0/src", "field_missing /edges/0/dst",
                   "field_missing /edges/1/id", "edge_node_unknown /edges/1/dst"}));
}

// G-7
TEST(Check, wrong_types_are_told_with_what_is_expected) {
  auto checked = check_definition(parsed(R"({"nodes": [{"id": 1, "type": "manual"}, 5,
      {"id": "t", "type": "manual", "trigger": "yes", "timeout_ms": "soon", "max_visits": 0,
       "error": {"type": "stop"}, "retry": {"max_attempts": 0, "jitter": 2, "retry_on": [1]},
       "parameters": []}],
      "edges": [[]], "notes": {}, "on_failure": "panic"})"));
  Lines expected = {"field_type /nodes/0/id",
                    "field_type /nodes/1",
                    "field_type /nodes/2/trigger",
                    "field_type /nodes/2/timeout_ms",
                    "field_type /nodes/2/max_visits",
                    "field_type /nodes/2/error/type",
                    "field_type /nodes/2/retry/max_attempts",
                    "field_type /nodes/2/retry/jitter",
                    "field_type /nodes/2/retry/retry_on/0",
                    "field_type /nodes/2/parameters",
                    "field_type /edges/0",
                    "field_type /notes",
                    "field_type /on_failure"};
  Lines found = told(checked.errors);
  std::erase(found, "entry_missing /nodes");
  EXPECT_EQ(found, expected);
  EXPECT_EQ(checked.errors[4].message,
            "\"timeout_ms\" must be a whole number from 0 to 9007199254740992; it is \"soon\".");
}

// G-7
TEST(Check, a_workflow_needs_a_node) {
  EXPECT_EQ(errors_of(parsed(R"({"nodes": [], "edges": []})")), Lines{"definition_empty /nodes"});
}

// G-7
TEST(Check, ids_and_names_are_used_once) {
  EXPECT_EQ(errors_of(parsed(R"({"nodes": [{"id": "t", "type": "manual", "trigger": true},
      {"id": "t", "type": "noop"}, {"id": "a", "name": "t", "type": "noop"}],
      "edges": [{"id": "e", "src": "t", "dst": "a"}, {"id": "e", "src": "t", "dst": "a"}]})")),
            (Lines{"node_id_duplicate /nodes/1/id", "node_name_duplicate /nodes/2/name",
                   "edge_id_duplicate /edges/1/id"}));
}

// G-7
TEST(Check, names_that_expressions_need_are_reserved) {
  Value document = drawn("t:manual input a", "t>input t>a");
  document = with_fields(document, "a", R"({"name": "error"})");
  EXPECT_EQ(errors_of(document),
            (Lines{"node_name_reserved /nodes/1/name", "node_name_reserved /nodes/2/name"}));
}

// G-7
TEST(Check, edges_end_at_nodes_and_not_at_their_start) {
  Value document = drawn("t:manual alpha", "t>alpha t>alpha");
  document = with_edge(document, 0, R"({"id": "e", "src": "alpah", "dst": "alpha"})");
  document = with_edge(document, 1, R"({"id": "f", "src": "alpha", "dst": "alpha"})");
  auto checked = check_definition(document);
  EXPECT_EQ(told(checked.errors), (Lines{"edge_node_unknown /edges/0/src", "edge_self /edges/1"}));
  EXPECT_EQ(checked.errors[0].message, "No node has the id \"alpah\". Did you mean \"alpha\"?");
}

// G-5
TEST(Check, a_run_needs_one_place_to_start) {
  Value none = drawn("a b", "a>b");
  EXPECT_EQ(errors_of(none), Lines{"entry_missing /nodes"});
  none.set("entry", "a");
  EXPECT_EQ(errors_of(none), Lines{});
  EXPECT_EQ(defined(none)->entry, 0u);
  none.set("entry", "c");
  EXPECT_EQ(errors_of(none), Lines{"entry_missing /entry"});
  EXPECT_EQ(errors_of(drawn("t:manual u:webhook a", "t>a u>a")),
            Lines{"entry_ambiguous /nodes/1/trigger"});
  Value both = drawn("t:manual a", "t>a");
  both.set("entry", "a");
  EXPECT_EQ(errors_of(both), Lines{"entry_ambiguous /nodes/0/trigger"});
}

// G-5
TEST(Check, a_trigger_type_without_the_flag_gets_a_hint) {
  auto checked = check_definition(parsed(R"({"nodes": [{"id": "t", "type": "manual"}],
                                             "edges": []})"));
  ASSERT_EQ(told(checked.errors), Lines{"entry_missing /nodes"});
  EXPECT_NE(checked.errors[0].message.find("\"trigger\": true"), std::string::npos);
}

// G-5
TEST(Check, no_edge_leads_to_the_trigger) {
  EXPECT_EQ(errors_of(with_fields(drawn("t:manual a", "t>a a>t"), "a", R"({"max_visits": 2})")),
            Lines{"entry_has_input /edges/1/dst"});
}

// G-26
TEST(Check, unknown_types_get_the_nearest_name) {
  auto checked = check_definition(drawn("t:manual a:htpp b:integration. c:zzz", "t>a t>b t>c"));
  EXPECT_EQ(told(checked.errors),
            (Lines{"node_type_unknown /nodes/1/type", "node_type_unknown /nodes/2/type",
                   "node_type_unknown /nodes/3/type"}));
  EXPECT_EQ(checked.errors[0].message, "\"htpp\" is no node type. Did you mean \"http\"?");
  EXPECT_EQ(checked.errors[1].message, "\"integration.\" is no node type.");
}

// G-26
TEST(Check, types_that_workers_serve_become_jobs_that_no_setting_changes) {
  Value document = drawn("t:manual a:crm.lookup", "t>a");
  EXPECT_EQ(errors_of(document), Lines{"node_type_unknown /nodes/1/type"});
  DefinitionLimits limits;
  limits.job_types = {"crm.lookup"};
  document = with_fields(document, "a", R"({"parameters": {"id": "$input.id"}})");
  auto checked = check_definition(document, {}, limits);
  ASSERT_TRUE(checked.definition);
  EXPECT_EQ(told(checked.warnings), Lines{"served_by_worker /nodes/1/type"});
  const Value& node = checked.definition->canonical.get("nodes").items()[1];
  EXPECT_EQ(node.get("type"), Value("job"));
  EXPECT_EQ(node.get("parameters").get("topic"), Value("crm.lookup"));
  EXPECT_EQ(to_json(node.get("parameters").get("input")), R"({"id":"$input.id"})");
  auto again = compile_definition(checked.definition->canonical);
  ASSERT_TRUE(again);
  EXPECT_EQ((*again)->hash, checked.definition->hash);
}

// G-7
TEST(Check, references_to_edges_must_leave_the_same_node) {
  Value document = drawn("t:manual c:conditional a b", "t>c c>a c>b a>b");
  document = with_fields(document, "c", R"({"parameters": {"expression": "$json.x == 1",
      "true_edge_id": "nowhere", "false_edge_id": "a>b"}})");
  document = with_fields(document, "a", R"({"error": {"type": "branch", "error_edge": "c>a"},
                                             "parameters": {"other_edge_id": "t>c"}})");
  EXPECT_EQ(errors_of(document), (Lines{"edge_reference_unknown /nodes/1/parameters/true_edge_id",
                                        "edge_reference_foreign /nodes/1/parameters/false_edge_id",
                                        "edge_reference_foreign /nodes/2/parameters/other_edge_id",
                                        "edge_reference_foreign /nodes/2/error/error_edge"}));
}

// G-7
TEST(Check, routes_of_a_switch_are_references_too) {
  Value document = with_fields(drawn("t:manual s:switch a", "t>s s>a"), "s",
                               R"({"parameters": {"rules": [{"when": "$json.x == 1"}],
                                   "routes": ["t>s", 5, "s>a"]}})");
  EXPECT_EQ(errors_of(document), (Lines{"edge_reference_foreign /nodes/1/parameters/routes/0",
                                        "parameter_invalid /nodes/1/parameters/routes/1",
                                        "parameter_invalid /nodes/1/parameters/routes/2"}));
}

// G-21, G-22
TEST(Check, a_failure_branches_over_an_edge_of_its_own) {
  EXPECT_EQ(
      errors_of(with_fields(drawn("t:manual a", "t>a"), "a", R"({"error": {"type": "branch"}})")),
      Lines{"error_edge_missing /nodes/1/error"});
  Value document = drawn("t:manual c:conditional a b", "t>c c>a=true c>b=false");
  EXPECT_EQ(errors_of(with_fields(document, "c",
                                  R"({"error": {"type": "branch", "error_edge": "c>b"}})")),
            Lines{"error_edge_reused /nodes/1/error"});
}

// G-25
TEST(Check, what_others_depend_on_cannot_be_disabled) {
  Value document = drawn("t:manual c:conditional a b m:merge", "t>c c>a=true c>b=false a>m b>m");
  for (std::string_view id : {"t", "c", "a", "m"})
    document = with_fields(document, id, R"({"disabled": true})");
  EXPECT_EQ(errors_of(document), (Lines{"disabled_not_allowed /nodes/0/disabled",
                                        "disabled_not_allowed /nodes/1/disabled",
                                        "disabled_not_allowed /nodes/4/disabled"}));
}

// G-4
TEST(Check, one_credential_has_one_set_of_values) {
  Value document = drawn("t:manual a:http b:http", "t>a t>b");
  document =
      with_fields(document, "a", R"({"credentials": {"id": "k", "values": {"token": "1"}}})");
  Value conflict =
      with_fields(document, "b", R"({"credentials": {"id": "k", "values": {"token": "2"}}})");
  EXPECT_EQ(errors_of(conflict), Lines{"credential_conflict /nodes/2/credentials/values"});
  Value nameless = with_fields(document, "b", R"({"credentials": {}})");
  EXPECT_EQ(errors_of(nameless), Lines{"field_missing /nodes/2/credentials/id"});
}

// G-110
TEST(Check, limits_are_named_with_their_setting) {
  DefinitionLimits limits{.nodes_max = 1, .edges_max = 0, .definition_bytes_max = 10};
  auto checked = check_definition(drawn("t:manual a", "t>a"), {}, limits);
  EXPECT_EQ(told(checked.errors),
            (Lines{"limit_exceeded ", "limit_exceeded /nodes", "limit_exceeded /edges"}));
  EXPECT_NE(checked.errors[1].message.find("graph_nodes_max"), std::string::npos);
  std::string long_id(101, 'x');
  EXPECT_EQ(errors_of(drawn("t:manual " + long_id, "t>" + long_id)),
            (Lines{"limit_exceeded /nodes/1/id", "limit_exceeded /edges/0/id"}));
}

// G-7, scenario row 29
TEST(Check, nine_faults_are_nine_findings_in_document_order) {
  auto checked = check_text(R"({
  "nodes": [
    {"id": "t", "type": "manual", "trigger": true},
    {"id": "a", "type": "htp"},
    {"id": "a", "type": "noop", "name": "second"},
    {"id": "run", "type": "noop"},
    {"id": "h", "type": "http", "parameters": {"url": "ftp://x", "method": "FETCH"}},
    {"id": "l", "type": "limit"},
    {"id": "c", "type": "conditional",
     "parameters": {"expression": "(($json.x", "true_edge_id": "e9", "false_edge_id": "e3"}}
  ],
  "edges": [
    {"id": "e1", "src": "t", "dst": "c"},
    {"id": "e3", "src": "c", "dst": "nobody"}
  ]
})");
  EXPECT_EQ(told(checked.errors),
            (Lines{"node_type_unknown /nodes/1/type", "node_id_duplicate /nodes/2/id",
                   "node_name_reserved /nodes/3/name", "parameter_invalid /nodes/4/parameters/url",
                   "parameter_invalid /nodes/4/parameters/method",
                   "parameter_missing /nodes/5/parameters/count",
                   "expression_invalid /nodes/6/parameters/expression",
                   "edge_reference_unknown /nodes/6/parameters/true_edge_id",
                   "edge_node_unknown /edges/1/dst"}));
  EXPECT_EQ(checked.definition, nullptr);
  ASSERT_EQ(checked.errors.size(), 9u);
  EXPECT_EQ(checked.errors[0].line, 4);
  EXPECT_EQ(checked.errors[0].column, 25);
  EXPECT_EQ(checked.errors[1].related, Lines{"/nodes/1/id"});
  EXPECT_EQ(checked.errors[8].line, 14);
  EXPECT_EQ(checked.errors[8].column, 37);
}

// G-7
TEST(Check, positions_count_characters_and_skip_a_byte_order_mark) {
  auto checked = check_text(
      "\xef\xbb\xbf{\"nodes\": [{\"name\": \"Größe\", \"id\": \"t\", "
      "\"type\": \"manul\", \"trigger\": true}],\n \"edges\": []}");
  ASSERT_EQ(told(checked.errors), Lines{"node_type_unknown /nodes/0/type"});
  EXPECT_EQ(checked.errors[0].line, 1);
  EXPECT_EQ(checked.errors[0].column, 49);
}

}  // namespace fermata::graph
