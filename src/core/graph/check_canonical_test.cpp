#include <gtest/gtest.h>

#include "core/graph/check_drawing.h"

namespace fermata::graph {
namespace {

using Lines = std::vector<std::string>;

std::string hash_of(std::string_view text) {
  auto checked = check_text(text);
  EXPECT_EQ(told(checked.errors), Lines{});
  return checked.definition ? checked.definition->hash.text() : "";
}

constexpr std::string_view plain = R"({"nodes": [
  {"id": "t", "type": "manual", "trigger": true},
  {"id": "h", "type": "http", "parameters": {"url": "https://x.test", "body": {"a": 1, "b": 2}}}],
  "edges": [{"id": "e", "src": "t", "dst": "h"}]})";

}  // namespace

// G-2
TEST(Canonical, the_hash_is_hex_of_sha_256) {
  EXPECT_EQ(hash_of(plain).size(), 64u);
  EXPECT_EQ(hash_of(plain).find_first_not_of("0123456789abcdef"), std::string::npos);
}

// G-2
TEST(Canonical, key_order_layout_and_written_defaults_do_not_change_the_hash) {
  EXPECT_EQ(hash_of(plain), hash_of(R"({
    "edges": [{"dst": "h", "src": "t", "id": "e", "label": "go", "color": "red"}],
    "notes": [{"text": "hello"}], "timeout_ms": 0, "on_failure": "keep",
    "workflow_id": "w1", "execution_id": "r1",
    "nodes": [
      {"trigger": true, "type": "ManualTrigger", "id": "t", "name": "t", "position": [1, 2],
       "output": {}, "parameters": {}, "disabled": false, "error": {"type": "halt"}},
      {"parameters": {"body": {"b": 2, "a": 1}, "url": "https://x.test", "method": "GET",
                      "timeout": 30, "retry": 0, "body_type": "json"},
       "type": "http", "id": "h"}]})"));
}

// G-2: the order of nodes and edges decides at run time.
TEST(Canonical, order_of_nodes_is_part_of_the_form) {
  Value one = drawn("t:manual a b", "t>a t>b"), two = drawn("t:manual b a", "t>a t>b"),
        three = drawn("t:manual a b", "t>b t>a");
  EXPECT_NE(defined(one)->hash, defined(two)->hash);
  EXPECT_NE(defined(one)->hash, defined(three)->hash);
}

// G-2
TEST(Canonical, what_matters_at_run_time_changes_the_hash) {
  Value document = drawn("t:manual h:http", "t>h");
  auto base = defined(document)->hash;
  for (std::string_view fields :
       {R"({"name": "Other"})", R"({"timeout_ms": 5})", R"({"retry": {"max_attempts": 2}})",
        R"({"disabled": true})", R"({"max_visits": 5})", R"({"error": {"type": "ignore"}})",
        R"({"credentials": {"id": "k"}})"})
    EXPECT_NE(defined(with_fields(document, "h", fields))->hash, base) << fields;
  for (auto [field, value] : {std::pair<std::string_view, Value>{"timeout_ms", 5},
                              {"result", "$json"},
                              {"on_failure", "rollback"}}) {
    Value changed = document;
    changed.set(field, value);
    EXPECT_NE(defined(changed)->hash, base) << field;
  }
}

// G-2
TEST(Canonical, compiling_the_form_again_gives_the_same_definition) {
  Value document = drawn("t:manual s:split c:conditional e:set w:wait g:aggregator m:merge x:loop",
                         "t>s s>c c>e=true c>w=false e>g w>g g>m t>m m>x x>m=body s>m=error");
  document = with_fields(document, "e", R"({"parameters": {"array_path": "rows", "assignments":
      [{"name": "a.b", "value": "{{ $item.x }}"}]}})");
  document = with_fields(document, "w", R"({"parameters": {"wait_type": "fixed_time",
      "config": {"unit": "hours", "duration": 2}}, "credentials": {"name": "n"},
      "retry": {"retry_on": "any"}})");
  document.set("result", parse_json(R"({"z": "$m", "a": ["$json"]})").value());
  auto first = defined(document);
  auto again = compile_definition(parse_json(to_canonical_json(first->canonical)).value());
  ASSERT_TRUE(again);
  const Definition& second = **again;
  EXPECT_EQ(second.hash, first->hash);
  EXPECT_EQ(to_json(second.canonical), to_json(first->canonical));
  ASSERT_EQ(second.nodes.size(), first->nodes.size());
  for (size_t i = 0; i < second.nodes.size(); ++i) {
    const Node &a = first->nodes[i], &b = second.nodes[i];
    EXPECT_EQ(to_json(b.raw), to_json(a.raw)) << a.id;
    EXPECT_EQ(b.routes, a.routes);
    EXPECT_EQ(b.normal_out, a.normal_out);
    EXPECT_EQ(b.in_edges, a.in_edges);
    EXPECT_EQ(b.error_edge, a.error_edge);
    EXPECT_EQ(b.aggregator, a.aggregator);
    EXPECT_EQ(b.repeatable, a.repeatable);
    EXPECT_EQ(b.max_visits, a.max_visits);
    EXPECT_EQ(b.retry.retry_on, a.retry.retry_on);
    EXPECT_EQ(b.expressions.size(), a.expressions.size());
    EXPECT_EQ(b.templates.size(), a.templates.size());
  }
  EXPECT_EQ(second.entry, first->entry);
  EXPECT_EQ(second.reach, first->reach);
  EXPECT_EQ(second.level_reach, first->level_reach);
  EXPECT_TRUE(second.result);
}

// G-2: what the engine sees must not depend on whether the process was restarted.
TEST(Canonical, parameters_have_sorted_keys_defaults_and_canonical_names) {
  Value document = with_fields(drawn("t:manual e:set", "t>e"), "e", R"({"parameters":
      {"array_path": "rows", "assignments": [{"value": {"z": 1, "a": 2}, "name": "x"}]}})");
  EXPECT_EQ(to_json(defined(document)->nodes[1].raw),
            R"({"assignments":[{"name":"x","type":"auto","value":{"a":2,"z":1}}],)"
            R"("mode":"assignments","target_path":"rows"})");
}

TEST(Canonical, a_damaged_form_is_told_and_not_run) {
  auto outcome = compile_definition(parse_json(R"({"nodes": [{}], "edges": []})").value());
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, ErrorCode::data_damaged);
  EXPECT_FALSE(outcome.error().findings.empty());
}

TEST(Canonical, lowered_limits_do_not_strand_stored_definitions) {
  DefinitionLimits limits{.nodes_max = 1};
  Value document = drawn("t:manual a", "t>a");
  EXPECT_FALSE(check_definition(document, {}, limits).errors.empty());
  EXPECT_TRUE(compile_definition(defined(document)->canonical));
}

// G-2
TEST(Canonical, layout_keeps_what_the_form_leaves_out) {
  auto checked = check_text(R"({"nodes": [
    {"id": "t", "type": "manual", "trigger": true, "position": [1, 2], "colour": "red"}],
    "edges": [], "notes": ["n"], "zoom": 2, "workflow_id": "w"})");
  EXPECT_EQ(to_json(checked.layout),
            R"({"notes":["n"],"nodes":{"t":{"position":[1,2],"colour":"red"}},)"
            R"("fields":{"zoom":2}})");
}

}  // namespace fermata::graph
