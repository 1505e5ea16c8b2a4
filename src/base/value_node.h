#pragma once
#include <atomic>
#include <bit>
#include <cstring>
#include <memory>

#include "base/value.h"

namespace fermata {

/// What a Value refers to when it does not fit inside: one allocation, this header and then the
/// characters, items or members. Private to value.cpp and value_node.cpp.
struct Value::Node {
  std::atomic<uint32_t> references{1};
  uint32_t size = 0;
  uint32_t capacity = 0;
  Kind kind;

  explicit Node(Kind of_kind) : kind(of_kind) {}
  bool unique() const { return references.load(std::memory_order_acquire) == 1; }
};

struct Value::StringNode : Node {
  StringNode() : Node(Kind::string) {}
  char* text() { return reinterpret_cast<char*>(this + 1); }
  static StringNode* make(std::string_view text);
};

struct Value::ContainerNode : Node {
  using Node::Node;
  /// Chains nodes on their way to be freed, so that no depth of nesting can exhaust the stack.
  ContainerNode* next_dead = nullptr;
  static void free(ContainerNode* dead);
};

struct Value::ArrayNode : ContainerNode {
  ArrayNode() : ContainerNode(Kind::array) {}
  Value* items() { return reinterpret_cast<Value*>(this + 1); }
  static ArrayNode* make(size_t capacity);
};

/// Positions by the hash of their key, open addressing.
struct Value::KeyIndex {
  explicit KeyIndex(size_t members_expected);
  static uint64_t hash(std::string_view key);
  /// The member's position, or npos. `key_at(position)` gives the key there.
  template <class KeyAt>
  size_t find(std::string_view key, KeyAt key_at) const;
  bool has_room() const { return used * 2 < slots.size(); }
  void add(std::string_view key, size_t position);

  std::vector<uint32_t> slots;  ///< position + 1, or 0
  size_t used = 0;
};

struct Value::ObjectNode : ContainerNode {
  static constexpr uint32_t linear_max = 16;  ///< up to here comparing every key is faster

  ObjectNode() : ContainerNode(Kind::object) {}
  Member* members() { return reinterpret_cast<Member*>(this + 1); }
  static ObjectNode* make(size_t capacity);
  size_t position(std::string_view key);
  void append(Member member);
  void drop_index();

 private:
  const KeyIndex& indexed();
  /// Built by the first reader that needs it; readers on several threads may race to do so.
  std::atomic<KeyIndex*> index_{nullptr};
};

template <class KeyAt>
size_t Value::KeyIndex::find(std::string_view key, KeyAt key_at) const {
  size_t mask = slots.size() - 1;
  for (size_t slot = hash(key) & mask; slots[slot] != 0; slot = (slot + 1) & mask) {
    size_t position = slots[slot] - 1;
    if (key_at(position) == key) return position;
  }
  return npos;
}

template <class T>
void Value::store(Kind kind, T scalar) {
  static_assert(sizeof(T) <= 8);
  std::memcpy(content_.text, &scalar, sizeof scalar);
  content_.kind = kind;
}

template <class T>
T Value::load() const {
  T scalar;
  std::memcpy(&scalar, content_.text, sizeof scalar);
  return scalar;
}

inline bool Value::same_bytes(const Value& other) const {
  struct Words {
    uint64_t first, second;
  };
  auto a = std::bit_cast<Words>(content_);
  auto b = std::bit_cast<Words>(other.content_);
  return a.first == b.first && a.second == b.second;
}

/// Of two strings.
inline bool Value::same_text(const Value& other) const {
  if (same_bytes(other)) return true;
  if (content_.size != heap || other.content_.size != heap) return false;
  return held()->size == other.held()->size && as_string() == other.as_string();
}

}  // namespace fermata
