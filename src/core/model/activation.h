#pragma once
#include "core/model/run.h"

namespace fermata {

/// Which execution of which node an event speaks of.
struct Activation {
  TokenId token = 0;
  NodeIndex node = graph::no_node;
  Lineage lineage;
  uint32_t visit = 0;
  uint32_t attempt = 1;
  template <class V> void each(V&& v) {
    v("token", token); v("node", node); v("lineage", lineage); v("visit", visit);
    v("attempt", attempt);
  }
};

}  // namespace fermata
