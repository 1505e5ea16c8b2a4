#pragma once
#include <optional>
#include <vector>

#include "base/flat.h"
#include "base/value.h"
#include "core/graph/definition.h"

namespace fermata {

using graph::EdgeIndex;
using graph::NodeIndex;
using TokenId = uint64_t;
using ScopeId = uint32_t;

/// What is alive in one lineage.
struct Branch {
  FlatSet<TokenId> tokens;
  FlatSet<ScopeId> scopes;
  uint32_t merges = 0;                  ///< pending merge instances, which hold tokens
  FlatMap<NodeIndex, uint32_t> visits;  ///< of repeatable nodes: the next visit
  /// Best arrival at the aggregator so far, by the order of its incoming edges.
  std::optional<EdgeIndex> arrived_edge;
  Value arrived;
  bool alive() const { return !tokens.empty() || !scopes.empty() || merges > 0; }
};

/// The branches of a scope that were started and are not resolved, by item. They start in order,
/// and most end in it, so they stand in a row and are found by counting instead of by search.
class Branches {
  using Row = std::vector<std::optional<Branch>>;

 public:
  bool empty() const { return size_ == 0; }
  size_t size() const { return size_; }
  bool contains(uint32_t item) const { return find(item) != nullptr; }
  Branch* find(uint32_t item);
  const Branch* find(uint32_t item) const { return const_cast<Branches*>(this)->find(item); }
  /// One after all that were there.
  Branch& add(uint32_t item);
  void erase(uint32_t item);
  void clear();

  /// In order of items, as pairs of item and branch.
  template <class Self, class B>
  class Each {
   public:
    Each(Self& self, size_t place) : self_(self), place_(place) { skip(); }
    std::pair<uint32_t, B&> operator*() const {
      return {self_.first_ + static_cast<uint32_t>(place_ - self_.gone_), *self_.row_[place_]};
    }
    Each& operator++() {
      ++place_;
      skip();
      return *this;
    }
    bool operator==(const Each& other) const { return place_ == other.place_; }

   private:
    void skip() {
      while (place_ < self_.row_.size() && !self_.row_[place_]) ++place_;
    }
    Self& self_;
    size_t place_;
  };
  auto begin() { return Each<Branches, Branch>(*this, gone_); }
  auto end() { return Each<Branches, Branch>(*this, row_.size()); }
  auto begin() const { return Each<const Branches, const Branch>(*this, gone_); }
  auto end() const { return Each<const Branches, const Branch>(*this, row_.size()); }

 private:
  Row row_;
  size_t gone_ = 0;     ///< places at the front of the row that nobody needs any more
  uint32_t first_ = 0;  ///< the item of the place after them
  size_t size_ = 0;
};

}  // namespace fermata
