#include <map>

#include "core/run/decide.h"
#include "core/run/history.h"
#include "core/run/restart_parts.h"
#include "core/run/tokens.h"

namespace fermata::restart {

namespace {

/// What a rerun takes from the old run: the last start of its node, and what had come to merges.
struct Replay {
  std::optional<Token> start;
  std::optional<Scope> gathered;  ///< the slots, when the node is an aggregator
  std::map<std::pair<NodeIndex, EdgeIndex>, Arrival> arrivals;  ///< the latest by merge and edge
  std::map<NodeIndex, Value> merge_parameters;
  Run run;
};

/// The activation that an event begins or ends, if it speaks of one.
const Activation* activation_in(const EventBody& body) {
  return std::visit(
      [](const auto& event) -> const Activation* {
        if constexpr (requires { event.activation; }) return &event.activation;
        return nullptr;
      },
      body);
}

void note_start(Replay& replay, NodeIndex node, const Activation& activation) {
  if (activation.node != node || !activation.lineage.outside()) return;
  const Token& token = replay.run.tokens.at(activation.token);
  if (token.parked != Parked::ready && token.parked != Parked::start) return;
  // A split that fails because its items did does not start there.
  bool aggregates = replay.run.definition->nodes[node].type == graph::NodeType::aggregator;
  if (token.gathers != 0 && !aggregates) return;
  replay.start = token;
  if (token.gathers != 0) replay.gathered = replay.run.scopes.at(token.gathers);
}

void note_arrival(Replay& replay, const MergeArrived& arrived) {
  if (!arrived.activation.lineage.outside()) return;
  const Token& token = replay.run.tokens.at(arrived.activation.token);
  replay.arrivals[{token.node, arrived.edge}] = {arrived.edge, token.context, token.payload};
  if (!arrived.parameters.is_null()) replay.merge_parameters[token.node] = arrived.parameters;
}

Outcome<Replay> replayed(const Source& source, NodeIndex node) {
  Replay replay;
  replay.run.id = source.summary.id;
  replay.run.definition = source.definitions.latest;
  for (const HistoryChunk& chunk : source.history) {
    FERMATA_TRY(events, decode_history(chunk));
    for (const Event& event : events) {
      if (const Activation* activation = activation_in(event.body))
        note_start(replay, node, *activation);
      if (const auto* arrived = std::get_if<MergeArrived>(&event.body))
        note_arrival(replay, *arrived);
      evolve(replay.run, event);
    }
  }
  return replay;
}

/// Arrivals over edges that the rerun cannot reach are carried over (G-96).
void carry_arrivals(Run& run, NodeIndex node, const Replay& old) {
  const graph::Definition& definition = *run.definition;
  for (const auto& [place, arrival] : old.arrivals) {
    auto [merge, edge] = place;
    NodeIndex source = definition.edges[edge].src;
    bool behind = definition.reach[node].has(merge) ||
                  (merge == node && old.start->edge != edge);
    if (!behind || source == node || definition.reach[node].has(source)) continue;
    MergeKey key{{}, merge, arrival.context.rewrites(Context::of_node(merge))};
    auto [entry, fresh] = run.merges.try_emplace(key);
    if (fresh) {
      entry->second.id = run.next_token++;
      auto parameters = old.merge_parameters.find(merge);
      if (parameters != old.merge_parameters.end()) entry->second.parameters = parameters->second;
      run.pending_merges.emplace(entry->second.id, key);
      ++run.root.merges;
    }
    entry->second.arrivals.push_back(arrival);
  }
}

}  // namespace

Outcome<Seed> rerun(const Source& source, const std::string& from_node) {
  if (!is_terminal(source.summary.status))
    return fail(ErrorCode::run_not_finished, "the execution has not ended yet");
  auto node = source.definitions.latest->node_by_id(from_node);
  if (!node) return fail(ErrorCode::node_not_found, "the definition has no node " + from_node);
  if (!source.definitions.latest->outside_splits[*node])
    return fail(ErrorCode::rerun_not_possible, "node " + from_node + " stands inside a split");
  FERMATA_TRY(old, replayed(source, *node));
  if (!old.start) return fail(ErrorCode::rerun_not_possible, "node " + from_node + " has not run");
  Run run;
  run.id = source.summary.id;
  run.definition = source.definitions.latest;
  run.input = old.run.input;
  run.trigger = old.run.trigger;
  run.trigger_kind = old.run.trigger_kind;
  // Ids go on where the old run's ended, so nothing of it can be taken for the new one's.
  run.next_token = old.run.next_token + 1;
  run.next_scope = old.run.next_scope + 1;
  carry_arrivals(run, *node, old);
  Token token = *std::move(old.start);
  token.parked = Parked::ready;
  token.due.reset();
  token.attempt = 1;
  token.visit = 0;
  token.parameters = {};
  if (old.gathered) run.scopes.emplace(token.gathers, *std::move(old.gathered));
  add_token(run, run.next_token++, std::move(token));
  return seed_of(std::move(run));
}

}  // namespace fermata::restart
