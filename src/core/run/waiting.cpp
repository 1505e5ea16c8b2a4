#include "core/run/waiting.h"

#include <algorithm>
#include <utility>

#include "core/graph/orders.h"
#include "core/run/script_asks.h"

namespace fermata {

namespace {

struct Entry {
  std::string_view kind;
  NodeIndex node;
  Instant since;
  std::optional<Instant> until;
  Value what;
  std::string place{};  ///< in a script, instead of a node
};

std::string_view kind_of(Parked parked) {
  switch (parked) {
    case Parked::start:
    case Parked::timer: return "timer";
    case Parked::call: return "call";
    case Parked::retry: return "retry";
    case Parked::signal:
    case Parked::event: return "signal";
    case Parked::job: return "job";
    case Parked::child: return "child";
    case Parked::approval: return "approval";
    case Parked::bus: return "on_bus";
    default: return "";
  }
}

/// The question that a token or awaitable waits for people to answer.
Value asked_by(const Run& run, uint64_t number) {
  auto found = run.approvals.find(number);
  if (found == run.approvals.end()) return {};
  const Approval& approval = found->second;
  Value approvers = Value::array();
  for (const std::string& one : approval.approvers) approvers.push(one);
  return Value::object(
      {{"approval_id", approval.id}, {"title", approval.title}, {"approvers", approvers}});
}

/// What each fiber of a script waits for; `node` is its function and line (F-47).
void add_parked_fibers(const Run& run, std::vector<Entry>& entries) {
  if (run.script_begins) {
    entries.push_back({"timer", graph::no_node, run.started_at, run.script_begins, Value(), ""});
  }
  for (const auto& [fiber, parked] : run.script->parked) {
    auto found = run.script->awaitables.find(parked.awaiting);
    if (found == run.script->awaitables.end()) continue;
    const flow::Awaitable& record = found->second;
    Value what = Value::object({{"id", run.script->id_of(parked.awaiting)}});
    if (!record.name.empty()) what.set("name", record.name);
    if (flow::is_composite(record.kind)) what.set("open", record.composite.open);
    if (record.kind == flow::AwaitableKind::approval) what = asked_by(run, parked.awaiting);
    std::string_view kind =
        record.kind == flow::AwaitableKind::task ? "job" : flow::kind_name(record.kind);
    entries.push_back({kind, graph::no_node, run.script_ran, record.due, std::move(what),
                       node_name(parked.place)});
  }
}

/// What undoing the run waits for: workers to let go, the job that undoes an entry, or people.
void add_undo(const Run& run, std::vector<Entry>& entries) {
  const Saga& saga = run.saga;
  for (const AwaitedStop& stop : saga.awaited)
    entries.push_back({"undo", graph::no_node, *saga.started_at, stop.until,
                       Value::object({{"status", "stopping"}, {"job_id", stop.job.text()}})});
  const SagaEntry* next = saga.submitted() ? saga.submitted() : saga.newest_unsettled();
  if (!next || !saga.awaited.empty()) return;
  Value what = Value::object({{"status", name_of(next->status)},
                              {"seq", next->seq},
                              {"undoes", next->job.text()},
                              {"job_id", next->undo_job.text()}});
  if (!next->reason_code.empty()) what.set("reason_code", next->reason_code);
  entries.push_back(
      {"undo", graph::no_node, *saga.started_at, std::nullopt, std::move(what), next->step});
}

/// The types that a wait still listens to: a text, or a list when there are several.
Value awaited_types(const Run& run, TokenId id) {
  Value types = Value::array();
  auto wait = run.waits.find({WaitSource::graph, id});
  if (wait == run.waits.end()) return {};
  for (const Listener& listener : wait->second.listeners)
    if (listener.status == ListenerStatus::active) types.push(listener.event_type);
  return types.size() == 1 ? Value(types.items()[0]) : types;
}

std::vector<Entry> entries_of(const Run& run) {
  std::vector<Entry> entries;
  if (run.script) add_parked_fibers(run, entries);
  for (const auto& [id, token] : run.tokens) {
    std::string_view kind = kind_of(token.parked);
    if (kind.empty()) continue;
    Value what;
    if (token.parked == Parked::signal) what = token.parameters.get("name");
    if (token.parked == Parked::event) what = awaited_types(run, id);
    if (token.parked == Parked::call || token.parked == Parked::retry)
      what = Value::object({{"attempt", token.attempt}});
    if (token.parked == Parked::job)
      what = Value::object(
          {{"job_id", graph::job_id_of(run, id).text()}, {"topic", token.parameters.get("topic")}});
    if (token.parked == Parked::child)
      what = Value::object({{"execution_id", graph::child_id_of(run, id).text()},
                            {"workflow_id", token.parameters.get("workflow_id")}});
    if (token.parked == Parked::approval) what = asked_by(run, id);
    // A wait that was cancelled alone, or is held, does not go on by itself (W-64, W-65).
    auto wait = run.waits.find({WaitSource::graph, id});
    if (wait != run.waits.end() && !is_pending(wait->second.status))
      what = Value::object({{"wait_id", wait->second.id}, {"status", "cancelled"}});
    if (wait != run.waits.end() && !wait->second.hold.empty())
      what = Value::object({{"wait_id", wait->second.id}, {"on_hold", wait->second.hold}});
    entries.push_back({kind, token.node, token.since, token.due, std::move(what)});
  }
  if (run.saga.rolling_back) add_undo(run, entries);
  for (const auto& [key, wait] : run.waits) {
    if (key.source != WaitSource::api) continue;
    Value what = Value::object({{"wait_id", wait.id}, {"wait_type", wait.type}});
    if (!is_pending(wait.status)) what.set("status", "cancelled");
    if (!wait.hold.empty()) what.set("on_hold", wait.hold);
    bool armed = is_pending(wait.status);
    entries.push_back({"wait", graph::no_node, wait.reached_at, armed ? wait.due : std::nullopt,
                       std::move(what), wait.step});
  }
  for (const auto& [id, key] : run.pending_merges) {
    const Merge& merge = run.merges.at(key);
    Value missing = Value::array();
    for (NodeIndex node : merge.missing) missing.push(run.definition->nodes[node].id);
    entries.push_back(
        {"merge", key.node, merge.since, merge.deadline,
         Value::object(
             {{"arrived", merge.arrived}, {"expected", merge.expected}, {"missing", missing}})});
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
  if (!entry.place.empty()) out.set("node", entry.place);
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
  std::map<std::tuple<NodeIndex, std::string, std::string_view>, std::pair<Entry, size_t>> groups;
  for (const Entry& entry : entries) {
    auto [group, fresh] = groups.try_emplace({entry.node, entry.place, entry.kind}, entry, 0);
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
  if (run.definition->is_script()) {
    const Value& told = run.script_progress;
    Value none = Value(0);
    return Value::object({{"planned", told.is_object() ? told.get("planned") : none},
                          {"done", told.is_object() ? told.get("done") : none},
                          {"splits", Value::array()}});
  }
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
