#include "core/run/waiting.h"

#include <algorithm>
#include <utility>

#include "core/graph/orders.h"

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
    case Parked::job: return "job";
    case Parked::child: return "child";
    default: return "";
  }
}

std::vector<Entry> entries_of(const Run& run) {
  std::vector<Entry> entries;
  for (const auto& [id, token] : run.tokens) {
    std::string_view kind = kind_of(token.parked);
    if (kind.empty()) continue;
    Value what;
    if (token.parked == Parked::signal) what = token.parameters.get("name");
    if (token.parked == Parked::call || token.parked == Parked::retry)
      what = Value::object({{"attempt", token.attempt}});
    if (token.parked == Parked::job)
      what = Value::object({{"job_id", graph::job_id_of(run, id).text()},
                            {"topic", token.parameters.get("topic")}});
    if (token.parked == Parked::child)
      what = Value::object({{"execution_id", graph::child_id_of(run, id).text()},
                            {"workflow_id", token.parameters.get("workflow_id")}});
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
  } else {
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

}  // namespace fermata
