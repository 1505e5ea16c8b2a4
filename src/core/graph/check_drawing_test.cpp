#include "core/graph/check_drawing.h"

#include <gtest/gtest.h>

#include <map>

#include "core/graph/check_words.h"

namespace fermata::graph {
namespace {

std::vector<std::string_view> drawn_words(std::string_view text) {
  auto words = parts_of(text, ' ');
  std::erase(words, "");
  return words;
}

Value needed_parameters(std::string_view type) {
  static const std::map<std::string_view, std::string_view> needed = {
      {"conditional", R"({"expression": "$json.x == 1"})"},
      {"loop", R"({"while": "$json.x == 1"})"},
      {"switch", R"({"rules": [{"when": "$json.x == 1"}], "routes": [null, null]})"},
      {"split", R"({"input_array": "$json"})"},
      {"http", R"({"url": "https://example.test/"})"},
      {"log", R"({"message": "hello"})"},
      {"wait_for_signal", R"({"name": "go"})"},
      {"code", R"({"source": "return 1"})"},
  };
  auto found = needed.find(type);
  return found == needed.end() ? Value::object() : parse_json(found->second).value();
}

size_t position_of(const Value& nodes, std::string_view id) {
  for (size_t i = 0; i < nodes.size(); ++i)
    if (nodes.items()[i].get("id") == Value(id)) return i;
  return nodes.size();
}

/// Names an edge in the node it leaves.
Value marked(Value node, std::string_view mark, std::string_view edge) {
  if (mark == "error") {
    node.set("error", Value::object({{"type", "branch"}, {"error_edge", edge}}));
    return node;
  }
  Value parameters = node.get("parameters");
  if (mark[0] >= '0' && mark[0] <= '9') {
    Value routes = parameters.get("routes");
    routes.put(static_cast<size_t>(mark[0] - '0'), edge);
    parameters.set("routes", std::move(routes));
  } else {
    parameters.set(std::string(mark) + "_edge_id", edge);
  }
  node.set("parameters", std::move(parameters));
  return node;
}

}  // namespace

Value drawn(std::string_view node_words, std::string_view edge_words) {
  Value nodes = Value::array(), edges = Value::array();
  for (std::string_view word : drawn_words(node_words)) {
    size_t colon = word.find(':');
    std::string_view type = colon == word.npos ? "noop" : word.substr(colon + 1);
    Value node = Value::object({{"id", word.substr(0, colon)}, {"type", type}});
    auto known = node_type_of(type);
    if (known && is_trigger(*known)) node.set("trigger", true);
    node.set("parameters", needed_parameters(type));
    nodes.push(std::move(node));
  }
  for (std::string_view word : drawn_words(edge_words)) {
    size_t arrow = word.find('>'), mark = word.find('=');
    std::string_view id = word.substr(0, mark), src = word.substr(0, arrow);
    edges.push(Value::object({{"id", id}, {"src", src}, {"dst", id.substr(arrow + 1)}}));
    size_t at = position_of(nodes, src);
    if (mark != word.npos) nodes.put(at, marked(nodes.items()[at], word.substr(mark + 1), id));
  }
  return Value::object({{"nodes", std::move(nodes)}, {"edges", std::move(edges)}});
}

Value with_fields(Value document, std::string_view node_id, std::string_view fields) {
  Value nodes = document.get("nodes");
  size_t at = position_of(nodes, node_id);
  Value node = nodes.items()[at];
  Value further = parse_json(fields).value();
  for (const auto& [key, value] : further.members()) node.set(key.as_string(), value);
  nodes.put(at, std::move(node));
  document.set("nodes", std::move(nodes));
  return document;
}

CheckedDefinition check_text(std::string_view text) {
  return check_definition(parse_json(text).value(), text);
}

std::vector<std::string> told(const std::vector<Finding>& findings) {
  std::vector<std::string> lines;
  for (const Finding& finding : findings) lines.push_back(finding.code + " " + finding.path);
  return lines;
}

std::vector<std::string> errors_of(const Value& document) {
  CheckedDefinition checked = check_definition(document);
  EXPECT_EQ(checked.definition == nullptr, !checked.errors.empty());
  return told(checked.errors);
}

std::vector<std::string> warnings_of(const Value& document) {
  CheckedDefinition checked = check_definition(document);
  EXPECT_EQ(told(checked.errors), std::vector<std::string>{});
  return told(checked.warnings);
}

DefinitionRef defined(const Value& document) {
  CheckedDefinition checked = check_definition(document);
  for (const Finding& finding : checked.errors)
    ADD_FAILURE() << finding.code << " " << finding.path << ": " << finding.message;
  return checked.definition;
}

std::string ids_in(const Definition& definition, const NodeSet& set) {
  std::string ids;
  for (NodeIndex i = 0; i < definition.nodes.size(); ++i)
    if (set.has(i)) ids += (ids.empty() ? "" : " ") + definition.nodes[i].id;
  return ids;
}

NodeIndex index_of(const Definition& definition, std::string_view id) {
  return definition.node_by_id(id).value();
}

TEST(Drawing, becomes_a_document_without_findings) {
  Value document = drawn("t:manual c:conditional a b n:log", "t>c c>a=true c>b=false b>n=error");
  EXPECT_EQ(warnings_of(document), std::vector<std::string>{});
}

}  // namespace fermata::graph
