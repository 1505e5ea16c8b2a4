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
Value execution(const RunSummary& summary, const Run& run);
/// The same fields as far as a list needs them, from the summary alone.
Value list_item(const RunSummary& summary);

/// `GET /executions/{id}/history`: one object per event with sequence, type, at and its fields.
/// Only events with sequence in [from, from + limit) are given; what stands before tells where they
/// happened and what an aggregator gathered.
Outcome<std::vector<Value>> history(const std::vector<HistoryChunk>& chunks,
                                    const KnownDefinitions& definitions, uint64_t from,
                                    size_t limit);
/// What a `ref` of the stream or the history leads to: one field of one event as it is shown.
/// Fails with value_not_found.
Outcome<Value> value_at(const std::vector<HistoryChunk>& chunks,
                        const KnownDefinitions& definitions, uint64_t sequence,
                        std::string_view field);

/// Status records of the live stream (G-102) of a whole history (core/run/stream_records.h).
Outcome<std::vector<Value>> stream_records(const RunId& run,
                                           const std::vector<HistoryChunk>& chunks,
                                           const KnownDefinitions& definitions, bool detail_all);

/// `GET /executions/{id}/nodes`: per node id, name, type, status, counts per status, and per-edge
/// counts.
/// `at_sequence` looks at an earlier state.
Outcome<Value> nodes(const RunSummary& summary, const std::vector<HistoryChunk>& history,
                     const KnownDefinitions& definitions,
                     std::optional<uint64_t> at_sequence = std::nullopt);

/// `GET /executions/{id}/nodes/{node}`: the same of one node, with its own edges; with `item` what
/// became of it in that branch, input and output included. Fails with node_not_found.
Outcome<Value> node(const RunSummary& summary, const std::vector<HistoryChunk>& history,
                    const KnownDefinitions& definitions, std::string_view node_id,
                    std::optional<uint64_t> at_sequence, const std::string& item);

struct ItemsWanted {
  std::string status;  ///< empty: any
  std::optional<uint64_t> at_sequence;
  size_t limit = 50;
  uint64_t after = 0;  ///< items to pass over; of all of them, so that a cursor stays where it is
};
/// `GET /executions/{id}/nodes/{node}/items`: the node as above, with `items` and
/// `next_cursor`, which is null on the last page.
Outcome<Value> node_items(const RunSummary& summary, const std::vector<HistoryChunk>& history,
                          const KnownDefinitions& definitions, std::string_view node_id,
                          const ItemsWanted& wanted);

}  // namespace fermata::view
