#pragma once
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
Outcome<Run> fold(const RunId& id, const std::vector<HistoryChunk>& history,
                  const DefinitionLookup& definitions);
/// The same up to and including `last_sequence`.
Outcome<Run> fold_until(const RunId& id, const std::vector<HistoryChunk>& history,
                        const DefinitionLookup& definitions, uint64_t last_sequence);

}  // namespace fermata
