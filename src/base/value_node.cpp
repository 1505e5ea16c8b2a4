#include "base/value_node.h"

#include <sys/random.h>

#include <bit>
#include <cstring>
#include <limits>
#include <new>

#include "base/check.h"

namespace fermata {
namespace {

/// Memory for a node of type `T` followed by `count` elements.
template <class T, class Element>
void* room_for(size_t count) {
  check(count <= std::numeric_limits<uint32_t>::max());
  return ::operator new(sizeof(T) + count * sizeof(Element));
}

/// Different in every process, so that no sender can prepare keys that collide.
uint64_t hash_seed() {
  static const uint64_t seed = [] {
    uint64_t random = 0x9e3779b97f4a7c15ULL;
    // Early in boot there may be no entropy; the constant then serves as well as it can.
    (void)!getrandom(&random, sizeof random, GRND_NONBLOCK);
    return random;
  }();
  return seed;
}

uint64_t mix(uint64_t a, uint64_t b) {
  auto product = static_cast<unsigned __int128>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

}  // namespace

Value::StringNode* Value::StringNode::make(std::string_view text) {
  auto* node = new (room_for<StringNode, char>(text.size())) StringNode;
  node->size = static_cast<uint32_t>(text.size());
  node->capacity = node->size;
  std::memcpy(node->text(), text.data(), text.size());
  return node;
}

Value::ArrayNode* Value::ArrayNode::make(size_t capacity) {
  auto* node = new (room_for<ArrayNode, Value>(capacity)) ArrayNode;
  node->capacity = static_cast<uint32_t>(capacity);
  return node;
}

Value::ObjectNode* Value::ObjectNode::make(size_t capacity) {
  auto* node = new (room_for<ObjectNode, Member>(capacity)) ObjectNode;
  node->capacity = static_cast<uint32_t>(capacity);
  return node;
}

void Value::ContainerNode::free(ContainerNode* dead) {
  // Takes a child out of its parent; a container that nobody else holds joins the chain.
  auto let_go = [&dead](Value& child) {
    if (child.content_.size != heap || child.is_string()) return;
    auto* node = static_cast<ContainerNode*>(child.held());
    child.content_ = Content{};
    if (node->references.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    node->next_dead = dead;
    dead = node;
  };
  while (dead != nullptr) {
    ContainerNode* node = dead;
    dead = node->next_dead;
    if (node->kind == Kind::array) {
      auto* array = static_cast<ArrayNode*>(node);
      for (uint32_t i = 0; i < array->size; ++i) let_go(array->items()[i]);
      std::destroy_n(array->items(), array->size);
      array->~ArrayNode();
      ::operator delete(array);
    } else {
      auto* object = static_cast<ObjectNode*>(node);
      for (uint32_t i = 0; i < object->size; ++i) let_go(object->members()[i].value);
      std::destroy_n(object->members(), object->size);
      object->drop_index();
      object->~ObjectNode();
      ::operator delete(object);
    }
  }
}

Value::KeyIndex::KeyIndex(size_t members_expected)
    : slots(std::bit_ceil(members_expected * 2 + 2)) {}

uint64_t Value::KeyIndex::hash(std::string_view key) {
  constexpr uint64_t odd = 0xa0761d6478bd642fULL;
  uint64_t state = hash_seed() ^ key.size();
  const char* at = key.data();
  size_t left = key.size();
  for (; left > 8; left -= 8, at += 8) {
    uint64_t word;
    std::memcpy(&word, at, 8);
    state = mix(state ^ word, odd);
  }
  uint64_t word = 0;
  if (left > 0) std::memcpy(&word, at, left);
  return mix(mix(state ^ word, odd), hash_seed() | 1);
}

void Value::KeyIndex::add(std::string_view key, size_t position) {
  check(has_room());
  size_t mask = slots.size() - 1;
  size_t slot = hash(key) & mask;
  while (slots[slot] != 0) slot = (slot + 1) & mask;
  slots[slot] = static_cast<uint32_t>(position + 1);
  ++used;
}

size_t Value::ObjectNode::position(std::string_view key) {
  if (size > linear_max) {
    return indexed().find(key, [this](size_t at) { return members()[at].key.as_string(); });
  }
  if (key.size() > inline_max) {
    for (uint32_t i = 0; i < size; ++i) {
      const Value& candidate = members()[i].key;
      if (candidate.content_.size == heap && candidate.as_string() == key) return i;
    }
    return npos;
  }
  Value probe(key);
  for (uint32_t i = 0; i < size; ++i) {
    if (members()[i].key.same_bytes(probe)) return i;
  }
  return npos;
}

void Value::ObjectNode::append(Member member) {
  check(size < capacity);
  if (KeyIndex* index = index_.load(std::memory_order_relaxed)) {
    if (index->has_room()) {
      index->add(member.key.as_string(), size);
    } else {
      drop_index();
    }
  }
  new (members() + size) Member(std::move(member));
  ++size;
}

void Value::ObjectNode::drop_index() { delete index_.exchange(nullptr); }

const Value::KeyIndex& Value::ObjectNode::indexed() {
  if (KeyIndex* ready = index_.load(std::memory_order_acquire)) return *ready;
  auto built = std::make_unique<KeyIndex>(size * 2);
  for (uint32_t i = 0; i < size; ++i) built->add(members()[i].key.as_string(), i);
  KeyIndex* expected = nullptr;
  if (index_.compare_exchange_strong(expected, built.get(), std::memory_order_acq_rel)) {
    return *built.release();
  }
  return *expected;
}

}  // namespace fermata
