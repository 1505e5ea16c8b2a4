#pragma once
#include <string>
#include <vector>

#include "core/model/activation.h"

/// What came to a run from other programs, and what it sent them to come back (C-56 to C-60).
namespace fermata {

/// The run begins with a token of another program, not with the one at its entry. A start that was
/// written before says nothing of that, so it is an event of its own.
struct EntryVacated {
  uint64_t token = 0;
  template <class V> void each(V&& v) { v("token", token); }
};
/// Tokens of another program: one over each edge, or one that stands at the node.
struct TokensArrived {
  Lineage lineage;
  NodeIndex node = graph::no_node;
  std::vector<EdgeIndex> edges;
  Value context;       ///< outputs by node id, or null
  Value payload;
  Value item;          ///< of its branch, or null
  bool feeds = false;  ///< the run is fed from outside from now on
  std::string by;
  template <class V> void each(V&& v) {
    v("lineage", lineage); v("node", node); v("edges", edges); v("context", context);
    v("payload", payload); v("item", item); v("feeds", feeds); v("by", by);
  }
};
/// A token is on its way to the next node by a broker; sent again should it not come back.
struct TokenSent {
  Activation activation;
  Instant again_at;
  template <class V> void each(V&& v) { v("activation", activation); v("again_at", again_at); }
};
struct TokenTaken {
  Activation activation;
  template <class V> void each(V&& v) { v("activation", activation); }
};

}  // namespace fermata
