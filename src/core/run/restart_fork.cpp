#include "base/json.h"
#include "core/run/history.h"
#include "core/run/restart_parts.h"

namespace fermata::restart {

namespace {

/// A part of a reference that `changes` may name: a whole entry of the contexts, or a field in it.
struct Change {
  Context::Key key = Context::json_key;
  bool input = false;
  std::vector<std::string> fields;
  Value value;
};

Value changed(const Value& old, const std::vector<std::string>& fields, size_t depth,
              const Value& value) {
  if (depth == fields.size()) return value;
  Value out = old.is_object() ? old : Value::object();
  out.set(fields[depth], changed(out.get(fields[depth]), fields, depth + 1, value));
  return out;
}

std::optional<Change> change_of(const Run& run, std::string_view reference, const Value& value) {
  if (!reference.empty() && reference.front() == '$') reference.remove_prefix(1);
  Change change;
  change.value = value;
  // A name may hold dots itself, so the longest one that exists is taken.
  for (size_t end = reference.size();; end = reference.rfind('.', end - 1)) {
    std::string_view name = reference.substr(0, end);
    auto node = run.definition->node_by_name(name);
    change.input = name == "input";
    if (node) change.key = Context::of_node(*node);
    if (node || change.input || name == "json") {
      reference.remove_prefix(name.size());
      break;
    }
    if (end == 0 || reference.rfind('.', end - 1) == std::string_view::npos) return std::nullopt;
  }
  while (!reference.empty()) {
    reference.remove_prefix(1);
    change.fields.emplace_back(reference.substr(0, reference.find('.')));
    reference.remove_prefix(change.fields.back().size());
  }
  return change;
}

class Changer {
 public:
  Changer(Run& run, const Change& change) : run_(run), change_(change) {}

  void apply() {
    if (change_.input) {
      run_.input = changed(run_.input, change_.fields, 0, change_.value);
      return;
    }
    for (auto& [id, token] : run_.tokens) {
      token.context = with_change(token.context);
      if (carries(token)) token.payload = carried(token.context);
    }
    for (auto& [id, scope] : run_.scopes) scope.base = with_change(scope.base);
    for (auto& [key, merge] : run_.merges)
      for (Arrival& arrival : merge.arrivals) arrival.context = with_change(arrival.context);
    for (auto& [node, ended] : run_.ended) ended.context = with_change(ended.context);
  }

 private:
  Context with_change(const Context& context) const {
    const Context::Entry* entry = context.find(change_.key);
    // What a path has not seen it does not learn by a change elsewhere.
    if (!entry) return context;
    return context.with_entry(
        change_.key, {changed(entry->value, change_.fields, 0, change_.value), entry->rewrites});
  }
  /// True when the token has just come from what is changed, so its payload is that value.
  bool carries(const Token& token) const {
    if (change_.key == Context::json_key) return true;
    return token.edge != graph::no_edge &&
           Context::of_node(run_.definition->edges[token.edge].src) == change_.key;
  }
  Value carried(const Context& context) const {
    const Context::Entry* entry = context.find(change_.key);
    if (!entry) return {};
    const Value* json = change_.key == Context::json_key ? nullptr : entry->value.find("$json");
    return json ? *json : entry->value;
  }

  Run& run_;
  const Change& change_;
};

/// Some events are followed at once by what they entail: a failure under halt by the end of its
/// branch or run. A fork stands behind such a group, never inside it.
bool entails_more(const EventBody& body) {
  if (const auto* failed = std::get_if<NodeFailed>(&body))
    return failed->policy == graph::ErrorPolicy::halt;
  if (const auto* failed = std::get_if<MergeFailed>(&body))
    return failed->policy == graph::ErrorPolicy::halt;
  const auto* cancelled = std::get_if<TokensCancelled>(&body);
  return cancelled && cancelled->whole_lineage;
}

Outcome<uint64_t> resting_point(const Source& source, uint64_t at_sequence) {
  for (const HistoryChunk& chunk : source.history) {
    if (chunk.first_sequence + chunk.count <= at_sequence) continue;
    FERMATA_TRY(events, decode_history(chunk));
    size_t at = at_sequence - chunk.first_sequence;
    auto inside = [&] {
      if (entails_more(events[at].body)) return true;
      // Between the cancelling of everything and the end stands what is skipped by it.
      return at > 0 && std::holds_alternative<NodesSkipped>(events[at].body) &&
             entails_more(events[at - 1].body);
    };
    while (at + 1 < events.size() && inside()) ++at;
    return events[at].sequence;
  }
  return at_sequence;
}

}  // namespace

Outcome<Seed> fork(const Source& source, uint64_t at_sequence, const Value& changes,
                   uint32_t snapshots_kept) {
  FERMATA_TRY_VOID(refuse_external(source));
  if (at_sequence == 0 || at_sequence > source.summary.last_sequence) {
    return fail(ErrorCode::sequence_unknown,
                "the execution has sequences 1 to " + std::to_string(source.summary.last_sequence));
  }
  if (source.definitions.latest->is_script())
    return fork_script(source, at_sequence, changes, snapshots_kept);
  FERMATA_TRY(sequence, resting_point(source, at_sequence));
  FERMATA_TRY(run, state_at(source, sequence));
  if (run.finished())
    return fail(ErrorCode::sequence_unknown, "at this sequence the execution had ended");
  detach(run);
  // What was done before is the other run's to undo.
  run.saga = {};
  run.run_key = {};
  std::vector<TokenId> begun;
  for (const auto& [id, token] : run.tokens)
    if (token.parked == Parked::started) begun.push_back(id);
  for (TokenId id : begun) start_anew(run, id);
  if (changes.is_object()) {
    for (const Value::Member& member : changes.members()) {
      auto change = change_of(run, member.key.as_string(), member.value);
      if (!change) {
        std::string name(member.key.as_string());
        return fail(ErrorCode::invalid_field, "changes: there is no reference " + name,
                    {{"invalid_field",
                      "/changes/" + escape_pointer(name),
                      "At this sequence nothing is known by that name.",
                      {}}});
      }
      Changer(run, *change).apply();
    }
  }
  return seed_of(std::move(run), source);
}

}  // namespace fermata::restart
