#include "sim/model/graph_builder.h"

namespace fermata::sim {

GraphBuilder::GraphBuilder() {
  node("start", "manual", Value::object(), Value::object({{"trigger", true}}));
}

GraphBuilder& GraphBuilder::node(std::string_view id, std::string_view type, Value parameters,
                                 Value more) {
  Value written =
      Value::object({{"id", id}, {"type", type}, {"parameters", std::move(parameters)}});
  for (const Value::Member& member : more.members())
    written.set(member.key.as_string(), member.value);
  nodes_.push(std::move(written));
  return *this;
}

GraphBuilder& GraphBuilder::edge(std::string_view src, std::string_view dst, std::string_view id) {
  std::string name(id);
  if (name.empty()) name = "e" + std::to_string(edges_.size());
  edges_.push(Value::object({{"id", name}, {"src", src}, {"dst", dst}}));
  return *this;
}

GraphBuilder& GraphBuilder::result(std::string_view expression) {
  more_.set("result", expression);
  return *this;
}

GraphBuilder& GraphBuilder::timeout_ms(int64_t ms) {
  more_.set("timeout_ms", ms);
  return *this;
}

Value GraphBuilder::document() const {
  Value document = Value::object({{"nodes", nodes_}, {"edges", edges_}});
  for (const Value::Member& member : more_.members())
    document.set(member.key.as_string(), member.value);
  return document;
}

Value on_error_branch(std::string_view edge) {
  return Value::object({{"error", Value::object({{"type", "branch"}, {"error_edge", edge}})}});
}

Value on_error_ignore() { return Value::object({{"error", Value::object({{"type", "ignore"}})}}); }

Value counted_items(int64_t count, int64_t first) {
  Value items = Value::array();
  for (int64_t i = 0; i < count; ++i) items.push(Value::object({{"t", first + i}}));
  return items;
}

Value wait_ms(int64_t ms) {
  return Value::object({{"amount", static_cast<double>(ms) / 1000}, {"unit", "seconds"}});
}

}  // namespace fermata::sim
