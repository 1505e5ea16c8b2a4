#include "test/scenario/scenario_graph.h"

#include <algorithm>
#include <optional>

#include "core/graph/definition.h"

namespace fermata::scenario {

namespace {

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

std::string trimmed(std::string_view text) {
  size_t begin = text.find_first_not_of(' ');
  if (begin == std::string_view::npos) return "";
  return std::string(text.substr(begin, text.find_last_not_of(' ') - begin + 1));
}

class Drawing {
 public:
  void add(const Line& line) {
    Words words(line);
    if (words.accept("for")) return add_each(line, words);
    if (words.accept("workflow")) {
      Value fields = words.json("the workflow's fields");
      for (const Value::Member& member : fields.members())
        document_.set(member.key.as_string(), member.value);
      return words.end();
    }
    size_t arrow = arrow_in(line.text);
    if (arrow != std::string::npos) return add_edges(line, arrow);
    add_node(line);
  }

  Value document() {
    document_.set("nodes", Value::array(std::move(nodes_)));
    document_.set("edges", Value::array(std::move(edges_)));
    return std::move(document_);
  }

 private:
  /// Arrows inside JSON belong to expressions.
  static size_t arrow_in(std::string_view text) {
    return text.substr(0, text.find_first_of("{[\"")).find("->");
  }

  void add_each(const Line& line, Words& words) {
    std::string span = words.word("a span such as 1..9");
    size_t dots = span.find("..");
    if (dots == std::string::npos) words.fail("a span is written 1..9");
    int64_t first = std::stoll(span.substr(0, dots)), last = std::stoll(span.substr(dots + 2));
    for (int64_t i = first; i <= last; ++i) {
      std::string text(words.rest());
      replace_all(text, "{i}", std::to_string(i));
      replace_all(text, "{i+1}", std::to_string(i + 1));
      add({line.number, std::move(text), {}});
    }
  }

  void add_edges(const Line& line, size_t arrow) {
    std::string_view text = line.text;
    std::optional<std::string> id;
    if (size_t colon = text.find(": "); colon != std::string::npos && colon < arrow) {
      id = trimmed(text.substr(0, colon));
      text.remove_prefix(colon + 2);
    }
    std::vector<std::string> stops;
    while (true) {
      size_t end = text.find("->");
      stops.push_back(trimmed(text.substr(0, end)));
      if (end == std::string_view::npos) break;
      text.remove_prefix(end + 2);
    }
    if (id && stops.size() > 2) throw Mistake{line.number, "a named edge leads to one node"};
    for (size_t i = 0; i + 1 < stops.size(); ++i) {
      std::string name = id ? *id : stops[i] + "->" + stops[i + 1];
      edges_.push_back(Value::object({{"id", name}, {"src", stops[i]}, {"dst", stops[i + 1]}}));
    }
  }

  void add_node(const Line& line) {
    size_t colon = line.text.find(": ");
    if (colon == std::string::npos)
      throw Mistake{line.number, "a graph has nodes `Name: type` and edges `A -> B`"};
    std::string id = trimmed(std::string_view(line.text).substr(0, colon));
    Line rest{line.number, line.text.substr(colon + 2), {}};
    Words words(rest);
    std::string type = words.word("a node type");
    Value node = Value::object({{"id", id}, {"type", type}});
    auto known = graph::node_type_of(type);
    if (known && graph::is_trigger(*known)) node.set("trigger", true);
    if (words.at_json()) node.set("parameters", words.json("parameters"));
    if (words.accept("|")) {
      Value fields = words.json("the node's fields");
      for (const Value::Member& member : fields.members())
        node.set(member.key.as_string(), member.value);
    }
    words.end();
    nodes_.push_back(std::move(node));
  }

  Value document_ = Value::object();
  std::vector<Value> nodes_;
  std::vector<Value> edges_;
};

}  // namespace

Value drawn_graph(const Line& line) {
  Drawing drawing;
  for (const Line& part : line.block) drawing.add(part);
  return drawing.document();
}

std::string with_ranges(std::string text) {
  for (size_t at = text.find("range("); at != std::string::npos; at = text.find("range(", at)) {
    size_t end = text.find(')', at);
    int64_t count = std::stoll(text.substr(at + 6, end - at - 6));
    std::string list = "[";
    for (int64_t i = 0; i < count; ++i) list += (i ? "," : "") + std::to_string(i);
    text.replace(at, end - at + 1, list + "]");
  }
  return text;
}

}  // namespace fermata::scenario
