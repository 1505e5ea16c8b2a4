#include "core/model/context.h"

#include <bit>

#include "base/check.h"

namespace fermata {

namespace {

uint32_t dense_index(uint8_t present, uint32_t slot) {
  return static_cast<uint32_t>(std::popcount(static_cast<uint8_t>(present & ((1u << slot) - 1))));
}

}  // namespace

const Context::Entry* Context::find(Key key) const {
  if (!root_ || key >> (fanout_bits * (levels_ + 1))) return nullptr;
  const Node* node = root_.get();
  for (uint32_t level = levels_;; --level) {
    uint32_t slot = key >> (fanout_bits * level) & (fanout - 1);
    if (!(node->present >> slot & 1)) return nullptr;
    uint32_t dense = dense_index(node->present, slot);
    if (level == 0) return &node->entries[dense];
    node = node->children[dense].get();
  }
}

uint32_t Context::rewrites(Key key) const {
  const Entry* entry = find(key);
  return entry ? entry->rewrites : 0;
}

Context::NodeRef Context::written(const Node* node, uint32_t level, Key key, Entry entry) {
  uint32_t slot = key >> (fanout_bits * level) & (fanout - 1);
  uint8_t before = node ? node->present : uint8_t{0};
  auto after = static_cast<uint8_t>(before | 1u << slot);
  auto count = static_cast<uint32_t>(std::popcount(after));
  auto copy = std::make_shared<Node>();
  copy->present = after;
  uint32_t target = dense_index(after, slot);
  bool replaces = before >> slot & 1;
  if (level == 0) {
    copy->entries = std::make_unique<Entry[]>(count);
    for (uint32_t from = 0, to = 0; to < count; ++to) {
      if (to == target) {
        if (replaces) ++from;
        continue;
      }
      copy->entries[to] = node->entries[from++];
    }
    copy->entries[target] = std::move(entry);
    return copy;
  }
  copy->children = std::make_unique<NodeRef[]>(count);
  const Node* old_child = replaces ? node->children[dense_index(before, slot)].get() : nullptr;
  for (uint32_t from = 0, to = 0; to < count; ++to) {
    if (to == target) {
      if (replaces) ++from;
      continue;
    }
    copy->children[to] = node->children[from++];
  }
  copy->children[target] = written(old_child, level - 1, key, std::move(entry));
  return copy;
}

Context Context::with(Key key, Value value) const {
  return with_entry(key, Entry{std::move(value), rewrites(key) + 1});
}

Context Context::with_entry(Key key, Entry entry) const {
  Context next = *this;
  while (key >> (fanout_bits * (next.levels_ + 1))) {
    if (next.root_) {
      auto above = std::make_shared<Node>();
      above->present = 1;
      above->children = std::make_unique<NodeRef[]>(1);
      above->children[0] = next.root_;
      next.root_ = above;
    }
    ++next.levels_;
  }
  next.root_ = written(next.root_.get(), next.levels_, key, std::move(entry));
  return next;
}

Context Context::unite(const Context& earlier, const Context& later) {
  if (earlier.identity() == later.identity() || earlier.empty()) return later;
  if (later.empty()) return earlier;
  Context united = earlier;
  later.each([&](Key key, const Entry& entry) {
    const Entry* other = united.find(key);
    if (!other || entry.rewrites >= other->rewrites) united = united.with_entry(key, entry);
  });
  return united;
}

}  // namespace fermata
