#pragma once
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/box.h"
#include "core/model/activation.h"
#include "core/model/approval_events.h"
#include "core/model/arrival_events.h"
#include "core/model/run.h"
#include "core/model/saga_events.h"
#include "core/model/wait_ends.h"

/// What the core decided, in the past tense. The fold of a run's events over its definition is its
/// state; the same events are its history (G-101). Each lists its fields once, for the binary form
/// and for people (core/run/history.h). Stored events have no lengths: what needs a field more gets
/// an event beside it, at the end of EventBody.
namespace fermata {

struct RunStarted {
  AccountId account;
  WorkflowId workflow;
  uint32_t workflow_version = 0;
  DefinitionHash hash;
  Value input;
  Value trigger;
  std::string trigger_kind;
  Value labels;
  std::string contact_id;
  RunId parent;
  std::string request_hash;
  RunId origin_run;
  std::string origin_kind;
  std::optional<Instant> timeout_at;
  std::optional<Instant> start_at;
  std::string seed;  ///< the state it begins with (core/run/snapshot.h), or empty
  std::string by;
  std::string parent_ref;  ///< what the parent knows it by, or empty
  std::optional<uint32_t> depth;  ///< parents above it, when there are any
  std::string traceparent;
  std::string tracestate;
  std::optional<bool> trace_recorded;  ///< when there is a trace
  std::string on_behalf_of{};  ///< who started the run that ordered it, or empty
  std::optional<bool> rolls_back{};  ///< what a failure does, when the start says so (J-73)
  template <class V> void each(V&& v) {
    v("account_id", account); v("workflow_id", workflow); v("version", workflow_version);
    v("hash", hash); v("input", input); v("trigger_data", trigger); v("trigger", trigger_kind);
    v("labels", labels); v("contact_id", contact_id); v("parent", parent);
    v("request_hash", request_hash); v("origin_run", origin_run); v("origin_kind", origin_kind);
    v("timeout_at", timeout_at); v("start_at", start_at); v("seed", seed); v("by", by);
    v("parent_ref", parent_ref); v("depth", depth); v("traceparent", traceparent);
    v("tracestate", tracestate); v("trace_recorded", trace_recorded);
    v("on_behalf_of", on_behalf_of); v("on_failure_rollback", rolls_back);
  }
};
/// The run's idempotency keys are made from this and not from its id: it was started before, by the
/// run that its parent retries, or by another parent that gave the same key (F-36, F-48).
struct RunKeyed {
  RunId key;
  template <class V> void each(V&& v) { v("key", key); }
};
struct RunPaused {
  std::string by;
  template <class V> void each(V&& v) { v("by", by); }
};
struct RunUnpaused {
  std::string by;
  int64_t paused_ms = 0;  ///< run, merge and aggregator deadlines move by this much
  template <class V> void each(V&& v) { v("by", by); v("paused_ms", paused_ms); }
};
struct NodeStarted {
  Activation activation;
  Value parameters;
  template <class V> void each(V&& v) { v("activation", activation); v("parameters", parameters); }
};
struct CallRequested {
  Activation activation;
  std::string idempotency_key;
  template <class V> void each(V&& v) {
    v("activation", activation); v("idempotency_key", idempotency_key);
  }
};
/// Ends an activation; tokens follow `edges`, in order. No edge: the token ends.
struct NodeSucceeded {
  Activation activation;
  Value output;              ///< without what evolve derives from the node's type
  std::optional<Value> json; ///< what `$json` becomes, if the node sets it
  std::vector<EdgeIndex> edges;
  Instant started_at;
  bool skipped = false;      ///< disabled: the payload passes through
  template <class V> void each(V&& v) {
    v("activation", activation); v("output", output); v("json", json); v("edges", edges);
    v("started_at", started_at); v("skipped", skipped);
  }
};
struct NodeFailed {
  Activation activation;
  Value error;
  graph::ErrorPolicy policy = graph::ErrorPolicy::halt;
  std::vector<EdgeIndex> edges;
  Instant started_at;
  template <class V> void each(V&& v) {
    v("activation", activation); v("error", error); v("policy", policy); v("edges", edges);
    v("started_at", started_at);
  }
};
struct NodeRetryScheduled {
  Activation activation;
  Value error;
  Instant retry_at;
  template <class V> void each(V&& v) {
    v("activation", activation); v("error", error); v("retry_at", retry_at);
  }
};
struct WaitOpened {
  Activation activation;
  std::string kind;  ///< timer, signal or event
  std::optional<Instant> resume_at;
  std::string timer_id;
  std::string signal_name;
  Value intent;  ///< what it means in local time, or null (core/graph/wait_plan.h)
  std::string wait_type{};  ///< of the four types, or empty
  Value config{};
  std::vector<Listener> listeners{};  ///< of a wait for_event
  template <class V> void each(V&& v) {
    v("activation", activation); v("kind", kind); v("resume_at", resume_at);
    v("timer_id", timer_id); v("signal_name", signal_name); v("intent", intent);
    v("wait_type", wait_type); v("config", config); v("listeners", listeners);
  }
};
struct WaitResumed {
  Activation activation;
  std::string resumed_by;
  Value output;
  std::vector<EdgeIndex> edges;
  Instant started_at;
  std::string signal_id;  ///< of the kept signal it consumes, `#` and its position when unnamed
  template <class V> void each(V&& v) {
    v("activation", activation); v("resumed_by", resumed_by); v("output", output);
    v("edges", edges); v("started_at", started_at); v("signal_id", signal_id);
  }
};
struct SplitOpened {
  Activation activation;
  ScopeId scope = 0;
  Value items;
  uint32_t batch_size = 1;
  uint32_t total = 0;
  uint32_t max_parallel = 0;
  bool halt_on_item_error = false;
  std::optional<Instant> deadline;
  template <class V> void each(V&& v) {
    v("activation", activation); v("scope", scope); v("items", items); v("batch_size", batch_size);
    v("total", total); v("max_parallel", max_parallel); v("halt_on_item_error", halt_on_item_error);
    v("deadline", deadline);
  }
};
struct SlotResolved {
  Lineage lineage;
  SlotOutcome outcome = SlotOutcome::ended;
  TokenId token = 0;            ///< the token that arrived and is consumed, or 0
  std::optional<Value> value;   ///< absent: the token's payload, or the branch's best arrival
  template <class V> void each(V&& v) {
    v("lineage", lineage); v("outcome", outcome); v("token", token); v("value", value);
  }
};
struct SplitClosed {
  ScopeId scope = 0;
  uint32_t resolved = 0;
  uint32_t failed = 0;
  bool timed_out = false;
  template <class V> void each(V&& v) {
    v("scope", scope); v("resolved", resolved); v("failed", failed); v("timed_out", timed_out);
  }
};
struct MergeArrived {
  Activation activation;  ///< visit: of the instance
  EdgeIndex edge = graph::no_edge;
  std::optional<Instant> deadline;  ///< set by the first arrival
  Value parameters;                 ///< of the instance, as evaluated for the first arrival
  template <class V> void each(V&& v) {
    v("activation", activation); v("edge", edge); v("deadline", deadline);
    v("parameters", parameters);
  }
};
struct MergeRecounted {
  Lineage lineage;
  NodeIndex node = graph::no_node;
  uint32_t visit = 0;
  uint32_t arrived = 0;
  uint32_t expected = 0;
  std::vector<NodeIndex> missing;
  template <class V> void each(V&& v) {
    v("lineage", lineage); v("node", node); v("visit", visit); v("arrived", arrived);
    v("expected", expected); v("missing", missing);
  }
};
struct MergeOpened {
  Lineage lineage;
  NodeIndex node = graph::no_node;
  uint32_t visit = 0;
  Value output;
  std::vector<EdgeIndex> edges;
  template <class V> void each(V&& v) {
    v("lineage", lineage); v("node", node); v("visit", visit); v("output", output);
    v("edges", edges);
  }
};
/// The barrier's failure: by its timeout, or by inputs that cannot be merged.
struct MergeFailed {
  Lineage lineage;
  NodeIndex node = graph::no_node;
  uint32_t visit = 0;
  Value error;
  graph::ErrorPolicy policy = graph::ErrorPolicy::halt;
  Value output;  ///< under `ignore`: what it opens with
  std::vector<EdgeIndex> edges;
  uint32_t arrived = 0;
  uint32_t expected = 0;
  template <class V> void each(V&& v) {
    v("lineage", lineage); v("node", node); v("visit", visit); v("error", error);
    v("policy", policy); v("output", output); v("edges", edges); v("arrived", arrived);
    v("expected", expected);
  }
};
struct ArrivalIgnored {
  Activation activation;
  EdgeIndex edge = graph::no_edge;
  template <class V> void each(V&& v) { v("activation", activation); v("edge", edge); }
};
/// A token that arrived at an aggregator while its branch still lives.
struct TokenEnded {
  Activation activation;
  std::optional<Value> value;
  template <class V> void each(V&& v) { v("activation", activation); v("value", value); }
};
struct NodesSkipped {
  std::vector<NodeIndex> nodes;
  template <class V> void each(V&& v) { v("nodes", nodes); }
};
/// Everything alive in a lineage, or the listed tokens of it, is gone.
struct TokensCancelled {
  Lineage lineage;
  /// With all that was opened inside it; outside splits the whole run.
  bool whole_lineage = false;
  std::vector<uint64_t> tokens;
  std::vector<NodeIndex> nodes;   ///< where they stood, each once
  std::vector<uint32_t> counts;   ///< how many at each
  template <class V> void each(V&& v) {
    v("lineage", lineage); v("whole_lineage", whole_lineage); v("tokens", tokens);
    v("nodes", nodes); v("counts", counts);
  }
};
struct SignalReceived {
  std::string name;
  std::string id;
  Value payload;
  std::string traceparent{};
  template <class V> void each(V&& v) {
    v("name", name); v("id", id); v("payload", payload); v("traceparent", traceparent);
  }
};
struct RunMigrated {
  uint32_t from_version = 0;
  uint32_t to_version = 0;
  DefinitionHash hash;
  std::vector<NodeIndex> node_map;  ///< old index to new, no_node where it has none
  std::vector<EdgeIndex> edge_map;
  template <class V> void each(V&& v) {
    v("from_version", from_version); v("to_version", to_version); v("hash", hash);
    v("node_map", node_map); v("edge_map", edge_map);
  }
};
/// A job was ordered; its end settles the activation (G-34).
struct JobRequested {
  Activation activation;
  JobId job;
  std::string idempotency_key;
  template <class V> void each(V&& v) {
    v("activation", activation); v("job_id", job); v("idempotency_key", idempotency_key);
  }
};
/// Another run was ordered (G-35). `detached`: the activation does not wait for its end.
struct ChildRequested {
  Activation activation;
  RunId child;
  bool detached = false;
  bool kept = false;  ///< goes on when this run ends
  template <class V> void each(V&& v) {
    v("activation", activation); v("execution_id", child); v("detached", detached);
    v("kept", kept);
  }
};
struct SignalSent {
  Activation activation;
  RunId to;
  std::string name;
  template <class V> void each(V&& v) {
    v("activation", activation); v("execution_id", to); v("name", name);
  }
};
struct RunCompleted {
  Value output;
  template <class V> void each(V&& v) { v("output", output); }
};
struct RunFailed {
  Value error;
  template <class V> void each(V&& v) { v("error", error); }
};
struct RunCancelled {
  std::string reason;
  std::string by;
  template <class V> void each(V&& v) { v("reason", reason); v("by", by); }
};
struct RunTimedOut {
  template <class V> void each(V&&) {}
};
/// The machine of a script has run until every fiber was parked, the script had ended or its slice
/// was used up (F-41). With `outcome` the fold is spared running it again.
struct FlowResumed {
  std::string by;  ///< id of what was awaited, or `start`
  uint64_t entropy = 0;
  Value limits;  ///< those that were not the defaults
  Value zones;   ///< what it was told of time zones, in the order it asked, or null
  std::shared_ptr<flow::Execution> outcome;  ///< not stored
  template <class V> void each(V&& v) {
    v("by", by); v("entropy", entropy); v("limits", limits); v("zones", zones);
  }
};
/// Something a script waits for, or might wait for, has ended (F-42).
struct FlowSettled {
  uint32_t number = 0;
  flow::AwaitableKind kind = flow::AwaitableKind::task;
  flow::AwaitableStatus status = flow::AwaitableStatus::completed;
  Value result;
  Value about;  ///< {name, node}
  template <class V> void each(V&& v) {
    v("number", number); v("kind", kind); v("status", status); v("result", result);
    v("about", about);
  }
};
struct FlowTimerFired {
  uint32_t number = 0;
  Value about;
  template <class V> void each(V&& v) { v("number", number); v("about", about); }
};
/// The script is to end: `finally` blocks run unless forced (F-53), or it fails at once.
struct FlowEnding {
  flow::FlowEnd end = flow::FlowEnd::cancelled;
  std::string reason;
  std::string by;
  bool force = false;
  int64_t grace_ms = 0;
  Value error;
  template <class V> void each(V&& v) {
    v("end", end); v("reason", reason); v("by", by); v("force", force); v("grace_ms", grace_ms);
    v("error", error);
  }
};
enum class FlowNote : uint8_t {
  task_started, timer_armed, timer_cancelled, child_started, signal_sent, approval_opened,
  work_cancelled, signal_taken, logged, warned, progressed, labelled, parked
};
/// What a script asked for or told, in the order it happened (F-47).
struct FlowNoted {
  FlowNote note = FlowNote::logged;
  uint32_t number = 0;
  Value about;
  template <class V> void each(V&& v) { v("note", note); v("number", number); v("about", about); }
};

/// A wait was cancelled alone: nothing fires any more, its token stays (W-64).
struct WaitCancelled {
  std::string wait;
  std::string reason;
  std::string by;
  template <class V> void each(V&& v) { v("wait_id", wait); v("reason", reason); v("by", by); }
};
/// The same wait has another instant (W-16, W-48).
struct WaitChanged {
  std::string wait;
  std::optional<Instant> due;
  Value config;
  Value intent;
  std::string cause;  ///< user, tzdata or contact
  std::string by;
  template <class V> void each(V&& v) {
    v("wait_id", wait); v("due_at", due); v("config", config); v("intent", intent);
    v("cause", cause); v("by", by);
  }
};
/// Its timer and listeners are withdrawn until it is released (W-65).
struct WaitHeld {
  std::string wait;
  std::string reason;
  std::string by;
  template <class V> void each(V&& v) { v("wait_id", wait); v("reason", reason); v("by", by); }
};
struct WaitReleased {
  std::string wait;
  std::string by;
  template <class V> void each(V&& v) { v("wait_id", wait); v("by", by); }
};
/// A wait fell due while its run was paused; it resumes now that the run goes on (G-95).
struct TimerHeld {
  Activation activation;
  std::string timer_id;
  Instant due;
  template <class V> void each(V&& v) {
    v("activation", activation); v("timer_id", timer_id); v("due_at", due);
  }
};
/// A listener of a wait has heard what it was for (W-62). Whether that ends the wait is told by the
/// event after it.
struct SignalMatched {
  std::string wait;
  uint32_t listener = 0;
  std::string signal_id;
  Value signal;  ///< as the next step sees it
  template <class V> void each(V&& v) {
    v("wait_id", wait); v("listener", listener); v("event_id", signal_id); v("event", signal);
  }
};
/// The machine could not be run. Nothing has changed; it is tried again later (F-49).
struct FlowFaulted {
  std::string code;
  std::string message;
  uint32_t attempt = 0;
  Instant retry_at;
  template <class V> void each(V&& v) {
    v("code", code); v("message", message); v("attempt", attempt); v("retry_at", retry_at);
  }
};
/// The script goes on in another version, from the state that its own was turned into (F-56).
struct FlowMigrated {
  uint32_t from_version = 0;
  uint32_t to_version = 0;
  DefinitionHash hash;
  std::string state;  ///< core/flow/durable/execution_bytes.h
  template <class V> void each(V&& v) {
    v("from_version", from_version); v("to_version", to_version); v("hash", hash);
    v("state", state);
  }
};
/// A wait of the API was opened, or could not be (W-11, W-75). `takes`: what a cancelled
/// wait has left behind, its token or its own number; 0: nothing.
struct WaitRegistered {
  uint64_t takes = 0;
  Wait wait;
  std::string by;
  template <class V> void each(V&& v) { v("takes", takes); v("wait", wait); v("by", by); }
};
/// The position in this list is the stored tag: only ever add at the end. A run has one start,
/// which is three times as large as any other event.
using EventBody =
    std::variant<Box<RunStarted>, RunPaused, RunUnpaused, NodeStarted, CallRequested, NodeSucceeded,
                 NodeFailed, NodeRetryScheduled, WaitOpened, WaitResumed, SplitOpened, SlotResolved,
                 SplitClosed, MergeArrived, MergeRecounted, MergeOpened, MergeFailed,
                 ArrivalIgnored, TokenEnded, NodesSkipped, TokensCancelled, SignalReceived,
                 RunMigrated, RunCompleted, RunFailed, RunCancelled, RunTimedOut, JobRequested,
                 ChildRequested, SignalSent, FlowResumed, FlowSettled, FlowTimerFired, FlowEnding,
                 FlowNoted, WaitCancelled, WaitChanged, WaitHeld, WaitReleased,
                 FlowFaulted, FlowMigrated, ApprovalRequested, ApprovalDecided, WaitRegistered,
                 WaitEnded, SignalMatched, GoalAchieved, SagaRecorded, RollbackRequested,
                 RollbackStarted, StopAnswered, UndoSubmitted, UndoEnded, UndoResumed,
                 RollbackEnded, SagaJoined, ResumeFailed, JobOutputWithdrawn, TimerHeld,
                 RunKeyed, EntryVacated, TokensArrived, TokenSent, TokenTaken>;
std::string_view type_name(const EventBody& body);

/// What lists the fields of an event.
template <class Body>
Body& fields_of(Body& body) {
  return body;
}
template <class Body>
Body& fields_of(Box<Body>& body) {
  return *body;
}

/// The start that this event is, or null.
inline const RunStarted* start_in(const EventBody& body) {
  const auto* box = std::get_if<Box<RunStarted>>(&body);
  return box ? &**box : nullptr;
}

struct Event {
  uint64_t sequence = 0;
  Instant at;
  EventBody body;
};

}  // namespace fermata
