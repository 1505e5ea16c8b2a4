#pragma once
#include <optional>
#include <string>
#include <vector>

#include "core/model/event.h"
#include "core/model/run.h"

/// The moves that events are made of. Used by evolve alone: each keeps tokens, branches, timers and
/// counters in step with each other.
namespace fermata {

void add_token(Run& run, TokenId id, Token token);
/// Removes a token from everything that knows it and returns it.
Token take_token(Run& run, TokenId id);
/// Removes a token with the slots it was to gather.
void drop_token(Run& run, TokenId id);
/// Takes a token off the front of the ready queue, if it stands there.
void pop_ready(Run& run, TokenId id);
/// The token of an activation; if it was ready, its activation begins: the visit is counted.
Token& begin(Run& run, const Activation& activation, Instant at);
void set_due(Run& run, TokenId id, Token& token, std::optional<Instant> due);
/// Sends a finished token along its edges, or ends it where there is none. What goes on gets a new
/// id: an id names one activation, so a late answer to the one before finds nobody.
void follow(Run& run, Token token, const std::vector<EdgeIndex>& edges, Value output);
/// Remembers where a token ended outside splits.
void end_token(Run& run, const Token& token, Value output);
/// A split whose failure is ignored behaves as if it had no items: its aggregator runs with [].
void skip_split(Run& run, Token token, Value output, NodeIndex aggregator, Instant at);
void start_branch(Run& run, ScopeId id, Scope& scope);
void close_open_slots(Scope& scope);
/// What the aggregator of a closed scope gives: values in item order, never text (G-67).
Value gathered_output(const Scope& scope, bool drop_ended);
/// Closes a pending instance and gives the token that leaves it: contexts united (G-78).
Token close_merge(Run& run, const MergeKey& key, Instant at);
/// Drops all merge instances of a lineage that is gone.
void forget_merges(Run& run, Lineage lineage);
/// Ends everything alive in a lineage and in what was opened inside it.
void cancel_lineage(Run& run, Lineage lineage);
void drop_signal(Run& run, const std::string& signal_id);
/// Renames nodes and edges after a migration.
void remap(Run& run, const std::vector<NodeIndex>& node_map,
           const std::vector<EdgeIndex>& edge_map);
/// Arrivals in the order of incoming edges in the definition, then of arrival (G-77).
std::vector<const Arrival*> in_edge_order(const Merge& merge);
/// The item (or batch) of a branch.
Value item_of(const Scope& scope, uint32_t index);

}  // namespace fermata
