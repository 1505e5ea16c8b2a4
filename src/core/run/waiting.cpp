#include "core/run/waiting.h"

#include <algorithm>

namespace fermata {

namespace {

struct Entry {
  std::string_view kind;
  NodeIndex node;
  Instant since;
  std::optional<Instant> until;
  Value what;
};

std::string_view kind_of(Parked parked) {
  switch (parked) {
    case Parked::start:
    case Parked::timer: return "timer";
    case Parked::call: return "call";
    case Parked::retry: return "retry";
    case Parked::signal: return "signal";
    default: return "";
  }
}

std::vector<Entry> entries_of(const Run& run) {
  std::vector<Entry> entries;
  for (const auto& [id, token] : run.tokens) {
    std::string_view kind = kind_of(token.parked);
    if (kind.empty()) continue;
    Value what;
    if (token.parked == Parked::signal) what = token.parameters;
    if (token.parked == Parked::call || token.parked == Parked::retry)
      what = Value::object({{"attempt", token.attempt}});
    entries.push_back({kind, token.node, token.since, token.due, std::move(what)});
  }
  for (const auto& [id, key] : run.pending_merges) {
    const Merge& merge = run.merges.at(key);
    Value missing = Value::array();
    for (NodeIndex node : merge.missing) missing.push(run.definition->nodes[node].id);
    entries.push_back({"merge", key.node, merge.since, merge.deadline,
                       Value::object({{"arrived", merge.arrived}, {"expected", merge.expected},
                                      {"missing", missing}})});
  }
  for (const auto& [id, scope] : run.scopes) {
    NodeIndex aggregator = run.definition->nodes[scope.split].aggregator;
    if (scope.closed || aggregator == graph::no_node) continue;
    entries.push_back({"aggregator", aggregator, scope.opened_at, scope.deadline,
                       Value::object({{"processed", scope.resolved}, {"total", scope.total}})});
  }
  if (run.paused())
    entries.push_back({"paused", graph::no_node, *run.paused_at, std::nullopt, Value()});
  return entries;
}

Value shown(const Run& run, const Entry& entry, size_t count) {
  Value out = Value::object({{"kind", entry.kind}});
  if (entry.node != graph::no_node) out.set("node", run.definition->nodes[entry.node].id);
  out.set("since", to_rfc3339(entry.since));
  if (entry.until) out.set("until", to_rfc3339(*entry.until));
  if (count > 1) {
    out.set("count", count);
  } else if (!entry.what.is_null()) {
    out.set("what", entry.what);
  }
  return out;
}

}  // namespace

Value waiting_of(const Run& run) {
  std::vector<Entry> entries = entries_of(run);
  Value list = Value::array();
  if (entries.size() <= waiting_entries_max) {
    for (const Entry& entry : entries) list.push(shown(run, entry, 1));
    return list;
  }
  std::map<std::pair<NodeIndex, std::string_view>, std::pair<Entry, size_t>> groups;
  for (const Entry& entry : entries) {
    auto [group, fresh] = groups.try_emplace({entry.node, entry.kind}, entry, 0);
    auto& [earliest, count] = group->second;
    ++count;
    earliest.since = std::min(earliest.since, entry.since);
    if (entry.until && (!earliest.until || *entry.until < *earliest.until))
      earliest.until = entry.until;
  }
  for (const auto& [key, group] : groups) list.push(shown(run, group.first, group.second));
  return list;
}

Value progress_of(const Run& run) {
  int64_t planned = 0, done = 0;
  for (NodeIndex node = 0; node < run.definition->nodes.size(); ++node) {
    if (!run.definition->outside_splits[node]) continue;
    if (run.done.contains(node)) ++done;
    if (run.done.contains(node) || !run.skipped.contains(node)) ++planned;
  }
  Value splits = Value::array();
  for (const auto& [id, scope] : run.scopes) {
    splits.push(Value::object({{"node", run.definition->nodes[scope.split].id},
                               {"total", scope.total},
                               {"resolved", scope.resolved},
                               {"failed", scope.failed}}));
  }
  return Value::object({{"planned", planned}, {"done", done}, {"splits", splits}});
}

NodeTally::NodeTally(const graph::Definition& definition)
    : definition_(definition),
      counts_(definition.nodes.size()),
      edge_counts_(definition.edges.size()) {}

void NodeTally::enter(const Activation& activation, Status status) {
  leave(activation, statuses);
  open_[activation.token] = {activation.node, status};
  move(activation.node, status);
}

void NodeTally::leave(const Activation& activation, Status status) {
  auto found = open_.find(activation.token);
  if (found != open_.end()) {
    --counts_[found->second.first][found->second.second];
    open_.erase(found);
  }
  if (status != statuses) move(activation.node, status);
}

void NodeTally::follow(const std::vector<EdgeIndex>& edges) {
  for (EdgeIndex edge : edges) ++edge_counts_[edge];
}

void NodeTally::count(const Event& event) {
  const EventBody& body = event.body;
  if (const auto* e = std::get_if<NodeStarted>(&body)) enter(e->activation, running);
  if (const auto* e = std::get_if<CallRequested>(&body)) enter(e->activation, running);
  if (const auto* e = std::get_if<NodeRetryScheduled>(&body)) enter(e->activation, waiting);
  if (const auto* e = std::get_if<WaitOpened>(&body)) enter(e->activation, waiting);
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
    leave(e->activation, success);
    for (EdgeIndex edge : definition_.nodes[e->activation.node].normal_out)
      edge_counts_[edge] += e->total;
  }
  if (const auto* e = std::get_if<MergeOpened>(&body)) {
    move(e->node, success);
    follow(e->edges);
  }
  if (const auto* e = std::get_if<MergeFailed>(&body)) {
    move(e->node, failed);
    follow(e->edges);
  }
  if (const auto* e = std::get_if<NodesSkipped>(&body))
    for (NodeIndex node : e->nodes) move(node, skipped);
  if (const auto* e = std::get_if<TokensCancelled>(&body)) {
    for (size_t i = 0; i < e->nodes.size(); ++i) {
      counts_[e->nodes[i]][cancelled] += e->counts[i];
      // Tokens that had begun are no longer running or waiting.
      for (auto it = open_.begin(); it != open_.end();) {
        bool gone = it->second.first == e->nodes[i] &&
                    (e->whole_lineage ? e->lineage.outside()
                                      : std::find(e->tokens.begin(), e->tokens.end(), it->first) !=
                                            e->tokens.end());
        if (gone) --counts_[it->second.first][it->second.second];
        it = gone ? open_.erase(it) : std::next(it);
      }
    }
  }
}

Value NodeTally::nodes() const {
  static constexpr std::string_view names[] = {"running", "waiting",   "success",
                                               "failed",  "cancelled", "skipped"};
  Value list = Value::array();
  for (size_t i = 0; i < counts_.size(); ++i) {
    const graph::Node& node = definition_.nodes[i];
    Value counts = Value::object();
    for (int status = 0; status < statuses; ++status)
      if (counts_[i][status] > 0) counts.set(names[status], counts_[i][status]);
    list.push(Value::object({{"node_id", node.id},
                             {"node_name", node.name},
                             {"type", graph::wire_name(node.type)},
                             {"counts", counts}}));
  }
  return list;
}

Value NodeTally::edges() const {
  Value list = Value::array();
  for (size_t i = 0; i < edge_counts_.size(); ++i)
    list.push(Value::object({{"edge_id", definition_.edges[i].id}, {"count", edge_counts_[i]}}));
  return list;
}

}  // namespace fermata
