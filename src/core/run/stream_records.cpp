#include "core/run/event_json.h"
#include "core/run/history.h"
#include "core/run/view.h"

/// The live stream (G-102): events as status records of nodes and of the run.
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
  return "";
}

std::string_view run_status_of(const EventBody& body) {
  if (start_in(body) != nullptr || std::holds_alternative<RunUnpaused>(body))
    return "running";
  if (std::holds_alternative<RunPaused>(body)) return "paused";
  if (std::holds_alternative<RunCompleted>(body)) return "completed";
  if (std::holds_alternative<RunFailed>(body)) return "failed";
  if (std::holds_alternative<RunCancelled>(body)) return "cancelled";
  if (std::holds_alternative<RunTimedOut>(body)) return "timed_out";
  return "";
}

Value record(const char* event, uint64_t sequence, Value data) {
  return Value::object({{"event", event}, {"id", sequence}, {"data", std::move(data)}});
}

class Stream {
 public:
  Stream(const RunId& run, const KnownDefinitions& definitions, bool detail_all)
      : run_(run), show_(definitions), detail_all_(detail_all) {}

  /// False when the event's definition is not known.
  [[nodiscard]] bool learn(const Event& event) { return show_.learn(event); }

  void add(const Event& event, std::vector<Value>& out) {
    if (const auto* opened = std::get_if<SplitOpened>(&event.body))
      if (opened->total > quiet_split_items) quiet_.insert({opened->scope, 0});
    Value shown = show_.show(event);
    if (auto status = run_status_of(event.body); !status.empty())
      return out.push_back(record("run", event.sequence, run_data(shown, status)));
    if (const auto* skipped = std::get_if<NodesSkipped>(&event.body)) {
      for (NodeIndex node : skipped->nodes)
        out.push_back(record("node", event.sequence, node_data(event, node, "skipped")));
      return;
    }
    if (const auto* cancelled = std::get_if<TokensCancelled>(&event.body)) {
      for (size_t i = 0; i < cancelled->nodes.size(); ++i) {
        Value data = node_data(event, cancelled->nodes[i], "cancelled");
        data.set("details", Value::object({{"count", cancelled->counts[i]}}));
        out.push_back(record("node", event.sequence, std::move(data)));
      }
      return;
    }
    auto status = status_of(event.body);
    if (status.empty() || too_much_detail(event.body, status)) return;
    out.push_back(record("node", event.sequence, status_data(shown, status)));
  }

 private:
  bool too_much_detail(const EventBody& body, std::string_view status) const {
    if (detail_all_ || status == "failed" || status == "waiting") return false;
    Lineage lineage;
    if (const auto* done = std::get_if<NodeSucceeded>(&body)) lineage = done->activation.lineage;
    if (const auto* woken = std::get_if<WaitResumed>(&body)) lineage = woken->activation.lineage;
    if (const auto* begun = std::get_if<NodeStarted>(&body)) lineage = begun->activation.lineage;
    if (const auto* asked = std::get_if<CallRequested>(&body)) lineage = asked->activation.lineage;
    return quiet_.contains({lineage.scope, 0});
  }
  Value base(std::string_view status, const Value& sequence, const Value& at) const {
    return Value::object(
        {{"sequence", sequence}, {"execution_id", run_.text()}, {"status", status}, {"at", at}});
  }
  Value run_data(const Value& shown, std::string_view status) const {
    Value data = base(status, shown.get("sequence"), shown.get("at"));
    for (const char* key : {"output", "error", "reason"})
      if (const Value* found = shown.find(key)) data.set(key, *found);
    return data;
  }
  Value node_data(const Event& event, NodeIndex node, std::string_view status) const {
    Value data = base(status, event.sequence, to_rfc3339(event.at));
    data.set("node_id", show_.definition().nodes[node].id);
    data.set("node_name", show_.definition().nodes[node].name);
    data.set("lineage", Value::array());
    return data;
  }
  Value status_data(const Value& shown, std::string_view status) const {
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

  const RunId& run_;
  EventShow show_;
  bool detail_all_;
  std::set<Lineage> quiet_;  ///< scopes of which single successes are not told
};

}  // namespace

Outcome<std::vector<Value>> stream_records(const RunId& run,
                                           const std::vector<HistoryChunk>& chunks,
                                           const KnownDefinitions& definitions, bool detail_all) {
  Stream stream(run, definitions, detail_all);
  std::vector<Value> out;
  for (const HistoryChunk& chunk : chunks) {
    FERMATA_TRY(events, decode_history(chunk));
    for (const Event& event : events) {
      if (!stream.learn(event)) {
        return fail(ErrorCode::data_damaged, "the definition in force at sequence " +
                                                 std::to_string(event.sequence) + " is missing");
      }
      stream.add(event, out);
    }
  }
  return out;
}

}  // namespace fermata::view
