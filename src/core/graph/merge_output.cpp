#include <algorithm>

#include "base/json.h"
#include "core/graph/merge.h"
#include "core/run/tokens.h"

namespace fermata::graph {

namespace {

Value as_list(const Value& value) { return value.is_array() ? value : Value::array({value}); }

Failure<NodeError> not_an_object(const Value& value) {
  return node_failure("merge_input", "objects are merged here, but an input holds " +
                                         to_json(value).substr(0, 200));
}

const Value* at_path(const Value& value, std::string_view path) {
  const Value* at = &value;
  while (at && !path.empty()) {
    size_t dot = path.find('.');
    at = at->find(path.substr(0, dot));
    path = dot == std::string_view::npos ? std::string_view() : path.substr(dot + 1);
  }
  return at;
}

void merge_into(Value& target, const Value& source) {
  for (const Value::Member& member : source.members())
    target.set(member.key.as_string(), member.value);
}

Value append(const std::vector<Value>& inputs, bool flatten) {
  Value items = Value::array();
  for (const Value& input : inputs) {
    if (!flatten || !input.is_array()) {
      items.push(input);
      continue;
    }
    for (const Value& item : input.items()) items.push(item);
  }
  return items;
}

Result<Value, NodeError> by_key(const std::vector<Value>& inputs, std::string_view path,
                                bool inner) {
  struct Group {
    Value merged;
    std::vector<bool> found;
    bool keyed = true;
  };
  std::vector<Group> groups;
  std::map<std::string, size_t> known;
  for (size_t i = 0; i < inputs.size(); ++i) {
    Value list = as_list(inputs[i]);
    for (const Value& item : list.items()) {
      if (!item.is_object()) return not_an_object(item);
      const Value* key = at_path(item, path);
      if (!key) {
        groups.push_back({item, {}, false});
        continue;
      }
      auto [entry, fresh] = known.try_emplace(to_canonical_json(*key), groups.size());
      if (fresh) groups.push_back({Value::object(), std::vector<bool>(inputs.size())});
      merge_into(groups[entry->second].merged, item);
      groups[entry->second].found[i] = true;
    }
  }
  Value items = Value::array();
  for (Group& group : groups) {
    bool everywhere = group.keyed &&
                      std::find(group.found.begin(), group.found.end(), false) == group.found.end();
    if (!inner || everywhere) items.push(std::move(group.merged));
  }
  return items;
}

Result<Value, NodeError> by_position(const std::vector<Value>& inputs, bool inner) {
  size_t length = 0;
  for (size_t i = 0; i < inputs.size(); ++i) {
    size_t size = as_list(inputs[i]).size();
    length = i == 0 ? size : inner ? std::min(length, size) : std::max(length, size);
  }
  std::vector<Value> merged(length, Value::object());
  for (const Value& input : inputs) {
    Value list = as_list(input);
    for (size_t i = 0; i < std::min(length, list.size()); ++i) {
      if (!list.items()[i].is_object()) return not_an_object(list.items()[i]);
      merge_into(merged[i], list.items()[i]);
    }
  }
  return Value::array(std::move(merged));
}

Result<Value, NodeError> united(const std::vector<Value>& inputs) {
  Value merged = Value::object();
  for (const Value& input : inputs) {
    if (!input.is_object()) return not_an_object(input);
    merge_into(merged, input);
  }
  return merged;
}

}  // namespace

Result<Value, NodeError> merge_output(const Definition& definition, const Node& node,
                                      const Merge& merge, bool timed_out) {
  const Value& parameters = merge.parameters;
  std::vector<Value> inputs;
  Value arrived = Value::array();
  std::vector<EdgeIndex> edges;
  for (const Arrival* arrival : in_edge_order(merge)) {
    const Edge& edge = definition.edges[arrival->edge];
    inputs.push_back(arrival->payload);
    edges.push_back(arrival->edge);
    arrived.push(Value::object({{"edge_id", edge.id}, {"node_id", definition.nodes[edge.src].id}}));
  }
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  const Value& mode = parameters.get("mode");
  bool inner = parameters.get("join") == Value("inner");
  Value items;
  if (mode == Value("combine_by_key")) {
    const Value& key = parameters.get("key");
    FERMATA_TRY(keyed, by_key(inputs, key.is_string() ? key.as_string() : "id", inner));
    items = std::move(keyed);
  } else if (mode == Value("combine_by_position")) {
    FERMATA_TRY(placed, by_position(inputs, inner));
    items = std::move(placed);
  } else if (mode == Value("union")) {
    FERMATA_TRY(merged, united(inputs));
    items = std::move(merged);
  } else {
    items = append(inputs, parameters.get("flatten") == Value(true));
  }
  bool any = parameters.get("wait_mode") == Value("wait_for_any");
  size_t expected = timed_out ? merge.expected : any ? node.in_edges.size() : edges.size();
  Value output = Value::object({{"items", items},
                                {"arrived", arrived},
                                {"expected", static_cast<int64_t>(expected)},
                                {"timed_out", timed_out}});
  if (mode == Value("union")) output.set("merged", items);
  if (any) {
    const Edge& edge = definition.edges[merge.arrivals.front().edge];
    output.set("winner", definition.nodes[edge.src].id);
  }
  return output;
}

}  // namespace fermata::graph
