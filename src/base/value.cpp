#include "base/value.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/check.h"
#include "base/value_node.h"

namespace fermata {
namespace {

/// The first capacity of a container that grows one by one.
constexpr size_t capacity_first = 4;

/// Exact: 2^53 + 1 does not equal the double 2^53, whatever rounding would say.
bool integer_equals_number(int64_t integer, double number) {
  if (!(number >= -0x1p63 && number < 0x1p63)) return false;
  auto truncated = static_cast<int64_t>(number);
  return truncated == integer && static_cast<double>(truncated) == number;
}

}  // namespace

void Value::hold(Node* node) {
  store(node->kind, node);
  content_.size = heap;
}

Value::Value(bool value) { store(Kind::boolean, value); }
Value::Value(long value) { store(Kind::integer, static_cast<int64_t>(value)); }
Value::Value(double value) { store(Kind::number, value); }

Value::Value(unsigned long value) {
  if (value <= static_cast<unsigned long>(std::numeric_limits<int64_t>::max())) {
    store(Kind::integer, static_cast<int64_t>(value));
  } else {
    store(Kind::number, static_cast<double>(value));
  }
}

Value::Value(std::string_view text) {
  if (text.size() > inline_max) {
    hold(StringNode::make(text));
    return;
  }
  if (!text.empty()) std::memcpy(content_.text, text.data(), text.size());
  content_.size = static_cast<uint8_t>(text.size());
  content_.kind = Kind::string;
}

Value Value::array(std::vector<Value> items) { return take_array(items); }

Value Value::object(std::initializer_list<std::pair<std::string_view, Value>> members) {
  Value out;
  out.hold(ObjectNode::make(members.size()));
  for (const auto& [key, value] : members) out.set(key, value);
  return out;
}

Value Value::take_array(std::span<Value> items) {
  Value out;
  auto* node = ArrayNode::make(items.size());
  std::uninitialized_move(items.begin(), items.end(), node->items());
  node->size = static_cast<uint32_t>(items.size());
  out.hold(node);
  return out;
}

Value Value::take_object(std::span<Value> keys_and_values) {
  check(keys_and_values.size() % 2 == 0);
  size_t count = keys_and_values.size() / 2;
  Value out;
  auto* node = ObjectNode::make(count);
  for (size_t i = 0; i < count; ++i) {
    new (node->members() + i)
        Member{std::move(keys_and_values[2 * i]), std::move(keys_and_values[2 * i + 1])};
  }
  node->size = static_cast<uint32_t>(count);
  out.hold(node);
  return out;
}

size_t Value::repeated_key(std::span<const Value> keys_and_values) {
  size_t count = keys_and_values.size() / 2;
  if (count <= ObjectNode::linear_max) {
    for (size_t i = 1; i < count; ++i) {
      const Value& key = keys_and_values[2 * i];
      for (size_t k = 0; k < i; ++k) {
        if (key.same_text(keys_and_values[2 * k])) return i;
      }
    }
    return npos;
  }
  KeyIndex seen(count);
  for (size_t i = 0; i < count; ++i) {
    std::string_view key = keys_and_values[2 * i].as_string();
    auto key_at = [&](size_t at) { return keys_and_values[2 * at].as_string(); };
    if (seen.find(key, key_at) != npos) return i;
    seen.add(key, i);
  }
  return npos;
}

void Value::retain() const { held()->references.fetch_add(1, std::memory_order_relaxed); }

void Value::release() {
  Node* node = held();
  content_ = Content{};
  // The only owner needs no atomic subtraction: nobody else can add a reference.
  if (!node->unique() && node->references.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  if (node->kind != Kind::string) return ContainerNode::free(static_cast<ContainerNode*>(node));
  auto* text = static_cast<StringNode*>(node);
  text->~StringNode();
  ::operator delete(text);
}

bool Value::as_bool() const {
  check(is_bool());
  return load<bool>();
}

int64_t Value::as_integer() const {
  check(is_integer());
  return load<int64_t>();
}

double Value::as_number() const {
  check(is_number());
  return is_integer() ? static_cast<double>(load<int64_t>()) : load<double>();
}

std::string_view Value::as_string() const {
  check(is_string());
  if (content_.size != heap) return {content_.text, content_.size};
  auto* node = static_cast<StringNode*>(held());
  return {node->text(), node->size};
}

std::span<const Value> Value::items() const {
  check(is_array());
  auto* node = static_cast<ArrayNode*>(held());
  return {node->items(), node->size};
}

std::span<const Value::Member> Value::members() const {
  check(is_object());
  auto* node = static_cast<ObjectNode*>(held());
  return {node->members(), node->size};
}

size_t Value::size() const { return is_array() || is_object() ? held()->size : 0; }

const Value* Value::find(std::string_view key) const {
  if (!is_object()) return nullptr;
  auto* node = static_cast<ObjectNode*>(held());
  size_t position = node->position(key);
  return position == npos ? nullptr : &node->members()[position].value;
}

const Value& Value::get(std::string_view key) const {
  static const Value nothing;
  const Value* found = find(key);
  return found != nullptr ? *found : nothing;
}

/// The array node, held by nobody else and with room for `capacity` items.
Value::ArrayNode& Value::own_array(size_t capacity) {
  check(is_array());
  auto* node = static_cast<ArrayNode*>(held());
  bool alone = node->unique();
  if (alone && node->capacity >= capacity) return *node;
  if (capacity > node->capacity) {
    capacity = std::max({capacity, size_t{node->capacity} * 2, capacity_first});
  }
  auto* fresh = ArrayNode::make(std::max(capacity, size_t{node->size}));
  if (alone) {
    std::uninitialized_move_n(node->items(), node->size, fresh->items());
  } else {
    std::uninitialized_copy_n(node->items(), node->size, fresh->items());
  }
  fresh->size = node->size;
  Value next;
  next.hold(fresh);
  *this = std::move(next);
  return *fresh;
}

/// The object node, held by nobody else and with room for `capacity` members.
Value::ObjectNode& Value::own_object(size_t capacity) {
  check(is_object());
  auto* node = static_cast<ObjectNode*>(held());
  bool alone = node->unique();
  if (alone && node->capacity >= capacity) return *node;
  if (capacity > node->capacity) {
    capacity = std::max({capacity, size_t{node->capacity} * 2, capacity_first});
  }
  auto* fresh = ObjectNode::make(std::max(capacity, size_t{node->size}));
  if (alone) {
    std::uninitialized_move_n(node->members(), node->size, fresh->members());
  } else {
    std::uninitialized_copy_n(node->members(), node->size, fresh->members());
  }
  fresh->size = node->size;
  Value next;
  next.hold(fresh);
  *this = std::move(next);
  return *fresh;
}

void Value::set(std::string_view key, Value value) {
  check(is_object());
  auto* node = static_cast<ObjectNode*>(held());
  size_t position = node->position(key);
  if (position != npos) {
    own_object(node->size).members()[position].value = std::move(value);
    return;
  }
  // The key is copied first: it may be a view into this very object.
  Value own_key(key);
  own_object(size_t{node->size} + 1).append(Member{std::move(own_key), std::move(value)});
}

bool Value::erase(std::string_view key) {
  check(is_object());
  size_t position = static_cast<ObjectNode*>(held())->position(key);
  if (position == npos) return false;
  ObjectNode& node = own_object(held()->size);
  Member* members = node.members();
  node.drop_index();
  std::move(members + position + 1, members + node.size, members + position);
  std::destroy_at(members + node.size - 1);
  --node.size;
  return true;
}

void Value::push(Value value) {
  check(is_array());
  ArrayNode& node = own_array(size_t{held()->size} + 1);
  new (node.items() + node.size) Value(std::move(value));
  ++node.size;
}

void Value::put(size_t index, Value value) {
  check(is_array() && index < held()->size);
  own_array(held()->size).items()[index] = std::move(value);
}

void Value::reserve(size_t count) {
  check(is_array() || is_object());
  if (is_array()) {
    own_array(count);
  } else {
    own_object(count);
  }
}

/// False when the two differ here; containers of one size are left in `pending`.
bool Value::equal_so_far(const Value& a, const Value& b,
                         std::vector<std::pair<const Value*, const Value*>>& pending) {
  if (a.kind() != b.kind()) {
    if (a.is_integer() && b.is_number()) {
      return integer_equals_number(a.load<int64_t>(), b.load<double>());
    }
    if (b.is_integer() && a.is_number()) {
      return integer_equals_number(b.load<int64_t>(), a.load<double>());
    }
    return false;
  }
  if (a.kind() == Kind::number) return a.load<double>() == b.load<double>();
  if (a.same_bytes(b)) return true;
  if (a.is_string()) return a.same_text(b);
  if (!a.is_array() && !a.is_object()) return false;
  if (a.size() != b.size()) return false;
  pending.emplace_back(&a, &b);
  return true;
}

bool operator==(const Value& a, const Value& b) {
  std::vector<std::pair<const Value*, const Value*>> pending;
  if (!Value::equal_so_far(a, b, pending)) return false;
  while (!pending.empty()) {
    auto [left, right] = pending.back();
    pending.pop_back();
    if (left->is_array()) {
      auto others = right->items().begin();
      for (const Value& item : left->items()) {
        if (!Value::equal_so_far(item, *others++, pending)) return false;
      }
      continue;
    }
    auto others = right->members().begin();
    for (const Value::Member& member : left->members()) {
      // Most equal objects also have their keys in the same order.
      const Value* other =
          others->key.same_text(member.key) ? &others->value : right->find(member.key.as_string());
      ++others;
      if (other == nullptr || !Value::equal_so_far(member.value, *other, pending)) return false;
    }
  }
  return true;
}

bool Value::same_node(const Value& other) const {
  if (content_.size == heap || other.content_.size == heap) return same_bytes(other);
  return *this == other;
}

const void* Value::node() const { return content_.size == heap ? held() : nullptr; }

bool Value::nests_deeper_than(int levels) const {
  if (!is_array() && !is_object()) return false;
  if (levels <= 0) return true;
  auto deeper = [levels](const Value& child) { return child.nests_deeper_than(levels - 1); };
  if (is_array()) return std::ranges::any_of(items(), deeper);
  return std::ranges::any_of(members(), deeper, &Member::value);
}

}  // namespace fermata
