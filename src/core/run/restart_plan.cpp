#include <set>

#include "core/run/restart_parts.h"

/// What a new run would do with the work of the old one, for those who ask before they act (G-96).
namespace fermata::restart {

namespace {

using Nodes = std::set<NodeIndex>;

/// The node that an event tells the end of, if it does.
std::optional<NodeIndex> ended_in(const EventBody& body) {
  if (const auto* done = std::get_if<NodeSucceeded>(&body)) return done->activation.node;
  if (const auto* failed = std::get_if<NodeFailed>(&body)) return failed->activation.node;
  if (const auto* woken = std::get_if<WaitResumed>(&body)) return woken->activation.node;
  if (const auto* opened = std::get_if<SplitOpened>(&body)) return opened->activation.node;
  if (const auto* opened = std::get_if<MergeOpened>(&body)) return opened->node;
  if (const auto* failed = std::get_if<MergeFailed>(&body)) return failed->node;
  return std::nullopt;
}

/// Nodes of `definition` that have ended in the old run at least once, in whatever version.
Outcome<Nodes> nodes_that_ran(const Source& source, const graph::Definition& definition) {
  Nodes ran;
  graph::DefinitionRef spoken_of;
  for (const HistoryChunk& chunk : source.history) {
    FERMATA_TRY(events, decode_history(chunk));
    for (const Event& event : events) {
      if (const auto* started = start_in(event.body))
        spoken_of = source.definitions.find(started->hash);
      if (const auto* migrated = std::get_if<RunMigrated>(&event.body))
        spoken_of = source.definitions.find(migrated->hash);
      auto node = ended_in(event.body);
      if (!node || !spoken_of) continue;
      if (auto known = definition.node_by_id(spoken_of->nodes[*node].id)) ran.insert(*known);
    }
  }
  return ran;
}

/// True when the work is begun or ordered by the new run, and not only awaited.
bool is_done_anew(Parked parked) {
  return parked == Parked::ready || parked == Parked::started || parked == Parked::call ||
         is_ordered(parked);
}

Nodes repeated(const Run& run, const Nodes& ran) {
  Nodes from, repeat;
  for (const auto& [id, token] : run.tokens) {
    from.insert(token.node);
    if (is_done_anew(token.parked)) repeat.insert(token.node);
  }
  for (const auto& [id, key] : run.pending_merges) {
    from.insert(key.node);
    if (ran.contains(key.node)) repeat.insert(key.node);
  }
  for (NodeIndex begin : from)
    for (NodeIndex node : ran)
      if (run.definition->reach[begin].has(node)) repeat.insert(node);
  return repeat;
}

/// Nodes whose output the new run begins with.
Nodes known_outputs(const Run& run) {
  Nodes known = run.done;
  auto add = [&](const Context& context) {
    context.each([&](Context::Key key, const Context::Entry&) {
      if (key >= Context::of_node(0)) known.insert(key - Context::of_node(0));
    });
  };
  for (const auto& [id, token] : run.tokens) add(token.context);
  for (const auto& [id, scope] : run.scopes) add(scope.base);
  for (const auto& [key, merge] : run.merges)
    for (const Arrival& arrival : merge.arrivals) add(arrival.context);
  return known;
}

}  // namespace

Value node_names(const Run& run, const std::set<NodeIndex>& nodes) {
  Value list = Value::array();
  for (NodeIndex node : nodes) list.push(run.definition->nodes[node].id);
  return list;
}

Outcome<Value> plan_of(const Run& run, const Source& source) {
  FERMATA_TRY(ran, nodes_that_ran(source, *run.definition));
  Nodes repeat = repeated(run, ran);
  Nodes reuse;
  for (NodeIndex node : known_outputs(run))
    if (!repeat.contains(node)) reuse.insert(node);
  Value warnings = Value::array();
  // A retry keeps the keys, so the other side can tell the repeat.
  if (run.run_key.empty())
    for (NodeIndex node : repeat)
      if (has_effect(run.definition->nodes[node].type))
        warnings.push(run.definition->nodes[node].id +
                      " reaches outside again, under a new idempotency key");
  return Value::object({{"repeat", node_names(run, repeat)},
                        {"reuse", node_names(run, reuse)},
                        {"cancel", Value::array()},
                        {"warnings", std::move(warnings)}});
}

Outcome<Seed> seed_of(Run run, const Source& source) {
  FERMATA_TRY(plan, plan_of(run, source));
  return Seed{std::make_shared<const Run>(std::move(run)), std::move(plan)};
}

}  // namespace fermata::restart
