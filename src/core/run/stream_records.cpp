#include "core/run/stream_records.h"

#include <algorithm>

#include "core/run/history.h"
#include "core/run/shown_values.h"
#include "core/run/snapshot.h"
#include "core/run/view.h"

namespace fermata::view {

namespace {

constexpr uint32_t quiet_split_items = 1'000;

/// The node status an event means; empty when it means none.
std::string_view status_of(const EventBody& body) {
  if (std::holds_alternative<NodeStarted>(body) || std::holds_alternative<CallRequested>(body) ||
      std::holds_alternative<JobRequested>(body) || std::holds_alternative<ChildRequested>(body) ||
      std::holds_alternative<SignalSent>(body))
    return "running";
  if (const auto* done = std::get_if<NodeSucceeded>(&body))
    return done->skipped ? "skipped" : "success";
  if (std::holds_alternative<WaitResumed>(body) || std::holds_alternative<SplitOpened>(body) ||
      std::holds_alternative<MergeOpened>(body))
    return "success";
  if (std::holds_alternative<NodeFailed>(body) || std::holds_alternative<MergeFailed>(body))
    return "failed";
  if (std::holds_alternative<NodeRetryScheduled>(body) ||
      std::holds_alternative<WaitOpened>(body) || std::holds_alternative<MergeRecounted>(body))
    return "waiting";
  if (const auto* asked = std::get_if<ApprovalRequested>(&body))
    return asked->activation.token != 0 ? "waiting" : "";
  return "";
}

std::string_view run_status_of(const EventBody& body) {
  if (start_in(body) != nullptr || std::holds_alternative<RunUnpaused>(body)) return "running";
  if (std::holds_alternative<RunPaused>(body)) return "paused";
  if (std::holds_alternative<RunCompleted>(body)) return "completed";
  if (std::holds_alternative<RunFailed>(body)) return "failed";
  if (std::holds_alternative<RunCancelled>(body)) return "cancelled";
  if (std::holds_alternative<RunTimedOut>(body)) return "timed_out";
  return "";
}

/// Where an event happened; outside for those that happen to the run.
Lineage lineage_of(const EventBody& body) {
  return std::visit(
      [](const auto& event) -> Lineage {
        if constexpr (requires { event.activation; }) return event.activation.lineage;
        if constexpr (requires { event.lineage; }) return event.lineage;
        return {};
      },
      body);
}

Value record(const char* event, uint64_t sequence, Value data) {
  return Value::object({{"event", event}, {"id", sequence}, {"data", std::move(data)}});
}

}  // namespace

void StreamRecords::open(ScopeId id, const Progress& progress) {
  outer_[id] = progress.outer;
  opened_in_.insert({progress.outer, id});
  bool large = progress.total > quiet_split_items;
  if (large) large_[id] = progress;
  // What is opened inside a quiet branch is part of it.
  if (large || quiet_.contains(progress.outer.scope)) quiet_.insert(id);
}

/// A run made from another begins with the splits that one had open.
void StreamRecords::follow_seed(const RunStarted& started) {
  auto seed = decode_snapshot(started.seed, nullptr);
  if (!seed) return;
  for (const auto& [id, scope] : seed->scopes) {
    open(id, {scope.split, scope.visit, scope.outer, scope.total, scope.resolved, scope.failed});
    if (large_.contains(id)) moved_.insert(id);
  }
}

void StreamRecords::follow_migration(const RunMigrated& migrated) {
  for (auto& [id, progress] : large_) progress.split = migrated.node_map[progress.split];
}

void StreamRecords::follow(const Event& event) {
  const EventBody& body = event.body;
  if (const auto* started = start_in(body); started && !started->seed.empty())
    follow_seed(*started);
  if (const auto* migrated = std::get_if<RunMigrated>(&body)) follow_migration(*migrated);
  if (const auto* opened = std::get_if<SplitOpened>(&body))
    open(opened->scope, {opened->activation.node, opened->activation.visit,
                         opened->activation.lineage, opened->total, 0, 0});
  if (const auto* resolved = std::get_if<SlotResolved>(&body)) {
    auto found = large_.find(resolved->lineage.scope);
    if (found == large_.end()) return;
    ++found->second.resolved;
    if (resolved->outcome == SlotOutcome::error) ++found->second.failed;
    moved_.insert(found->first);
  }
}

void StreamRecords::close(const SplitClosed& closed, bool tell, std::vector<Value>& out) {
  if (auto found = large_.find(closed.scope); found != large_.end() && tell) {
    found->second.resolved = closed.resolved;
    found->second.failed = closed.failed;
    out.push_back(progress_record(found->second));
  }
  forget(closed.scope);
}

void StreamRecords::forget(ScopeId id) {
  auto outer = outer_.find(id);
  if (outer == outer_.end()) return;
  opened_in_.erase({outer->second, id});
  outer_.erase(outer);
  quiet_.erase(id);
  moved_.erase(id);
  large_.erase(id);
}

void StreamRecords::drop(Lineage first, Lineage last) {
  for (auto it = opened_in_.lower_bound({first, 0}); it != opened_in_.end() && it->first <= last;
       it = opened_in_.lower_bound({first, 0})) {
    ScopeId id = it->second;
    drop({id, 0}, {id, UINT32_MAX});
    forget(id);
  }
}

Outcome<void> StreamRecords::read(const HistoryChunk& chunk, uint64_t from,
                                  std::vector<Value>& out) {
  FERMATA_TRY(events, decode_history(chunk));
  for (const Event& event : events) {
    if (!show_.learn(event)) {
      return fail(ErrorCode::data_damaged, "the definition in force at sequence " +
                                               std::to_string(event.sequence) + " is missing");
    }
    follow(event);
    std::optional<Value> output = gathered_.follow(event, show_.definition());
    last_sequence_ = event.sequence;
    last_at_ = event.at;
    if (event.sequence >= from) add(event, output, out);
    if (const auto* closed = std::get_if<SplitClosed>(&event.body))
      close(*closed, event.sequence >= from, out);
    if (const auto* gone = std::get_if<TokensCancelled>(&event.body); gone && gone->whole_lineage)
      drop(gone->lineage, gone->lineage);
  }
  return {};
}

void StreamRecords::tell_progress(std::vector<Value>& out) {
  for (ScopeId id : moved_) out.push_back(progress_record(large_.at(id)));
  moved_.clear();
}

bool StreamRecords::is_quiet(const EventBody& body) const {
  return !detail_all_ && quiet_.contains(lineage_of(body).scope);
}

void StreamRecords::add_cancelled(const Event& event, const TokensCancelled& cancelled,
                                  std::vector<Value>& out) {
  for (size_t i = 0; i < cancelled.nodes.size(); ++i) {
    Value data = node_data(event, cancelled.nodes[i], "cancelled", cancelled.lineage);
    data.set("details", Value::object({{"count", cancelled.counts[i]}}));
    out.push_back(record("node", event.sequence, std::move(data)));
  }
}

void StreamRecords::add(const Event& event, const std::optional<Value>& output,
                        std::vector<Value>& out) {
  if (auto status = run_status_of(event.body); !status.empty()) {
    Value shown = with_references(show_.show(event), event.sequence);
    return out.push_back(record("run", event.sequence, run_data(shown, status)));
  }
  auto status = status_of(event.body);
  if (is_quiet(event.body) && status != "failed" && status != "waiting") return;
  if (const auto* skipped = std::get_if<NodesSkipped>(&event.body)) {
    for (NodeIndex node : skipped->nodes)
      out.push_back(record("node", event.sequence, node_data(event, node, "skipped", {})));
    return;
  }
  if (const auto* cancelled = std::get_if<TokensCancelled>(&event.body))
    return add_cancelled(event, *cancelled, out);
  if (status.empty()) return;
  Value shown = with_references(show_.show(event, output), event.sequence);
  out.push_back(record("node", event.sequence, status_data(shown, status)));
}

Value StreamRecords::progress_record(const Progress& progress) const {
  const graph::Node& split = show_.definition().nodes[progress.split];
  return record("progress", last_sequence_,
                Value::object({{"sequence", last_sequence_},
                               {"execution_id", run_.text()},
                               {"node_id", split.id},
                               {"node_name", split.name},
                               {"lineage", show_.lineage(progress.outer)},
                               {"visit", progress.visit},
                               {"at", to_rfc3339(last_at_)},
                               {"total", progress.total},
                               {"resolved", progress.resolved},
                               {"failed", progress.failed}}));
}

Value StreamRecords::base(std::string_view status, const Value& sequence, const Value& at) const {
  return Value::object(
      {{"sequence", sequence}, {"execution_id", run_.text()}, {"status", status}, {"at", at}});
}

Value StreamRecords::run_data(const Value& shown, std::string_view status) const {
  Value data = base(status, shown.get("sequence"), shown.get("at"));
  for (const char* key : {"output", "error", "reason"})
    if (const Value* found = shown.find(key)) data.set(key, *found);
  return data;
}

Value StreamRecords::node_data(const Event& event, NodeIndex node, std::string_view status,
                               Lineage lineage) const {
  Value data = base(status, event.sequence, to_rfc3339(event.at));
  data.set("node_id", show_.definition().nodes[node].id);
  data.set("node_name", show_.definition().nodes[node].name);
  data.set("lineage", show_.lineage(lineage));
  return data;
}

Value StreamRecords::status_data(const Value& shown, std::string_view status) const {
  static constexpr std::string_view top[] = {"sequence", "node_id", "node_name", "lineage",
                                             "visit",    "attempt", "at"};
  Value data = base(status, shown.get("sequence"), shown.get("at"));
  Value details = Value::object();
  for (const Value::Member& member : shown.members()) {
    std::string_view key = member.key.as_string();
    if (std::find(std::begin(top), std::end(top), key) != std::end(top)) {
      data.set(key, member.value);
    } else if (key != "type" && key != "edges" && key != "items") {
      details.set(key, member.value);
    }
  }
  data.set("details", std::move(details));
  return data;
}

Outcome<std::vector<Value>> stream_records(const RunId& run,
                                           const std::vector<HistoryChunk>& chunks,
                                           const KnownDefinitions& definitions, bool detail_all) {
  StreamRecords stream(run, definitions, detail_all);
  std::vector<Value> out;
  for (const HistoryChunk& chunk : chunks) FERMATA_TRY_VOID(stream.read(chunk, 1, out));
  return out;
}

}  // namespace fermata::view
