#pragma once
#include <array>
#include <map>
#include <vector>

#include "base/value.h"
#include "core/model/event.h"

namespace fermata {

constexpr size_t waiting_entries_max = 100;

/// Why a run does not move (G-103): one entry per parked token, merge and aggregator; over a hundred
/// they are grouped by node with the earliest `until`.
Value waiting_of(const Run& run);
/// {planned, done, splits[]} (G-98).
Value progress_of(const Run& run);

/// Counts what happened at each node and edge, event by event (G-100, G-102).
class NodeTally {
 public:
  explicit NodeTally(const graph::Definition& definition);
  void count(const Event& event);
  Value nodes() const;
  Value edges() const;

 private:
  enum Status { running, waiting, success, failed, cancelled, skipped, statuses };
  void enter(const Activation& activation, Status status);
  void leave(const Activation& activation, Status status);
  void move(NodeIndex node, Status status) { ++counts_[node][status]; }
  void follow(const std::vector<EdgeIndex>& edges);

  const graph::Definition& definition_;
  std::vector<std::array<int64_t, statuses>> counts_;
  std::vector<int64_t> edge_counts_;
  std::map<TokenId, std::pair<NodeIndex, Status>> open_;
};

}  // namespace fermata
