#pragma once
#include <map>

#include "base/value.h"
#include "core/model/event.h"
#include "core/run/history.h"

namespace fermata {

/// Shows events to people. Fed with a history from its start it knows every scope and can name the
/// branch an event happened in; fed from the middle it names scopes it has not seen by number.
class EventShow {
 public:
  explicit EventShow(KnownDefinitions definitions)
      : definitions_(std::move(definitions)), definition_(definitions_.latest) {}

  /// Learns the scopes that the event opens and the definition it begins with; before it is shown.
  /// False when that definition is not known.
  [[nodiscard]] bool learn(const Event& event);
  /// {sequence, type, at, …} with names instead of indices. `output` replaces the stored one where
  /// the fold derives it.
  Value show(const Event& event, const std::optional<Value>& output = std::nullopt) const;
  /// [{split_node_id, branch_id, item_index, total_items}], outermost first (G-64).
  Value lineage(Lineage lineage) const;
  std::string branch_id(Lineage lineage) const;

  const graph::Definition& definition() const { return *definition_; }

 private:
  struct KnownScope {
    NodeIndex split;
    uint32_t visit;
    uint32_t total;
    Lineage outer;
  };
  void show_split(ScopeId scope, Value& out) const;

  const KnownDefinitions definitions_;
  graph::DefinitionRef definition_;  ///< in force for the event at hand
  std::map<ScopeId, KnownScope> scopes_;
};

}  // namespace fermata
