#pragma once
#include <cstdint>
#include <vector>

namespace fermata::graph {

/// A set of node indices as bits.
class NodeSet {
 public:
  NodeSet() = default;
  explicit NodeSet(size_t nodes) : words_((nodes + 63) / 64) {}
  bool has(uint32_t node) const { return (words_[node / 64] >> (node % 64)) & 1; }
  void add(uint32_t node) { words_[node / 64] |= uint64_t{1} << (node % 64); }
  void remove(uint32_t node) { words_[node / 64] &= ~(uint64_t{1} << (node % 64)); }
  /// Adds all of `other`; true when that changed something.
  bool unite(const NodeSet& other) {
    bool changed = false;
    for (size_t i = 0; i < words_.size(); ++i) {
      uint64_t before = words_[i];
      words_[i] |= other.words_[i];
      changed |= words_[i] != before;
    }
    return changed;
  }
  /// Drops what is not in `other`.
  void keep(const NodeSet& other) {
    for (size_t i = 0; i < words_.size(); ++i) words_[i] &= other.words_[i];
  }
  bool empty() const {
    for (uint64_t word : words_)
      if (word) return false;
    return true;
  }
  size_t capacity() const { return words_.size() * 64; }
  bool operator==(const NodeSet&) const = default;

 private:
  std::vector<uint64_t> words_;
};

}  // namespace fermata::graph
