#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/value.h"
#include "core/graph/definition.h"

namespace fermata {

/// One of the splits that a token of another program stands in (C-55).
struct ArrivalFrame {
  graph::NodeIndex split = graph::no_node;
  uint32_t item = 0;
  uint32_t total = 0;
  bool operator==(const ArrivalFrame&) const = default;
};

/// A token that another program sends (C-56): over an edge, or standing at a node. With `resumes`
/// a wait at the node goes on; where none was ever open it is one over each edge out of it (C-57).
struct ForeignToken {
  graph::NodeIndex node = graph::no_node;
  std::vector<graph::EdgeIndex> edges{};
  std::vector<ArrivalFrame> frames{};  ///< outermost first
  Value context{};                     ///< outputs by node id, or null
  Value payload{};
  Value item{};          ///< of its innermost split, or null
  bool resumes = false;
  bool joins = true;     ///< false: it only begins a run, and is late where one is known
  bool feeds = false;    ///< more may come from outside (C-58)
};

}  // namespace fermata
