#include <algorithm>
#include <set>

#include "core/run/decide.h"
#include "core/run/history.h"
#include "core/run/restart_parts.h"
#include "core/run/tokens.h"

namespace fermata::restart {

namespace {

/// What a rerun takes from the old run: the last start of its node, and what had come to merges.
struct Replay {
  /// Where the node stood in each version the run has had, oldest first.
  std::vector<std::set<NodeIndex>> wanted;
  size_t phase = 0;  ///< migrations seen so far
  Run run;
  /// A run in name only, so that what is kept moves along when the old run was migrated: the start
  /// is its one token, the slots of an aggregator its one scope, arrivals stand in its merges.
  Run kept;
};
constexpr TokenId kept_start = 1;

/// The activation that an event begins or ends, if it speaks of one.
const Activation* activation_in(const EventBody& body) {
  return std::visit(
      [](const auto& event) -> const Activation* {
        if constexpr (requires { event.activation; }) return &event.activation;
        return nullptr;
      },
      body);
}

void note_start(Replay& replay, const Activation& activation) {
  if (!replay.wanted[replay.phase].contains(activation.node) || !activation.lineage.outside())
    return;
  const Token& token = replay.run.tokens.at(activation.token);
  if (token.parked != Parked::ready && token.parked != Parked::start) return;
  // A split that fails because its items did does not start there.
  const graph::Node& node = replay.run.definition->nodes[activation.node];
  if (token.gathers != 0 && node.type != graph::NodeType::aggregator) return;
  replay.kept.tokens[kept_start] = token;
  replay.kept.scopes.clear();
  if (token.gathers != 0)
    replay.kept.scopes.emplace(token.gathers, replay.run.scopes.at(token.gathers));
}

/// Of several arrivals at a merge over one edge the latest counts.
void note_arrival(Replay& replay, const MergeArrived& arrived) {
  if (!arrived.activation.lineage.outside()) return;
  const Token& token = replay.run.tokens.at(arrived.activation.token);
  Merge& merge = replay.kept.merges[{{}, token.node, 0}];
  auto known = std::find_if(merge.arrivals.begin(), merge.arrivals.end(),
                            [&](const Arrival& other) { return other.edge == arrived.edge; });
  if (known == merge.arrivals.end()) known = merge.arrivals.emplace(known);
  *known = {arrived.edge, token.context, token.payload};
  if (!arrived.parameters.is_null()) merge.parameters = arrived.parameters;
}

/// Folds one event, with the definition it begins with.
Outcome<void> fold_event(Replay& replay, const Event& event, const KnownDefinitions& definitions) {
  const auto* started = start_in(event.body);
  const auto* migrated = std::get_if<RunMigrated>(&event.body);
  if (started || migrated) {
    const DefinitionHash& hash = started ? started->hash : migrated->hash;
    replay.run.definition = definitions.find(hash);
    if (!replay.run.definition)
      return fail(ErrorCode::data_damaged, "definition " + hash.text() + " is missing");
  }
  evolve(replay.run, event);
  if (!migrated) return {};
  ++replay.phase;
  remap(replay.kept, migrated->node_map, migrated->edge_map);
  return {};
}

Outcome<Replay> replayed(const Source& source, NodeIndex node) {
  Replay replay;
  FERMATA_TRY(places, places_of(source.history, node));
  replay.wanted = std::move(places);
  replay.run.id = source.summary.id;
  for (const HistoryChunk& chunk : source.history) {
    FERMATA_TRY(events, decode_history(chunk));
    for (const Event& event : events) {
      if (const Activation* activation = activation_in(event.body)) note_start(replay, *activation);
      if (const auto* arrived = std::get_if<MergeArrived>(&event.body))
        note_arrival(replay, *arrived);
      FERMATA_TRY_VOID(fold_event(replay, event, source.definitions));
    }
  }
  return replay;
}

/// Arrivals over edges that the rerun cannot reach are carried over (G-96).
void carry_arrivals(Run& run, NodeIndex node, const Replay& old, const Token& start) {
  const graph::Definition& definition = *run.definition;
  for (const auto& [place, merge] : old.kept.merges) {
    bool behind = definition.reach[node].has(place.node);
    for (const Arrival& arrival : merge.arrivals) {
      // An edge that a later version took away leads nowhere.
      if (arrival.edge == graph::no_edge) continue;
      NodeIndex source = definition.edges[arrival.edge].src;
      bool beside = place.node == node && start.edge != arrival.edge;
      if (!(behind || beside) || source == node || definition.reach[node].has(source)) continue;
      MergeKey key{{}, place.node, arrival.context.rewrites(Context::of_node(place.node))};
      auto [entry, fresh] = run.merges.try_emplace(key);
      if (fresh) {
        entry->second.id = run.next_token++;
        entry->second.parameters = merge.parameters;
        run.pending_merges.emplace(entry->second.id, key);
        ++run.root.merges;
      }
      entry->second.arrivals.push_back(arrival);
    }
  }
}

}  // namespace

Outcome<Seed> rerun(const Source& source, const std::string& from_node) {
  FERMATA_TRY_VOID(refuse_external(source));
  if (!is_terminal(source.summary.status))
    return fail(ErrorCode::run_not_finished, "the execution has not ended yet");
  if (source.definitions.latest->is_script()) return rerun_script(source, from_node);
  if (from_node.empty())
    return fail(ErrorCode::invalid_field, "/from_node: This field is required.",
                {{"invalid_field", "/from_node", "This field is required.", {}}});
  auto node = source.definitions.latest->node_by_id(from_node);
  if (!node) return fail(ErrorCode::node_not_found, "the definition has no node " + from_node);
  if (!source.definitions.latest->outside_splits[*node])
    return fail(ErrorCode::rerun_not_possible, "node " + from_node + " stands inside a split");
  FERMATA_TRY(old, replayed(source, *node));
  auto start = old.kept.tokens.find(kept_start);
  if (start == old.kept.tokens.end())
    return fail(ErrorCode::rerun_not_possible, "node " + from_node + " has not run");
  Run run;
  run.id = source.summary.id;
  run.definition = source.definitions.latest;
  run.workflow_version = source.summary.workflow_version;
  run.input = old.run.input;
  run.trigger = old.run.trigger;
  run.trigger_kind = old.run.trigger_kind;
  // Ids go on where the old run's ended, so nothing of it can be taken for the new one's.
  run.next_token = old.run.next_token + 1;
  run.next_scope = old.run.next_scope + 1;
  Token token = start->second;
  carry_arrivals(run, *node, old, token);
  token.parked = Parked::ready;
  token.due.reset();
  token.attempt = 1;
  token.visit = 0;
  token.parameters = {};
  if (token.gathers != 0) run.scopes.emplace(token.gathers, old.kept.scopes.at(token.gathers));
  add_token(run, run.next_token++, std::move(token));
  return seed_of(std::move(run), source);
}

}  // namespace fermata::restart
