#pragma once
#include <map>

#include "base/value.h"
#include "core/model/event.h"

namespace fermata {

/// Shows events to people. Fed with a history from its start it knows every scope and can name the
/// branch an event happened in; fed from the middle it names scopes it has not seen by number.
class EventShow {
 public:
  explicit EventShow(const graph::Definition& definition) : definition_(definition) {}

  /// Learns the scopes that the event opens; before it is shown.
  void learn(const Event& event);
  /// {sequence, type, at, …} with names instead of indices.
  Value show(const Event& event) const;
  /// [{split_node_id, branch_id, item_index, total_items}], outermost first (G-64).
  Value lineage(Lineage lineage) const;
  std::string branch_id(Lineage lineage) const;

  const graph::Definition& definition() const { return definition_; }

 private:
  struct KnownScope {
    NodeIndex split;
    uint32_t visit;
    uint32_t total;
    Lineage outer;
  };
  const graph::Definition& definition_;
  std::map<ScopeId, KnownScope> scopes_;
};

}  // namespace fermata
