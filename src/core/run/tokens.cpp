#include "core/run/tokens.h"

#include <algorithm>

#include "base/check.h"
#include "core/run/approval_events.h"
#include "core/run/wait_events.h"

namespace fermata {

void add_token(Run& run, TokenId id, Token token) {
  run.branch(token.lineage).tokens.insert(id);
  if (token.due) run.timers.insert({*token.due, TimerKind::token, id});
  if (token.parked == Parked::ready) run.ready.push_back(id);
  bool added = run.tokens.emplace(id, std::move(token)).second;
  check(added);
}

Token take_token(Run& run, TokenId id) {
  auto node = run.tokens.extract(id);
  check(!node.empty());
  Token token = std::move(node.mapped());
  run.branch(token.lineage).tokens.erase(id);
  if (token.due) run.timers.erase({*token.due, TimerKind::token, id});
  if (token.parked == Parked::call) --run.calls;
  if (is_ordered(token.parked)) --run.orders;
  end_wait(run, id, {WaitStatus::cancelled, "cancelled", "cancelled", "", {}});
  end_approval(run, id, withdrawn("cancelled"));
  return token;
}

void drop_token(Run& run, TokenId id) {
  Token token = take_token(run, id);
  if (token.gathers != 0) run.scopes.erase(token.gathers);
}

void pop_ready(Run& run, TokenId id) {
  // Ids of cancelled tokens stay in the queue until they reach its front.
  while (!run.ready.empty() && run.ready.front() != id && !run.tokens.contains(run.ready.front()))
    run.ready.pop_front();
  if (!run.ready.empty() && run.ready.front() == id) run.ready.pop_front();
}

Token& begin(Run& run, const Activation& activation, Instant at) {
  Token& token = run.tokens.at(activation.token);
  if (token.parked == Parked::start) set_due(run, activation.token, token, std::nullopt);
  if (token.parked != Parked::ready && token.parked != Parked::start) return token;
  pop_ready(run, activation.token);
  token.parked = Parked::started;
  token.visit = activation.visit;
  token.since = at;
  ++run.activations;
  const graph::Node& node = run.definition->nodes[token.node];
  if (node.start_named) token.starts[token.node] = at;
  if (node.start_outside) token.starts[graph::no_node] = at;
  // Others may send a token anywhere, and more than once.
  if (node.repeatable || run.fed) {
    uint32_t& next = run.branch(token.lineage).visits[token.node];
    next = std::max(next, activation.visit + 1);
  }
  return token;
}

void set_due(Run& run, TokenId id, Token& token, std::optional<Instant> due) {
  if (token.due) run.timers.erase({*token.due, TimerKind::token, id});
  token.due = due;
  if (due) run.timers.insert({*due, TimerKind::token, id});
}

void follow(Run& run, Token token, const std::vector<EdgeIndex>& edges, Value output) {
  if (edges.empty()) {
    end_token(run, token, std::move(output));
    return;
  }
  Token next;
  next.lineage = token.lineage;
  next.context = std::move(token.context);
  next.payload = std::move(token.payload);
  next.starts = std::move(token.starts);
  for (EdgeIndex edge : edges) {
    next.edge = edge;
    next.node = run.definition->edges[edge].dst;
    add_token(run, run.next_token++, next);
  }
}

void end_token(Run& run, const Token& token, Value output) {
  if (!token.lineage.outside()) return;
  Ended& ended = run.ended[token.node];
  ended.output = std::move(output);
  ended.context = Context::unite(ended.context, token.context);
}

void skip_split(Run& run, Token token, Value output, NodeIndex aggregator, Instant at) {
  Scope scope;
  scope.split = token.node;
  scope.outer = token.lineage;
  scope.closed = true;
  scope.opened_at = at;
  scope.items = Value::array();
  ScopeId id = run.next_scope++;
  Token next;
  next.node = aggregator;
  next.edge = token.edge;
  next.lineage = token.lineage;
  next.context = token.context.with(Context::of_node(token.node), std::move(output));
  next.payload = token.payload;
  next.starts = token.starts;
  next.gathers = id;
  run.scopes.emplace(id, std::move(scope));
  add_token(run, run.next_token++, std::move(next));
}

Value item_of(const Scope& scope, uint32_t index) {
  if (auto given = scope.given.find(index); given != scope.given.end()) return given->second;
  auto items = scope.items.items();
  if (scope.batch_size <= 1) return items[index];
  size_t from = size_t{index} * scope.batch_size;
  size_t count = std::min<size_t>(scope.batch_size, items.size() - from);
  auto batch = items.subspan(from, count);
  return Value::array({batch.begin(), batch.end()});
}

void start_branch(Run& run, ScopeId id, Scope& scope) {
  uint32_t index = scope.started++;
  scope.branches.add(index);
  Token token;
  token.lineage = {id, index};
  token.context = scope.base;
  token.payload = item_of(scope, index);
  token.starts = scope.starts;
  for (EdgeIndex edge : run.definition->nodes[scope.split].normal_out) {
    token.edge = edge;
    token.node = run.definition->edges[edge].dst;
    add_token(run, run.next_token++, token);
  }
}

Value gathered_output(const Scope& scope, bool drop_ended) {
  std::vector<Value> values;
  values.reserve(scope.slots.size());
  Value errors = Value::array();
  for (size_t i = 0; i < scope.slots.size(); ++i) {
    const Slot& slot = scope.slots[i];
    if (slot.outcome == SlotOutcome::ended && drop_ended) continue;
    if (slot.outcome == SlotOutcome::error) {
      errors.push(Value::object({{"index", static_cast<int64_t>(i)}, {"error", slot.value}}));
      values.push_back(Value::object({{"error", slot.value}}));
    } else {
      values.push_back(slot.value);
    }
  }
  auto count = static_cast<int64_t>(values.size());
  return Value::object({{"aggregated", Value::array(std::move(values))},
                        {"count", count},
                        {"failed", static_cast<int64_t>(errors.size())},
                        {"errors", errors}});
}

void close_open_slots(Scope& scope) {
  Value error = Value::object(
      {{"code", "aggregate_timeout"}, {"message", "the item was not finished in time"}});
  for (Slot& slot : scope.slots) {
    if (slot.outcome != SlotOutcome::open) continue;
    slot.outcome = SlotOutcome::error;
    slot.value = error;
    ++scope.resolved;
    ++scope.failed;
  }
  scope.branches.clear();
  scope.awaited.clear();
}

std::vector<const Arrival*> in_edge_order(const Merge& merge) {
  std::vector<const Arrival*> ordered;
  for (const Arrival& arrival : merge.arrivals) ordered.push_back(&arrival);
  // Edge indices follow the definition, so their order is that of the incoming edges.
  std::stable_sort(ordered.begin(), ordered.end(),
                   [](const Arrival* a, const Arrival* b) { return a->edge < b->edge; });
  return ordered;
}

Token close_merge(Run& run, const MergeKey& key, Instant at) {
  Merge& merge = run.merges.at(key);
  Token token;
  token.node = key.node;
  token.lineage = key.lineage;
  token.since = at;
  for (const Arrival* arrival : in_edge_order(merge)) {
    token.context = Context::unite(token.context, arrival->context);
    // Where several ways meet, the latest start counts.
    for (const auto& [node, began] : arrival->starts) {
      Instant& known = token.starts[node];
      known = std::max(known, began);
    }
  }
  if (merge.deadline) run.timers.erase({*merge.deadline, TimerKind::merge, merge.id});
  run.pending_merges.erase(merge.id);
  --run.branch(key.lineage).merges;
  Merge tombstone;
  tombstone.closed = true;
  merge = std::move(tombstone);
  return token;
}

void forget_merges(Run& run, Lineage lineage) {
  auto from = run.merges.lower_bound({lineage, 0, 0});
  auto to = from;
  for (; to != run.merges.end() && to->first.lineage == lineage; ++to) {
    if (to->second.closed) continue;
    if (to->second.deadline)
      run.timers.erase({*to->second.deadline, TimerKind::merge, to->second.id});
    run.pending_merges.erase(to->second.id);
  }
  run.merges.erase(from, to);
}

namespace {

void drop_scope(Run& run, ScopeId id) {
  Scope& scope = run.scopes.at(id);
  while (!scope.branches.empty()) {
    uint32_t item = (*scope.branches.begin()).first;
    cancel_lineage(run, {id, item});
    scope.branches.erase(item);
  }
  if (scope.deadline) run.timers.erase({*scope.deadline, TimerKind::scope, id});
  run.scopes.erase(id);
}

}  // namespace

void cancel_lineage(Run& run, Lineage lineage) {
  Branch& branch = run.branch(lineage);
  while (!branch.tokens.empty()) drop_token(run, *branch.tokens.begin());
  for (ScopeId scope : branch.scopes) drop_scope(run, scope);
  branch.scopes.clear();
  forget_merges(run, lineage);
  branch.merges = 0;
}

void drop_signal(Run& run, const std::string& signal_id) {
  for (auto kept = run.signals.begin(); kept != run.signals.end(); ++kept) {
    if (kept->id != signal_id) continue;
    run.signals.erase(kept);
    return;
  }
}

void remap(Run& run, const std::vector<NodeIndex>& node_map,
           const std::vector<EdgeIndex>& edge_map) {
  auto node = [&](NodeIndex old) { return old < node_map.size() ? node_map[old] : graph::no_node; };
  auto edge = [&](EdgeIndex old) { return old < edge_map.size() ? edge_map[old] : graph::no_edge; };
  auto context = [&](const Context& old) {
    Context moved;
    old.each([&](Context::Key key, const Context::Entry& entry) {
      if (key < Context::of_node(0)) {
        moved = moved.with_entry(key, entry);
      } else if (NodeIndex to = node(key - Context::of_node(0)); to != graph::no_node) {
        moved = moved.with_entry(Context::of_node(to), entry);
      }
    });
    return moved;
  };
  auto starts = [&](const StepStarts& old) {
    StepStarts moved;
    for (const auto& [at, began] : old)
      if (at == graph::no_node || node(at) != graph::no_node)
        moved[at == graph::no_node ? at : node(at)] = began;
    return moved;
  };
  for (auto& [id, token] : run.tokens) {
    token.node = node(token.node);
    token.edge = edge(token.edge);
    token.context = context(token.context);
    token.starts = starts(token.starts);
  }
  for (auto& [id, scope] : run.scopes) {
    scope.split = node(scope.split);
    scope.edge = edge(scope.edge);
    scope.base = context(scope.base);
    scope.starts = starts(scope.starts);
  }
  std::map<MergeKey, Merge> merges;
  for (auto& [key, merge] : run.merges) {
    MergeKey moved{key.lineage, node(key.node), key.visit};
    for (Arrival& arrival : merge.arrivals) {
      arrival.edge = edge(arrival.edge);
      arrival.context = context(arrival.context);
      arrival.starts = starts(arrival.starts);
    }
    if (moved.node != graph::no_node) merges.emplace(moved, std::move(merge));
  }
  run.merges = std::move(merges);
  for (auto& [id, key] : run.pending_merges) key.node = node(key.node);
  std::map<NodeIndex, Ended> ended;
  for (auto& [at, end] : run.ended)
    if (node(at) != graph::no_node) ended[node(at)] = {end.output, context(end.context)};
  run.ended = std::move(ended);
  auto moved_set = [&](const std::set<NodeIndex>& old) {
    std::set<NodeIndex> moved;
    for (NodeIndex at : old)
      if (node(at) != graph::no_node) moved.insert(node(at));
    return moved;
  };
  auto moved_visits = [&](Branch& branch) {
    FlatMap<NodeIndex, uint32_t> moved;
    for (auto [at, visit] : branch.visits)
      if (node(at) != graph::no_node) moved[node(at)] = visit;
    branch.visits = std::move(moved);
    if (branch.arrived_edge) branch.arrived_edge = edge(*branch.arrived_edge);
  };
  moved_visits(run.root);
  for (auto& [id, scope] : run.scopes)
    for (auto [item, branch] : scope.branches) moved_visits(branch);
  run.done = moved_set(run.done);
  run.skipped = moved_set(run.skipped);
}

}  // namespace fermata
