#include "core/run/restart.h"

#include <map>

#include "core/run/decide.h"
#include "core/run/history.h"
#include "core/run/snapshot.h"
#include "core/run/tokens.h"

namespace fermata::restart {

namespace {

Outcome<Run> state_at(const Source& source, uint64_t last_sequence) {
  return fold_until(source.summary.id, source.history,
                    [&](const DefinitionHash&) { return source.definition; }, last_sequence);
}

/// What belongs to the old run alone.
void detach(Run& run) {
  run.status = RunStatus::running;
  run.completed_at.reset();
  run.paused_at.reset();
  run.last_sequence = 0;
  run.last_at = {};
  run.output = {};
  run.error = {};
  run.exit_reason.clear();
  if (run.timeout_at) run.timers.erase({*run.timeout_at, TimerKind::run, 0});
  run.timeout_at.reset();
}

Value names(const Run& run, const std::set<NodeIndex>& nodes) {
  Value list = Value::array();
  for (NodeIndex node : nodes) list.push(run.definition->nodes[node].id);
  return list;
}

Value plan_of(const Run& run) {
  std::set<NodeIndex> repeat;
  for (const auto& [id, token] : run.tokens) repeat.insert(token.node);
  for (const auto& [id, key] : run.pending_merges) repeat.insert(key.node);
  return Value::object({{"repeat", names(run, repeat)},
                        {"reuse", names(run, run.done)},
                        {"cancel", Value::array()},
                        {"warnings", Value::array()}});
}

Seed seed_of(Run run) {
  Seed seed;
  seed.plan = plan_of(run);
  seed.state = std::make_shared<const Run>(std::move(run));
  return seed;
}

/// Puts a started token back to the beginning of its activation.
void start_anew(Run& run, TokenId id) {
  Token token = take_token(run, id);
  token.parked = Parked::ready;
  token.due.reset();
  token.attempt = 1;
  token.parameters = {};
  auto& visits = run.branch(token.lineage).visits;
  if (auto found = visits.find(token.node); found != visits.end()) found->second = token.visit;
  add_token(run, id, std::move(token));
}

struct Halt {
  uint64_t before = 0;  ///< sequence of the last event before the end began
  TokenId token = 0;    ///< whose failure ended the run, if one's did
};

bool part_of_the_end(const EventBody& body) {
  if (std::holds_alternative<NodesSkipped>(body)) return true;
  const auto* cancelled = std::get_if<TokensCancelled>(&body);
  return cancelled && cancelled->whole_lineage && cancelled->lineage.outside();
}

/// Where the run broke: the failure that ended it stands before what the end took with it.
Outcome<Halt> find_halt(const Source& source) {
  FERMATA_TRY(events, decode_history(source.history.back()));
  size_t at = events.size() - 1;
  while (at > 0 && part_of_the_end(events[at - 1].body)) --at;
  Halt halt{events[at].sequence - 1, 0};
  if (at == 0) return halt;
  const Event& last = events[at - 1];
  const auto* node = std::get_if<NodeFailed>(&last.body);
  const auto* merge = std::get_if<MergeFailed>(&last.body);
  if (node && node->policy == graph::ErrorPolicy::halt)
    return Halt{last.sequence - 1, node->activation.token};
  if (merge && merge->policy == graph::ErrorPolicy::halt) return Halt{last.sequence - 1, 0};
  return halt;
}

void place_change(Run& run, std::string_view reference, const Value& value,
                  std::vector<std::string>& unknown) {
  if (!reference.empty() && reference.front() == '$') reference.remove_prefix(1);
  Context::Key key = Context::json_key;
  if (reference == "input") {
    run.input = value;
    return;
  }
  if (reference != "json") {
    auto node = run.definition->node_by_name(reference);
    if (!node) {
      unknown.emplace_back(reference);
      return;
    }
    key = Context::of_node(*node);
  }
  auto changed = [&](const Context& context) {
    const Context::Entry* entry = context.find(key);
    return context.with_entry(key, {value, entry ? entry->rewrites : 1});
  };
  for (auto& [id, token] : run.tokens) {
    token.context = changed(token.context);
    if (key == Context::json_key) token.payload = value;
  }
  for (auto& [id, scope] : run.scopes) scope.base = changed(scope.base);
}

}  // namespace

Outcome<Seed> retry(const Source& source) {
  RunStatus status = source.summary.status;
  if (!is_terminal(status))
    return fail(ErrorCode::run_not_finished, "the execution has not ended yet");
  if (status != RunStatus::failed && status != RunStatus::timed_out)
    return fail(ErrorCode::run_not_failed, "the execution has not failed");
  FERMATA_TRY(halt, find_halt(source));
  if (halt.before == 0)
    return fail(ErrorCode::rerun_not_possible, "the execution failed before its first node");
  FERMATA_TRY(run, state_at(source, halt.before));
  RunId key = run.run_key;
  detach(run);
  // The work is the same work: calls carry the keys of the run that is retried (G-39).
  run.run_key = key;
  auto failed = run.tokens.find(halt.token);
  if (failed != run.tokens.end()) {
    if (failed->second.parked != Parked::ready) start_anew(run, halt.token);
    return seed_of(std::move(run));
  }
  return seed_of(std::move(run));
}

namespace {

/// What a rerun takes from the old run: the last start of its node, and what had come to merges.
struct Replay {
  std::optional<Token> start;
  std::map<std::pair<NodeIndex, EdgeIndex>, Arrival> arrivals;  ///< the latest by merge and edge
  TokenId next_token = 1;
};

Outcome<Replay> replay(const Source& source, NodeIndex node) {
  Replay found;
  Run run;
  run.id = source.summary.id;
  run.definition = source.definition;
  for (const HistoryChunk& chunk : source.history) {
    FERMATA_TRY(events, decode_history(chunk));
    for (const Event& event : events) {
      const auto* arrived = std::get_if<MergeArrived>(&event.body);
      if (arrived && arrived->activation.lineage.outside()) {
        const Token& token = run.tokens.at(arrived->activation.token);
        found.arrivals[{token.node, arrived->edge}] = {arrived->edge, token.context,
                                                       token.payload};
      }
      evolve(run, event);
      for (TokenId id : run.root.tokens)
        if (run.tokens.at(id).node == node) found.start = run.tokens.at(id);
    }
  }
  found.next_token = run.next_token;
  return found;
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
      entry->second.parameters = definition.nodes[merge].raw;
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
  auto node = source.definition->node_by_id(from_node);
  if (!node) return fail(ErrorCode::node_not_found, "the definition has no node " + from_node);
  if (!source.definition->outside_splits[*node])
    return fail(ErrorCode::rerun_not_possible, "node " + from_node + " stands inside a split");
  FERMATA_TRY(old, replay(source, *node));
  if (!old.start) return fail(ErrorCode::rerun_not_possible, "node " + from_node + " has not run");
  FERMATA_TRY(run, state_at(source, 1));
  detach(run);
  run.tokens.clear();
  run.ready.clear();
  run.root = {};
  run.timers.clear();
  run.run_key = {};
  run.next_token = old.next_token + 1;
  carry_arrivals(run, *node, old);
  Token token = *std::move(old.start);
  token.parked = Parked::ready;
  token.due.reset();
  token.attempt = 1;
  token.visit = 0;
  token.gathers = 0;
  token.parameters = {};
  add_token(run, run.next_token++, std::move(token));
  return seed_of(std::move(run));
}

Outcome<Seed> fork(const Source& source, uint64_t at_sequence, const Value& changes) {
  if (at_sequence == 0 || at_sequence > source.summary.last_sequence) {
    return fail(ErrorCode::sequence_unknown,
                "the execution has sequences 1 to " + std::to_string(source.summary.last_sequence));
  }
  FERMATA_TRY(run, state_at(source, at_sequence));
  if (run.finished())
    return fail(ErrorCode::sequence_unknown, "at this sequence the execution had ended");
  detach(run);
  run.run_key = {};
  std::vector<std::string> unknown;
  if (changes.is_object())
    for (const Value::Member& member : changes.members())
      place_change(run, member.key.as_string(), member.value, unknown);
  if (!unknown.empty())
    return fail(ErrorCode::invalid_field, "changes: there is no reference $" + unknown.front());
  return seed_of(std::move(run));
}

}  // namespace fermata::restart
