#include <bit>

#include "core/flow/durable/json_units.h"
#include "core/flow/durable/snapshot_codes.h"
#include "core/flow/durable/snapshot_reader.h"

namespace fermata::flow {

using namespace snapshot;

const Value* SnapshotReader::json_named() {
  uint64_t unit = in_.varint();
  uint64_t index = in_.varint();
  if (!in_.ok() || unit >= units_.size() || units_[unit].root == nullptr) {
    in_.fail();
    return nullptr;
  }
  Unit& found = units_[unit];
  if (found.containers.empty()) {
    each_container(*found.root, [&](const Value& part) {
      found.containers.push_back(&part);
      return true;
    });
  }
  if (index < found.containers.size()) return found.containers[index];
  in_.fail();
  return nullptr;
}

void SnapshotReader::add_given(std::string_view name) {
  const Value* root = nullptr;
  const auto& names = machine_.program_.roots;
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name && machine_.root(i).present) root = &machine_.root(i).value;
  }
  bool container = root != nullptr && (root->is_array() || root->is_object());
  units_.push_back({container ? root : nullptr, {}});
}

void SnapshotReader::read_units() {
  add_given("Inputs");
  add_given("Context");
  size_t count = in_.count();
  for (size_t i = 0; i < count && in_.ok(); ++i) {
    size_t before = in_.remaining();
    changes_.clear();
    Value value = json(0);
    if (!in_.ok() || !(value.is_array() || value.is_object())) return in_.fail();
    Datum kept = machine_.keep(std::move(value), before - in_.remaining());
    units_.push_back({kept.json, {}});
    settle_changes(*kept.json);
  }
  size_t outside = in_.count();
  for (size_t i = 0; i < outside && in_.ok(); ++i) {
    const Value* place = json_named();
    HeapObject* copy = object();
    if (in_.ok()) adopt(*place, copy);
  }
}

void SnapshotReader::adopt(const Value& place, HeapObject* copy) {
  if (copy->kind != (place.is_array() ? Tag::array : Tag::object)) return in_.fail();
  machine_.adopted_[&place] = copy;
}

/// The changed places of a unit were noted by their position among its containers.
void SnapshotReader::settle_changes(const Value& root) {
  if (changes_.empty()) return;
  uint32_t index = 0;
  size_t next = 0;
  each_container(root, [&](const Value& part) {
    if (next < changes_.size() && changes_[next].index == index && in_.ok()) {
      adopt(part, changes_[next++].object);
    }
    ++index;
    return true;
  });
}

Value SnapshotReader::json(int depth) {
  if (depth > json_nesting_max) {
    in_.fail();
    return {};
  }
  if (depth == 0) containers_ = 0;
  auto code = static_cast<JsonCode>(in_.u8());
  switch (code) {
    case JsonCode::null: return {};
    case JsonCode::no: return Value(false);
    case JsonCode::yes: return Value(true);
    case JsonCode::integer: return Value(in_.zigzag());
    case JsonCode::number: return Value(std::bit_cast<double>(in_.fixed64()));
    case JsonCode::text: return Value(text());
    case JsonCode::array: return json_array(depth);
    case JsonCode::object: return json_object(depth);
    case JsonCode::changed_array:
    case JsonCode::changed_object: {
      changes_.push_back({containers_++, object()});
      return code == JsonCode::changed_array ? Value::array() : Value::object();
    }
  }
  in_.fail();
  return {};
}

Value SnapshotReader::json_array(int depth) {
  ++containers_;
  size_t count = in_.count();
  std::vector<Value> items;
  for (size_t i = 0; i < count && in_.ok(); ++i) items.push_back(json(depth + 1));
  return Value::array(std::move(items));
}

Value SnapshotReader::json_object(int depth) {
  ++containers_;
  size_t count = in_.count();
  std::vector<Value> parts;
  for (size_t i = 0; i < count && in_.ok(); ++i) {
    parts.emplace_back(text());
    parts.push_back(json(depth + 1));
  }
  if (Value::repeated_key(parts) != Value::npos) in_.fail();
  return in_.ok() ? Value::take_object(parts) : Value();
}

}  // namespace fermata::flow
