#pragma once
#include <array>
#include <map>
#include <set>
#include <vector>

#include "base/value.h"
#include "core/model/event.h"

namespace fermata {

constexpr size_t waiting_entries_max = 100;

/// Why a run does not move (G-103): one entry per parked token, merge and aggregator; over a
/// hundred they are grouped by node with the earliest `until`.
Value waiting_of(const Run& run);
/// {planned, done, splits[]} (G-98).
Value progress_of(const Run& run);

/// Counts what happened at each node and edge, event by event (G-100, G-102).
class NodeTally {
 public:
  explicit NodeTally(const graph::Definition& definition);
  /// Goes on with another version: what was counted at its nodes moves along.
  void migrate(const RunMigrated& migrated, const graph::Definition& definition);
  void count(const Event& event);
  Value nodes() const;
  Value edges() const;
  /// {node_id, node_name, type, status, counts}; the status is what is under way there, else how
  /// the worst of it ended, null before anything came to it.
  Value node(NodeIndex node) const;
  Value edge(EdgeIndex edge) const;

 private:
  enum Status { running, waiting, success, failed, cancelled, skipped, statuses };
  struct Open {
    NodeIndex node;
    Status status;
  };
  struct OpenScope {
    NodeIndex aggregator;  ///< waits while the scope is open; or no_node
    Lineage outer;
  };
  void enter(const Activation& activation, Status status);
  void leave(const Activation& activation, Status status);
  void move(NodeIndex node, Status status) { ++counts_[node][status]; }
  void follow(const std::vector<EdgeIndex>& edges);
  void take_over(const Run& seed);
  void open_merge(const MergeKey& key);
  void close_merge(const MergeKey& key, Status status);
  void open_scope(ScopeId id, OpenScope scope);
  void close_scope(ScopeId id);
  void count_cancelled(const TokensCancelled& event);
  void count_arrived(const TokensArrived& event);
  /// Forgets what is open in the lineages from `first` to `last`, and in what was opened in them.
  void drop(Lineage first, Lineage last);

  const graph::Definition* definition_;
  std::vector<std::array<int64_t, statuses>> counts_;
  std::vector<int64_t> edge_counts_;
  // What runs or waits, ordered by lineage so that a cancelled branch is found at once.
  std::map<std::pair<Lineage, TokenId>, Open> open_;
  std::set<MergeKey> merges_;
  std::map<ScopeId, OpenScope> scopes_;
  std::set<std::pair<Lineage, ScopeId>> scopes_in_;
};

}  // namespace fermata
