#pragma once
#include <set>
#include <vector>

#include "base/error.h"
#include "core/model/event.h"
#include "core/model/summary.h"

namespace fermata {

/// The binary form of the events of one commit: format version, instant, then tag and fields each.
HistoryChunk encode_history(const std::vector<Event>& events);
/// Fails with data_damaged when the bytes are not what encode_history writes.
Outcome<std::vector<Event>> decode_history(const HistoryChunk& chunk);

/// The state that a history means. `definitions` gives the definition a run began with (and those
/// it migrated to) by hash.
using DefinitionLookup = std::function<graph::DefinitionRef(const DefinitionHash&)>;

/// The definitions a history speaks of: the one its run has now, and how to find those it had
/// before it was migrated. Without a way to find them such a history cannot be read.
struct KnownDefinitions {
  KnownDefinitions(graph::DefinitionRef latest, DefinitionLookup others = {})
      : latest(std::move(latest)), others(std::move(others)) {}
  /// Null when it is not known.
  graph::DefinitionRef find(const DefinitionHash& hash) const {
    if (latest && latest->hash == hash) return latest;
    return others ? others(hash) : nullptr;
  }
  DefinitionLookup lookup() const {
    return [known = *this](const DefinitionHash& hash) { return known.find(hash); };
  }
  graph::DefinitionRef latest;
  DefinitionLookup others;
};

Outcome<Run> fold(const RunId& id, const std::vector<HistoryChunk>& history,
                  const DefinitionLookup& definitions);
/// Goes on from the state that the events before `history` left.
Outcome<Run> fold_on(Run run, const std::vector<HistoryChunk>& history,
                     const DefinitionLookup& definitions);
/// The same up to and including `last_sequence`.
Outcome<Run> fold_until(const RunId& id, const std::vector<HistoryChunk>& history,
                        const DefinitionLookup& definitions, uint64_t last_sequence);

/// The places a node of the latest version had in each version a run has had, oldest first: as many
/// as there were migrations, and one more. Several when a map led several nodes to it.
Outcome<std::vector<std::set<NodeIndex>>> places_of(const std::vector<HistoryChunk>& history,
                                                    NodeIndex node);

}  // namespace fermata
