#include <utility>

#include "core/run/snapshot.h"
#include "core/run/waiting.h"

namespace fermata {

NodeTally::NodeTally(const graph::Definition& definition)
    : definition_(&definition),
      counts_(definition.nodes.size()),
      edge_counts_(definition.edges.size()) {}

void NodeTally::migrate(const RunMigrated& migrated, const graph::Definition& definition) {
  definition_ = &definition;
  auto nodes =
      std::exchange(counts_, std::vector<std::array<int64_t, statuses>>(definition.nodes.size()));
  auto edges = std::exchange(edge_counts_, std::vector<int64_t>(definition.edges.size()));
  for (size_t i = 0; i < nodes.size(); ++i)
    if (migrated.node_map[i] != graph::no_node) counts_[migrated.node_map[i]] = nodes[i];
  for (size_t i = 0; i < edges.size(); ++i)
    if (migrated.edge_map[i] != graph::no_edge) edge_counts_[migrated.edge_map[i]] = edges[i];
  // What is under way stands on nodes that both versions have; a migration is refused otherwise.
  for (auto& [place, open] : open_) open.node = migrated.node_map[open.node];
  for (MergeKey key : std::exchange(merges_, {})) {
    key.node = migrated.node_map[key.node];
    merges_.insert(key);
  }
  for (auto& [id, scope] : scopes_)
    if (scope.aggregator != graph::no_node) scope.aggregator = migrated.node_map[scope.aggregator];
}

void NodeTally::enter(const Activation& activation, Status status) {
  leave(activation, statuses);
  open_[{activation.lineage, activation.token}] = {activation.node, status};
  move(activation.node, status);
}

void NodeTally::leave(const Activation& activation, Status status) {
  auto found = open_.find({activation.lineage, activation.token});
  if (found != open_.end()) {
    --counts_[found->second.node][found->second.status];
    open_.erase(found);
  }
  if (status != statuses) move(activation.node, status);
}

void NodeTally::follow(const std::vector<EdgeIndex>& edges) {
  for (EdgeIndex edge : edges) ++edge_counts_[edge];
}

void NodeTally::open_merge(const MergeKey& key) {
  if (merges_.insert(key).second) move(key.node, waiting);
}

void NodeTally::close_merge(const MergeKey& key, Status status) {
  if (merges_.erase(key) > 0) --counts_[key.node][waiting];
  if (status != statuses) move(key.node, status);
}

void NodeTally::open_scope(ScopeId id, OpenScope scope) {
  scopes_[id] = scope;
  scopes_in_.insert({scope.outer, id});
  if (scope.aggregator != graph::no_node) move(scope.aggregator, waiting);
}

void NodeTally::close_scope(ScopeId id) {
  auto found = scopes_.find(id);
  if (found == scopes_.end()) return;
  if (found->second.aggregator != graph::no_node) --counts_[found->second.aggregator][waiting];
  scopes_in_.erase({found->second.outer, id});
  scopes_.erase(found);
}

/// A run made from another begins with what that one had under way.
void NodeTally::take_over(const Run& seed) {
  for (const auto& [id, token] : seed.tokens) {
    if (token.parked == Parked::ready || token.parked == Parked::start) continue;
    bool runs =
        token.parked == Parked::call || token.parked == Parked::started || is_ordered(token.parked);
    enter({id, token.node, token.lineage, token.visit, token.attempt}, runs ? running : waiting);
  }
  for (const auto& [id, key] : seed.pending_merges) open_merge(key);
  for (const auto& [id, scope] : seed.scopes)
    if (!scope.closed) open_scope(id, {definition_->nodes[scope.split].aggregator, scope.outer});
}

void NodeTally::drop(Lineage first, Lineage last) {
  for (auto it = open_.lower_bound({first, 0}); it != open_.end() && it->first.first <= last;
       it = open_.erase(it))
    --counts_[it->second.node][it->second.status];
  for (auto it = merges_.lower_bound({first, 0, 0}); it != merges_.end() && it->lineage <= last;) {
    MergeKey key = *it++;
    close_merge(key, statuses);
  }
  for (auto it = scopes_in_.lower_bound({first, 0}); it != scopes_in_.end() && it->first <= last;
       it = scopes_in_.lower_bound({first, 0})) {
    ScopeId id = it->second;
    drop({id, 0}, {id, UINT32_MAX});
    close_scope(id);
  }
}

void NodeTally::count_cancelled(const TokensCancelled& event) {
  for (size_t i = 0; i < event.nodes.size(); ++i)
    counts_[event.nodes[i]][cancelled] += event.counts[i];
  if (event.whole_lineage) return drop(event.lineage, event.lineage);
  for (TokenId id : event.tokens) {
    auto found = open_.find({event.lineage, id});
    if (found == open_.end()) continue;
    --counts_[found->second.node][found->second.status];
    open_.erase(found);
  }
}

/// Those over the edges of a split were counted when it opened.
void NodeTally::count_arrived(const TokensArrived& event) {
  for (EdgeIndex edge : event.edges)
    if (definition_->nodes[definition_->edges[edge].src].type != graph::NodeType::split)
      ++edge_counts_[edge];
}

void NodeTally::count(const Event& event) {
  const EventBody& body = event.body;
  if (const auto* e = start_in(body); e && !e->seed.empty())
    if (auto seed = decode_snapshot(e->seed, nullptr)) take_over(*seed);
  if (const auto* e = std::get_if<NodeStarted>(&body)) enter(e->activation, running);
  if (const auto* e = std::get_if<CallRequested>(&body)) enter(e->activation, running);
  if (const auto* e = std::get_if<JobRequested>(&body)) enter(e->activation, running);
  if (const auto* e = std::get_if<ChildRequested>(&body)) enter(e->activation, running);
  if (const auto* e = std::get_if<SignalSent>(&body)) enter(e->activation, running);
  if (const auto* e = std::get_if<NodeRetryScheduled>(&body)) enter(e->activation, waiting);
  if (const auto* e = std::get_if<WaitOpened>(&body)) enter(e->activation, waiting);
  if (const auto* e = std::get_if<ApprovalRequested>(&body); e && e->activation.token != 0)
    enter(e->activation, waiting);
  if (const auto* e = std::get_if<NodeSucceeded>(&body)) {
    leave(e->activation, e->skipped ? skipped : success);
    follow(e->edges);
  }
  if (const auto* e = std::get_if<WaitResumed>(&body)) {
    leave(e->activation, success);
    follow(e->edges);
  }
  if (const auto* e = std::get_if<NodeFailed>(&body)) {
    leave(e->activation, failed);
    follow(e->edges);
  }
  if (const auto* e = std::get_if<SplitOpened>(&body)) {
    const graph::Node& split = definition_->nodes[e->activation.node];
    leave(e->activation, success);
    for (EdgeIndex edge : split.normal_out) edge_counts_[edge] += e->total;
    open_scope(e->scope, {split.aggregator, e->activation.lineage});
  }
  if (const auto* e = std::get_if<SplitClosed>(&body)) close_scope(e->scope);
  if (const auto* e = std::get_if<MergeArrived>(&body))
    open_merge({e->activation.lineage, e->activation.node, e->activation.visit});
  if (const auto* e = std::get_if<MergeOpened>(&body)) {
    close_merge({e->lineage, e->node, e->visit}, success);
    follow(e->edges);
  }
  if (const auto* e = std::get_if<MergeFailed>(&body)) {
    close_merge({e->lineage, e->node, e->visit}, failed);
    follow(e->edges);
  }
  if (const auto* e = std::get_if<NodesSkipped>(&body))
    for (NodeIndex node : e->nodes) move(node, skipped);
  if (const auto* e = std::get_if<TokensCancelled>(&body)) count_cancelled(*e);
  if (const auto* e = std::get_if<TokensArrived>(&body)) count_arrived(*e);
}

Value NodeTally::node(NodeIndex index) const {
  static constexpr std::string_view names[] = {"running", "waiting",   "success",
                                               "failed",  "cancelled", "skipped"};
  static constexpr Status by_weight[] = {running, waiting, failed, cancelled, success, skipped};
  const graph::Node& node = definition_->nodes[index];
  Value counts = Value::object();
  for (int status = 0; status < statuses; ++status)
    if (counts_[index][status] > 0) counts.set(names[status], counts_[index][status]);
  Value shown;
  for (Status status : by_weight)
    if (shown.is_null() && counts_[index][status] > 0) shown = Value(names[status]);
  return Value::object({{"node_id", node.id},
                        {"node_name", node.name},
                        {"type", graph::wire_name(node.type)},
                        {"status", std::move(shown)},
                        {"counts", std::move(counts)}});
}

Value NodeTally::edge(EdgeIndex index) const {
  return Value::object({{"edge_id", definition_->edges[index].id}, {"count", edge_counts_[index]}});
}

Value NodeTally::nodes() const {
  Value list = Value::array();
  for (NodeIndex i = 0; i < counts_.size(); ++i) list.push(node(i));
  return list;
}

Value NodeTally::edges() const {
  Value list = Value::array();
  for (EdgeIndex i = 0; i < edge_counts_.size(); ++i) list.push(edge(i));
  return list;
}

}  // namespace fermata
