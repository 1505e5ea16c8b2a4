#include "core/run/arrival_events.h"

#include "core/model/measure.h"
#include "core/run/tokens.h"

namespace fermata {

namespace {

/// What was visited before visits were counted everywhere: nodes that ended, and those on the way
/// of what is alive.
void count_visits(Run& run) {
  for (NodeIndex node : run.done) {
    uint32_t& next = run.root.visits[node];
    next = std::max(next, 1u);
  }
  auto seen = [&](Lineage lineage, const Context& context) {
    Branch& branch = run.branch(lineage);
    context.each([&](Context::Key key, const Context::Entry& entry) {
      if (key < Context::of_node(0)) return;
      uint32_t& next = branch.visits[key - Context::of_node(0)];
      next = std::max(next, entry.rewrites);
    });
  };
  for (const auto& [id, token] : run.tokens) {
    seen(token.lineage, token.context);
    if (token.parked == Parked::ready || token.parked == Parked::bus) continue;
    uint32_t& next = run.branch(token.lineage).visits[token.node];
    next = std::max(next, token.visit + 1);
  }
  for (const auto& [id, key] : run.pending_merges)
    for (const Arrival& arrival : run.merges.at(key).arrivals) seen(key.lineage, arrival.context);
}

Context context_of(const Run& run, const TokensArrived& event) {
  Context context;
  if (event.context.is_object())
    for (const Value::Member& member : event.context.members())
      if (auto node = run.definition->node_by_id(member.key.as_string()))
        context = context.with(Context::of_node(*node), member.value);
  return context.with(Context::json_key, event.payload);
}

void feed(Run& run) {
  if (run.fed) return;
  count_visits(run);
  run.fed = true;
}

/// What was known before a split: everything but what comes after it.
Context before_split(const Run& run, NodeIndex split, const Context& context) {
  Context out;
  context.each([&](Context::Key key, const Context::Entry& entry) {
    bool after =
        key >= Context::of_node(0) && run.definition->reach[split].has(key - Context::of_node(0));
    if (!after) out = out.with_entry(key, entry);
  });
  return out;
}

/// The branch is there from now on. Its splits learn what was known before them, for whoever
/// gathers their items.
void enter_branch(Run& run, Lineage lineage, const Value& item, const Context& context) {
  if (lineage.outside()) return;
  Scope& innermost = run.scopes.at(lineage.scope);
  bool first = innermost.awaited.erase(lineage.item) > 0;
  if (first && !item.is_null()) innermost.given[lineage.item] = item;
  for (Lineage at = lineage; !at.outside();) {
    Scope& scope = run.scopes.at(at.scope);
    if (scope.base.empty()) scope.base = before_split(run, scope.split, context);
    at = scope.outer;
  }
}

void may_run(Run& run, NodeIndex node) {
  run.skipped.erase(node);
  std::erase_if(run.skipped,
                [&](NodeIndex other) { return run.definition->reach[node].has(other); });
}

}  // namespace

void apply(Run& run, const EntryVacated& event, Instant) {
  pop_ready(run, event.token);
  take_token(run, event.token);
}

void apply(Run& run, const TokensArrived& event, Instant) {
  if (event.feeds) feed(run);
  uint64_t bytes = approximate_bytes(event.context) + approximate_bytes(event.payload);
  run.value_bytes += bytes;
  Token token;
  token.lineage = event.lineage;
  token.context = context_of(run, event);
  token.context.set_bytes_bound(bytes);
  enter_branch(run, event.lineage, event.item, token.context);
  token.payload = event.payload;
  if (event.edges.empty() && event.node != graph::no_node) {
    token.node = event.node;
    may_run(run, token.node);
    add_token(run, run.next_token++, token);
  }
  for (EdgeIndex edge : event.edges) {
    token.edge = edge;
    token.node = run.definition->edges[edge].dst;
    may_run(run, token.node);
    add_token(run, run.next_token++, token);
  }
}

void apply(Run& run, const TokenSent& event, Instant) {
  pop_ready(run, event.activation.token);
  Token& token = run.tokens.at(event.activation.token);
  token.parked = Parked::bus;
  set_due(run, event.activation.token, token, event.again_at);
}

void apply(Run& run, const TokenTaken& event, Instant) {
  Token& token = run.tokens.at(event.activation.token);
  set_due(run, event.activation.token, token, std::nullopt);
  token.parked = Parked::ready;
  run.ready.push_back(event.activation.token);
}

void open_from_outside(Run& run, const SplitOpened& event, Instant at) {
  const Activation& where = event.activation;
  feed(run);
  if (!where.lineage.outside())
    run.scopes.at(where.lineage.scope).awaited.erase(where.lineage.item);
  Scope scope;
  scope.split = where.node;
  scope.visit = where.visit;
  scope.outer = where.lineage;
  scope.items = event.items;
  scope.total = event.total;
  scope.started = event.total;
  scope.halt_on_item_error = event.halt_on_item_error;
  scope.opened_at = at;
  scope.deadline = event.deadline;
  scope.slots.resize(event.total);
  for (uint32_t item = 0; item < event.total; ++item) {
    scope.branches.add(item);
    scope.awaited.insert(item);
  }
  if (scope.deadline) run.timers.insert({*scope.deadline, TimerKind::scope, event.scope});
  if (where.lineage.outside()) run.done.insert(where.node);
  run.skipped.erase(where.node);
  Branch& outer = run.branch(where.lineage);
  outer.scopes.insert(event.scope);
  // What is closed later is known by this as one that was there.
  outer.visits[where.node] = where.visit + 1;
  run.next_scope = event.scope + 1;
  run.scopes.emplace(event.scope, std::move(scope));
}

}  // namespace fermata
