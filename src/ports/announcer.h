#pragma once
#include <map>
#include <span>
#include <vector>

#include "core/model/event.h"
#include "ports/outbox.h"

namespace fermata {

/// A split that was open before a decision; the decision may have closed it.
struct OpenScope {
  NodeIndex split = graph::no_node;
  uint32_t total = 0;
  Lineage outer;
};
using OpenScopes = std::map<ScopeId, OpenScope>;

/// Says what other programs are told of what happened to a run. Used by the partition's thread.
class Announcer {
 public:
  virtual ~Announcer() = default;
  /// A function of its arguments: the run as the events left it, and the splits that stood open
  /// before them.
  virtual std::vector<OutboxRow> announce(const Run& run, std::span<const Event> events,
                                          const OpenScopes& before) = 0;
  /// That many rows are durable now. Must not block.
  virtual void written(size_t rows) = 0;
};

}  // namespace fermata
