#include "core/run/approval_events.h"
#include "core/run/arrival_events.h"
#include "core/run/tokens.h"

#include "base/check.h"
#include "core/model/measure.h"
#include "core/run/decide.h"
#include "core/run/pause_events.h"
#include "core/run/saga_events.h"
#include "core/run/script_events.h"
#include "core/run/snapshot.h"
#include "core/run/wait_events.h"

/// The fold. Each overload changes the state as its event says and decides nothing.
namespace fermata {

namespace {

using graph::ErrorPolicy;

Value with_json(Value output, graph::NodeType type, const Value& json) {
  if (!output.is_object()) output = Value::object();
  if (type == graph::NodeType::code) output.set("result", json);
  output.set("$json", json);
  return output;
}

/// Node output as the context holds it, and the `$json` it sets.
std::pair<Value, std::optional<Value>> composed(const Run& run, const Token& token,
                                                const NodeSucceeded& event) {
  const graph::Node& node = run.definition->nodes[token.node];
  if (token.gathers != 0) {
    Value output = gathered_output(run.scopes.at(token.gathers),
                                   event.output.get("drop_ended") == Value(true));
    Value json = output.get("aggregated");
    return {std::move(output), std::move(json)};
  }
  if (node.trigger) return {run.trigger, std::nullopt};
  if (event.json) return {with_json(event.output, node.type, *event.json), event.json};
  return {event.output, std::nullopt};
}

void finish(Run& run, const Activation& activation, Token token, Value output,
            const std::optional<Value>& json, const std::vector<EdgeIndex>& edges) {
  uint64_t bytes = approximate_bytes(output);
  run.value_bytes += bytes;
  uint64_t bound = token.context.bytes_bound() + bytes;
  token.context = token.context.with(Context::of_node(activation.node), output);
  if (json) token.context = token.context.with(Context::json_key, *json);
  token.context.set_bytes_bound(bound);
  token.payload = json ? *json : output;
  if (activation.lineage.outside()) run.done.insert(activation.node);
  follow(run, std::move(token), edges, std::move(output));
}

void apply(Run& run, const Box<RunStarted>& start, Instant at) {
  const RunStarted& event = *start;
  RunId id = run.id;
  if (!event.seed.empty()) {
    auto seed = decode_snapshot(event.seed, run.definition);
    check(static_cast<bool>(seed));
    run = *std::move(seed);
    run.id = id;
  }
  run.account = event.account;
  run.workflow = event.workflow;
  run.workflow_version = event.workflow_version;
  run.trigger_kind = event.trigger_kind;
  run.labels = event.labels;
  run.contact_id = event.contact_id;
  run.parent = event.parent;
  run.parent_ref = event.parent_ref;
  run.depth = event.depth.value_or(0);
  run.request_hash = event.request_hash;
  run.started_by = event.on_behalf_of.empty() ? event.by : event.on_behalf_of;
  run.rolls_back = event.rolls_back;
  run.origin = {event.origin_run, event.origin_kind};
  run.definitions = {event.hash};
  run.trace = {event.traceparent, event.tracestate, event.trace_recorded.value_or(false)};
  run.started_at = at;
  run.timeout_at = event.timeout_at;
  if (run.timeout_at) run.timers.insert({*run.timeout_at, TimerKind::run, 0});
  if (run.run_key.empty()) run.run_key = id;
  if (!event.seed.empty()) {
    if (run.script) continue_script(run, at);
    take_over_approvals(run, at);
    return take_over_waits(run, at);
  }
  run.input = event.input;
  run.trigger = event.trigger;
  if (run.definition->is_script()) return begin_script(run, event.start_at, at);
  if (run.definition->external) return;
  Token token;
  token.node = run.definition->entry;
  token.context = Context().with(Context::json_key, run.input);
  token.payload = run.input;
  token.since = at;
  if (event.start_at && *event.start_at > at) {
    token.parked = Parked::start;
    token.due = event.start_at;
  }
  add_token(run, run.next_token++, std::move(token));
}

void apply(Run& run, const RunKeyed& event, Instant) { run.run_key = event.key; }

void apply(Run& run, const NodeStarted& event, Instant at) {
  Token& token = begin(run, event.activation, at);
  set_due(run, event.activation.token, token, std::nullopt);
  token.parameters = event.parameters;
  token.attempt = event.activation.attempt;
  token.parked = Parked::started;
}

void apply(Run& run, const CallRequested& event, Instant at) {
  Token& token = begin(run, event.activation, at);
  set_due(run, event.activation.token, token, std::nullopt);
  token.attempt = event.activation.attempt;
  token.parked = Parked::call;
  ++run.calls;
}

void park_order(Run& run, const Activation& activation, Parked parked, Instant at) {
  begin(run, activation, at).parked = parked;
  ++run.orders;
}

void apply(Run& run, const JobRequested& event, Instant at) {
  park_order(run, event.activation, Parked::job, at);
}

void apply(Run& run, const ChildRequested& event, Instant at) {
  if (!event.detached) return park_order(run, event.activation, Parked::child, at);
  if (!event.kept) run.children.insert(event.child);
}

void apply(Run& run, const SignalSent& event, Instant at) {
  park_order(run, event.activation, Parked::sent, at);
}

void apply(Run& run, const NodeSucceeded& event, Instant at) {
  begin(run, event.activation, at);
  Token token = take_token(run, event.activation.token);
  if (event.skipped) {
    if (token.lineage.outside()) run.skipped.insert(token.node);
    Value payload = token.payload;
    follow(run, std::move(token), event.edges, std::move(payload));
    return;
  }
  auto [output, json] = composed(run, token, event);
  if (token.gathers != 0) run.scopes.erase(token.gathers);
  finish(run, event.activation, std::move(token), std::move(output), json, event.edges);
}

void apply(Run& run, const NodeFailed& event, Instant at) {
  begin(run, event.activation, at);
  fail_wait(run, event.activation.token);
  Token token = take_token(run, event.activation.token);
  token.context = token.context.with(Context::error_key, event.error);
  Value output = Value::object({{"error", event.error}});
  std::optional<Value> json;
  if (token.gathers != 0) {
    // An aggregator whose failure is ignored opens with what it has (G-21).
    if (event.policy == ErrorPolicy::ignore) {
      bool drop_ended = run.definition->nodes[token.node].raw.get("drop_ended") == Value(true);
      output = gathered_output(run.scopes.at(token.gathers), drop_ended);
      json = output.get("aggregated");
      output.set("error", event.error);
    }
    run.scopes.erase(token.gathers);
  }
  if (token.lineage.outside()) run.done.insert(token.node);
  if (event.policy == ErrorPolicy::halt) return;
  NodeIndex aggregator = run.definition->nodes[token.node].aggregator;
  if (event.policy == ErrorPolicy::ignore && aggregator != graph::no_node) {
    skip_split(run, std::move(token), std::move(output), aggregator, at);
    return;
  }
  finish(run, event.activation, std::move(token), std::move(output), json, event.edges);
}

void apply(Run& run, const NodeRetryScheduled& event, Instant at) {
  Token& token = begin(run, event.activation, at);
  if (token.parked == Parked::call) --run.calls;
  if (is_ordered(token.parked)) --run.orders;
  fail_wait(run, event.activation.token);
  token.parked = Parked::retry;
  set_due(run, event.activation.token, token, event.retry_at);
}

void apply(Run& run, const WaitOpened& event, Instant at) {
  Token& token = begin(run, event.activation, at);
  token.parked = event.kind == "signal"  ? Parked::signal
                 : event.kind == "event" ? Parked::event
                                         : Parked::timer;
  if (token.parked == Parked::signal && !token.parameters.is_object())
    token.parameters = signal_wait_parameters(event);
  set_due(run, event.activation.token, token, event.resume_at);
  open_wait(run, event, at);
}

void apply(Run& run, const WaitResumed& event, Instant at) {
  begin(run, event.activation, at);
  end_wait(run, event, at);
  // Only a signal that the run had kept is used up.
  if (event.resumed_by == "signal") drop_signal(run, event.signal_id);
  Token token = take_token(run, event.activation.token);
  finish(run, event.activation, std::move(token), event.output, std::nullopt, event.edges);
}

void apply(Run& run, const SplitOpened& event, Instant at) {
  if (event.activation.token == 0) return open_from_outside(run, event, at);
  begin(run, event.activation, at);
  Token token = take_token(run, event.activation.token);
  Scope scope;
  scope.split = token.node;
  scope.visit = event.activation.visit;
  scope.outer = token.lineage;
  scope.edge = token.edge;
  Value output =
      Value::object({{"_split_items", event.items}, {"count", static_cast<int64_t>(event.total)}});
  scope.base = token.context.with(Context::of_node(token.node), output);
  scope.payload = token.payload;
  scope.items = event.items;
  scope.batch_size = event.batch_size;
  scope.total = event.total;
  scope.max_parallel = event.max_parallel;
  scope.halt_on_item_error = event.halt_on_item_error;
  scope.opened_at = at;
  scope.starts = token.starts;
  scope.deadline = event.deadline;
  scope.slots.resize(event.total);
  if (scope.deadline) run.timers.insert({*scope.deadline, TimerKind::scope, event.scope});
  if (token.lineage.outside()) run.done.insert(token.node);
  run.branch(token.lineage).scopes.insert(event.scope);
  run.next_scope = event.scope + 1;
  uint32_t first =
      scope.max_parallel == 0 ? scope.total : std::min(scope.total, scope.max_parallel);
  auto [entry, added] = run.scopes.emplace(event.scope, std::move(scope));
  check(added);
  for (uint32_t i = 0; i < first; ++i) start_branch(run, event.scope, entry->second);
}

void apply(Run& run, const SlotResolved& event, Instant) {
  Scope& scope = run.scopes.at(event.lineage.scope);
  Branch& branch = run.branch(event.lineage);
  Slot& slot = scope.slots[event.lineage.item];
  slot.outcome = event.outcome;
  if (event.token != 0) {
    Token token = take_token(run, event.token);
    slot.value = event.value ? *event.value : token.payload;
  } else {
    slot.value = event.value ? *event.value : branch.arrived;
  }
  ++scope.resolved;
  if (event.outcome == SlotOutcome::error) ++scope.failed;
  forget_merges(run, event.lineage);
  scope.branches.erase(event.lineage.item);
  if (scope.started < scope.total) start_branch(run, event.lineage.scope, scope);
}

void apply(Run& run, const SplitClosed& event, Instant at) {
  Scope& scope = run.scopes.at(event.scope);
  if (scope.deadline) run.timers.erase({*scope.deadline, TimerKind::scope, event.scope});
  run.branch(scope.outer).scopes.erase(event.scope);
  scope.closed = true;
  scope.timed_out = event.timed_out;
  if (event.timed_out) close_open_slots(scope);
  const graph::Node& split = run.definition->nodes[scope.split];
  bool judged = split.aggregator != graph::no_node || event.failed > 0;
  Token token;
  token.lineage = scope.outer;
  token.context = scope.base;
  token.payload = scope.payload;
  token.starts = scope.starts;
  token.since = at;
  if (!judged) {
    token.node = scope.split;
    Value output = token.context.find(Context::of_node(scope.split))->value;
    end_token(run, token, std::move(output));
    run.scopes.erase(event.scope);
    return;
  }
  token.node = split.aggregator != graph::no_node ? split.aggregator : scope.split;
  token.edge = scope.edge;
  token.gathers = event.scope;
  add_token(run, run.next_token++, std::move(token));
}

void apply(Run& run, const MergeArrived& event, Instant at) {
  pop_ready(run, event.activation.token);
  Token token = take_token(run, event.activation.token);
  MergeKey key{token.lineage, token.node, event.activation.visit};
  auto [entry, first] = run.merges.try_emplace(key);
  Merge& merge = entry->second;
  if (first) {
    merge.id = run.next_token++;
    merge.since = at;
    merge.deadline = event.deadline;
    merge.parameters = event.parameters;
    if (merge.deadline) run.timers.insert({*merge.deadline, TimerKind::merge, merge.id});
    run.pending_merges.emplace(merge.id, key);
    ++run.branch(token.lineage).merges;
  }
  merge.arrivals.push_back(
      {event.edge, std::move(token.context), std::move(token.payload), std::move(token.starts)});
}

void apply(Run& run, const MergeRecounted& event, Instant) {
  Merge& merge = run.merges.at({event.lineage, event.node, event.visit});
  merge.arrived = event.arrived;
  merge.expected = event.expected;
  merge.missing = event.missing;
}

void apply(Run& run, const MergeOpened& event, Instant at) {
  Token token = close_merge(run, {event.lineage, event.node, event.visit}, at);
  ++run.activations;
  Value json = event.output.get("items");
  TokenId id = run.next_token++;
  Activation activation{id, event.node, event.lineage, event.visit, 1};
  finish(run, activation, std::move(token), event.output, json, event.edges);
}

void apply(Run& run, const MergeFailed& event, Instant at) {
  Token token = close_merge(run, {event.lineage, event.node, event.visit}, at);
  ++run.activations;
  token.context = token.context.with(Context::error_key, event.error);
  TokenId id = run.next_token++;
  Activation activation{id, event.node, event.lineage, event.visit, 1};
  if (event.policy == ErrorPolicy::halt) {
    if (event.lineage.outside()) run.done.insert(event.node);
    return;
  }
  std::optional<Value> json;
  Value output = Value::object({{"error", event.error}});
  if (event.policy == ErrorPolicy::ignore) {
    json = event.output.get("items");
    output = event.output;
    output.set("error", event.error);
  }
  finish(run, activation, std::move(token), std::move(output), json, event.edges);
}

void apply(Run& run, const ArrivalIgnored& event, Instant) {
  pop_ready(run, event.activation.token);
  take_token(run, event.activation.token);
}

void apply(Run& run, const TokenEnded& event, Instant) {
  pop_ready(run, event.activation.token);
  Token token = take_token(run, event.activation.token);
  Branch& branch = run.branch(token.lineage);
  // Of several arrivals the one over the first incoming edge counts (G-66).
  if (branch.arrived_edge && *branch.arrived_edge <= token.edge) return;
  branch.arrived_edge = token.edge;
  branch.arrived = event.value ? *event.value : token.payload;
}

void apply(Run& run, const NodesSkipped& event, Instant) {
  run.skipped.insert(event.nodes.begin(), event.nodes.end());
}

void apply(Run& run, const TokensCancelled& event, Instant) {
  if (event.whole_lineage && event.lineage.outside()) {
    cancel_all_waits(run, run_ends);
    withdraw_approvals(run, run_ends);
  }
  if (event.whole_lineage) {
    cancel_lineage(run, event.lineage);
  } else {
    for (TokenId id : event.tokens) drop_token(run, id);
  }
  if (!event.lineage.outside()) return;
  // Cancelled is an end too: such a node is not told as skipped.
  for (NodeIndex node : event.nodes)
    if (run.definition->outside_splits[node]) run.done.insert(node);
}

void apply(Run& run, const SignalReceived& event, Instant at) {
  if (run.script) {
    script_receives(run, event, at);
  } else {
    run.signals.push_back({event.name, event.id, event.payload, at});
  }
  // A signal that was sent without an id is named by its sequence; nobody can send that again.
  bool named = event.id != "#" + std::to_string(run.last_sequence + 1);
  if (named && !event.id.empty()) run.signal_ids.insert(event.id);
}

void apply(Run& run, const RunMigrated& event, Instant) {
  run.workflow_version = event.to_version;
  run.definitions.push_back(event.hash);
  remap(run, event.node_map, event.edge_map);
}

void end(Run& run, RunStatus status, Instant at, const std::string& reason) {
  end_all_waits(run, reason);
  end_all_approvals(run, reason);
  if (run.definition->external) ++run.endings;
  run.status = status;
  run.completed_at = at;
  run.paused_at.reset();
  run.tokens.clear();
  run.ready.clear();
  run.timers.clear();
  run.merges.clear();
  run.pending_merges.clear();
  run.signals.clear();
  run.event_ends.clear();
  run.root = {};
  run.script.reset();
  run.script_begins.reset();
  run.script_retry_at.reset();
  run.script_faults = 0;
  run.calls = 0;
  run.orders = 0;
  run.saga.members.clear();
  if (status != RunStatus::completed) run.exit_reason = reason;
  if (run.saga.rolled_back) run.exit_reason = "rolled_back";
}

void apply(Run& run, const GoalAchieved& event, Instant) {
  run.goals.insert(event.goal);
  if (event.ends) run.exit_reason = goal_achieved;
}
void apply(Run& run, const RunCompleted& event, Instant at) {
  run.output = event.output;
  end(run, RunStatus::completed, at, run.exit_reason.empty() ? "run_completed" : run.exit_reason);
}
void apply(Run& run, const RunFailed& event, Instant at) {
  run.error = event.error;
  end(run, RunStatus::failed, at, "error");
}
void apply(Run& run, const RunCancelled& event, Instant at) {
  end(run, RunStatus::cancelled, at, event.reason.empty() ? "manual_removal" : event.reason);
}
void apply(Run& run, const RunTimedOut&, Instant at) {
  end(run, RunStatus::timed_out, at, "run_timeout");
}

}  // namespace

void evolve(Run& run, const Event& event) {
  size_t changes = run.wait_changes.size();
  size_t answers = run.approval_changes.size();
  run.script_asks.clear();
  std::visit([&](const auto& body) { apply(run, body, event.at); }, event.body);
  date_changes(run, std::min(changes, run.wait_changes.size()), event.at);
  date_approvals(run, std::min(answers, run.approval_changes.size()), event.at);
  run.last_sequence = event.sequence;
  run.last_at = event.at;
}

}  // namespace fermata
