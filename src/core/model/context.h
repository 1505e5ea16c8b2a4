#pragma once
#include <cstdint>
#include <memory>

#include "base/value.h"

namespace fermata {

/// What a token knows: for every node on its path the latest output, plus `$json` and `$error`.
/// Immutable and shared: adding an entry copies the few small nodes on the way to it, so ten
/// thousand branches that start from one context share it.
class Context {
 public:
  using Key = uint32_t;
  static constexpr Key json_key = 0;
  static constexpr Key error_key = 1;
  static constexpr Key of_node(uint32_t node) { return node + 2; }

  struct Entry {
    Value value;
    /// How often this entry was written on its own path. Behind a merge the highest count wins
    /// (G-78); for a merge node it is how often the path has left that merge (G-71).
    uint32_t rewrites = 0;
  };

  Context() = default;

  const Entry* find(Key key) const;
  uint32_t rewrites(Key key) const;
  bool empty() const { return root_ == nullptr; }
  /// This context with one entry written once more.
  [[nodiscard]] Context with(Key key, Value value) const;
  /// An upper bound of the bytes reachable from here, and a better one once it was measured. Not
  /// part of the state: it only saves measuring.
  uint64_t bytes_bound() const { return bytes_bound_; }
  void set_bytes_bound(uint64_t bytes) { bytes_bound_ = bytes; }
  /// This context with one entry set as given.
  [[nodiscard]] Context with_entry(Key key, Entry entry) const;
  /// Entry by entry the more often written one; `later` wins where equal.
  [[nodiscard]] static Context unite(const Context& earlier, const Context& later);

  /// In order of keys.
  template <class Visit>
  void each(Visit&& visit) const {
    if (root_) each_of(*root_, levels_, 0, visit);
  }
  /// Identity of the shared content: equal for copies.
  const void* identity() const { return root_.get(); }

 private:
  static constexpr uint32_t fanout_bits = 3;
  static constexpr uint32_t fanout = 1u << fanout_bits;
  struct Node;
  using NodeRef = std::shared_ptr<const Node>;
  struct Node {
    uint8_t present = 0;            ///< one bit per child or entry
    std::unique_ptr<NodeRef[]> children;  ///< of an inner node, dense
    std::unique_ptr<Entry[]> entries;     ///< of a leaf, dense
  };

  static NodeRef written(const Node* node, uint32_t level, Key key, Entry entry);
  template <class Visit>
  static void each_of(const Node& node, uint32_t level, Key prefix, Visit& visit) {
    uint32_t dense = 0;
    for (uint32_t slot = 0; slot < fanout; ++slot) {
      if (!(node.present >> slot & 1)) continue;
      Key key = prefix << fanout_bits | slot;
      if (level == 0) {
        visit(key, static_cast<const Entry&>(node.entries[dense]));
      } else {
        each_of(*node.children[dense], level - 1, key, visit);
      }
      ++dense;
    }
  }

  NodeRef root_;
  uint32_t levels_ = 0;  ///< inner levels above the leaves
  uint64_t bytes_bound_ = 0;
};

}  // namespace fermata
