#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/value.h"
#include "core/graph/definition.h"
#include "core/model/summary.h"
#include "core/run/history.h"

/// What people see of a run: JSON made from its summary and history by pure functions. The history
/// passed in must begin at sequence 1 (whole chunks, in order).
namespace fermata::view {

/// `GET /executions/{id}`: id, workflow_id, version, hash, account_id, status, input, output,
/// error, labels, parent, origin, started_at, completed_at, waiting[], progress.
Outcome<Value> execution(const RunSummary& summary, const std::vector<HistoryChunk>& history,
                         const KnownDefinitions& definitions);
/// The same fields as far as a list needs them, from the summary alone.
Value list_item(const RunSummary& summary);

/// `GET /executions/{id}/history`: one object per event with sequence, type, at and its fields.
/// Chunks may begin anywhere; from the start they also show what an aggregator gathered. Only
/// events with sequence in [from, from + limit) are given.
Outcome<std::vector<Value>> history(const std::vector<HistoryChunk>& chunks,
                                    const KnownDefinitions& definitions, uint64_t from,
                                    size_t limit);

/// Status records of the live stream (G-102): each is {"event": "node"|"run"|"progress",
/// "id": sequence, "data": {...}}. `chunks` may begin anywhere.
Outcome<std::vector<Value>> stream_records(const RunId& run,
                                           const std::vector<HistoryChunk>& chunks,
                                           const KnownDefinitions& definitions, bool detail_all);

/// `GET /executions/{id}/nodes`: per node id, name, type, status counts, and per-edge counts.
/// `at_sequence` looks at an earlier state.
Outcome<Value> nodes(const RunSummary& summary, const std::vector<HistoryChunk>& history,
                     const KnownDefinitions& definitions,
                     std::optional<uint64_t> at_sequence = std::nullopt);

}  // namespace fermata::view
