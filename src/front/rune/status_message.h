#pragma once
#include "front/rune/options.h"
#include "ports/announcer.h"

/// The parts of a NodeStatusMessage (C-55).
namespace fermata::rune {

/// [{split_node_id, branch_id, item_index, total_items}], outermost first; empty outside splits.
Value lineage_stack(const Run& run, const OpenScopes& scopes, Lineage lineage);
/// The name that a lineage is known by: equal stacks have equal hashes.
std::string lineage_hash(const Value& stack);

/// A value, or {"ref", "bytes"} where it is larger than a message should carry.
Value told(const Value& value, const RunId& run, uint64_t sequence, std::string_view field);

/// One status of one node.
struct Status {
  NodeIndex node = graph::no_node;
  Lineage lineage{};
  std::string_view status;
  int64_t duration_ms = 0;
  Value parameters{}, output{}, error{}, details{}, metadata{};
  std::string_view suffix{};  ///< of the message's id
  Value extra{};              ///< further fields
};
Value status_body(const Run& run, const OpenScopes& scopes, const Event& event,
                  const Status& status);

/// What is told of the event, in order; nothing for most.
std::vector<Status> statuses_of(const Run& run, const Event& event, bool compat);

}  // namespace fermata::rune
