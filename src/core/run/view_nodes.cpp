#include "core/run/node_items.h"
#include "core/run/view.h"
#include "core/run/waiting.h"

/// What `/executions/{id}/nodes` and below show.
namespace fermata::view {

namespace {

/// The tally up to a sequence, and the definition then in force.
struct Counted {
  graph::DefinitionRef definition;
  std::optional<NodeTally> tally;
};

Outcome<Counted> counted(const std::vector<HistoryChunk>& history,
                         const KnownDefinitions& definitions, std::optional<uint64_t> at_sequence) {
  Counted out;
  for (const HistoryChunk& chunk : history) {
    if (at_sequence && chunk.first_sequence > *at_sequence) break;
    FERMATA_TRY(events, decode_history(chunk));
    for (const Event& event : events) {
      if (at_sequence && event.sequence > *at_sequence) break;
      const auto* started = start_in(event.body);
      const auto* migrated = std::get_if<RunMigrated>(&event.body);
      if (started || migrated)
        out.definition = definitions.find(started ? started->hash : migrated->hash);
      if (!out.definition) {
        return fail(ErrorCode::data_damaged, "the definition in force at sequence " +
                                                 std::to_string(event.sequence) + " is missing");
      }
      if (!out.tally) out.tally.emplace(*out.definition);
      if (migrated) out.tally->migrate(*migrated, *out.definition);
      out.tally->count(event);
    }
  }
  if (!out.definition) out.definition = definitions.latest;
  if (!out.tally) out.tally.emplace(*out.definition);
  return out;
}

Failure<Error> no_such_node(std::string_view id) {
  return fail(ErrorCode::node_not_found, "There is no node `" + std::string(id) + "`.");
}

/// A node with its counts and those of its edges.
Outcome<Value> shown_node(const RunSummary& summary, const Counted& counted, std::string_view id) {
  auto index = counted.definition->node_by_id(id);
  if (!index) return no_such_node(id);
  Value out = counted.tally->node(*index);
  out.set("execution_id", summary.id.text());
  Value edges = Value::array();
  const graph::Node& node = counted.definition->nodes[*index];
  for (EdgeIndex edge : node.in_edges) edges.push(counted.tally->edge(edge));
  for (EdgeIndex edge : node.out_edges) edges.push(counted.tally->edge(edge));
  out.set("edges", std::move(edges));
  return out;
}

Outcome<NodeItems> items_of(const std::vector<HistoryChunk>& history,
                            const KnownDefinitions& definitions, std::string_view id,
                            std::optional<uint64_t> at_sequence) {
  auto index = definitions.latest->node_by_id(id);
  if (!index) return no_such_node(id);
  FERMATA_TRY(places, places_of(history, *index));
  NodeItems items(definitions, std::move(places));
  for (const HistoryChunk& chunk : history)
    FERMATA_TRY_VOID(items.read(chunk, at_sequence.value_or(UINT64_MAX)));
  return items;
}

}  // namespace

Outcome<Value> nodes(const RunSummary& summary, const std::vector<HistoryChunk>& history,
                     const KnownDefinitions& definitions, std::optional<uint64_t> at_sequence) {
  FERMATA_TRY(found, counted(history, definitions, at_sequence));
  return Value::object({{"execution_id", summary.id.text()},
                        {"nodes", found.tally->nodes()},
                        {"edges", found.tally->edges()}});
}

Outcome<Value> node(const RunSummary& summary, const std::vector<HistoryChunk>& history,
                    const KnownDefinitions& definitions, std::string_view node_id,
                    std::optional<uint64_t> at_sequence, const std::string& item) {
  FERMATA_TRY(found, counted(history, definitions, at_sequence));
  FERMATA_TRY(shown, shown_node(summary, found, node_id));
  FERMATA_TRY(items, items_of(history, definitions, node_id, at_sequence));
  const NodeItems::Item* wanted = nullptr;
  if (!item.empty()) {
    wanted = items.find(item);
    if (!wanted)
      return fail(ErrorCode::node_not_found, "Node `" + std::string(node_id) + "` has no item `" +
                                                 item + "`, or several of that number.");
  } else if (!items.items().empty()) {
    wanted = &items.items().back();
  }
  shown.set("last", wanted ? items.whole(*wanted) : Value());
  return shown;
}

Outcome<Value> node_items(const RunSummary& summary, const std::vector<HistoryChunk>& history,
                          const KnownDefinitions& definitions, std::string_view node_id,
                          const ItemsWanted& wanted) {
  FERMATA_TRY(found, counted(history, definitions, wanted.at_sequence));
  FERMATA_TRY(shown, shown_node(summary, found, node_id));
  FERMATA_TRY(items, items_of(history, definitions, node_id, wanted.at_sequence));
  Value list = Value::array();
  Value next;
  for (uint64_t i = wanted.after; i < items.items().size(); ++i) {
    const NodeItems::Item& item = items.items()[i];
    if (!wanted.status.empty() && item.status != wanted.status) continue;
    if (list.size() == wanted.limit) {
      next = Value(std::to_string(i));
      break;
    }
    list.push(items.summary(item));
  }
  shown.set("items", std::move(list));
  shown.set("next_cursor", std::move(next));
  return shown;
}

}  // namespace fermata::view
