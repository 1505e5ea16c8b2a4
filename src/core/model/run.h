#pragma once
#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/fifo.h"
#include "base/flat.h"
#include "core/flow/durable/execution.h"
#include "core/flow/durable/outgoing.h"
#include "core/model/approval.h"
#include "core/model/branches.h"
#include "core/model/command.h"
#include "core/model/context.h"
#include "core/model/saga.h"
#include "core/model/summary.h"
#include "core/model/wait.h"

/// The state of a run. Only `evolve` (core/run/decide.h) changes it; everything here is the fold of
/// the run's history over its definition.
namespace fermata {

/// Where in the nest of splits something stands: branch `item` of an open scope. Scope 0 is the
/// run itself, outside every split.
struct Lineage {
  ScopeId scope = 0;
  uint32_t item = 0;
  auto operator<=>(const Lineage&) const = default;
  bool outside() const { return scope == 0; }
  template <class V> void each(V&& v) { v("scope", scope); v("item", item); }
};

enum class Parked : uint8_t {
  ready,   ///< not parked: its node is to be run
  started, ///< its activation has begun and asks for something in the same decision
  start,   ///< the run begins at an instant to come
  call,    ///< an HTTP answer
  timer,   ///< a wait node
  retry,   ///< the pause before the next attempt
  signal,  ///< wait_for_signal
  job,     ///< the end of a job
  child,   ///< the end of another run
  sent,    ///< whether a signal reached its run
  approval,  ///< the answer of people
  event,   ///< a signal to the contact, the run or the account (for_event)
  bus,     ///< sent by a broker, to come back (C-60)
};

/// True when the work is done by another root, which will report.
constexpr bool is_ordered(Parked parked) {
  return parked == Parked::job || parked == Parked::child || parked == Parked::sent;
}

/// When steps began that a wait further on may look back to (W-56); `no_node` stands for the last
/// one that called outside.
using StepStarts = FlatMap<NodeIndex, Instant>;

/// A point of control.
struct Token {
  NodeIndex node = graph::no_node;
  EdgeIndex edge = graph::no_edge;  ///< over which it came
  Lineage lineage;
  Parked parked = Parked::ready;
  uint32_t visit = 0;
  uint32_t attempt = 1;
  ScopeId gathers = 0;  ///< at an aggregator: the closed scope whose slots it reads
  Instant since;        ///< when this activation started
  std::optional<Instant> due;
  Context context;
  Value payload;
  Value parameters;     ///< as evaluated at the start of the activation, for later attempts
  StepStarts starts{};  ///< on its way
};

enum class SlotOutcome : uint8_t { open, value, ended, error };
struct Slot {
  SlotOutcome outcome = SlotOutcome::open;
  Value value;
};

/// An open split: the array is stored once, a branch is an index into it.
struct Scope {
  NodeIndex split = graph::no_node;
  uint32_t visit = 0;
  Lineage outer;
  EdgeIndex edge = graph::no_edge;  ///< over which the split was reached
  Context base;        ///< of the split's token, with `$Split`
  Value payload;       ///< the split's token's
  Value items;
  uint32_t batch_size = 1;
  uint32_t total = 0;  ///< branches
  uint32_t max_parallel = 0;
  uint32_t started = 0;
  uint32_t resolved = 0;
  uint32_t failed = 0;
  bool halt_on_item_error = false;
  bool closed = false;  ///< its aggregator's token reads the slots
  bool timed_out = false;
  Instant opened_at;
  std::optional<Instant> deadline;
  Branches branches;
  std::vector<Slot> slots;
  StepStarts starts{};  ///< of the split's token
  std::set<uint32_t> awaited{};      ///< branches that another program has not sent yet (C-56)
  std::map<uint32_t, Value> given{};  ///< items as others sent them; `items` holds none of those
};

struct MergeKey {
  Lineage lineage;
  NodeIndex node = graph::no_node;
  uint32_t visit = 0;
  auto operator<=>(const MergeKey&) const = default;
};
struct Arrival {
  EdgeIndex edge = graph::no_edge;
  Context context;
  Value payload;
  StepStarts starts{};
};
/// Pending from its first arrival; then closed, a tombstone as long as its lineage lives.
struct Merge {
  bool closed = false;
  uint64_t id = 0;  ///< names its timer
  Instant since;
  std::optional<Instant> deadline;
  Value parameters;
  std::vector<Arrival> arrivals;
  uint32_t arrived = 0;  ///< edges, as last told
  uint32_t expected = 0;
  std::vector<NodeIndex> missing;
};

/// `script` stands for the first of all that a script has armed; `wait` is one that parks no token;
/// `undo` the first instant at which a stopped job's worker is waited for no longer.
enum class TimerKind : uint8_t { token, merge, scope, run, script, wait, undo };
/// Ordered as timers fire: by due time, then kind and id.
struct RunTimer {
  Instant due;
  TimerKind kind = TimerKind::token;
  uint64_t id = 0;
  auto operator<=>(const RunTimer&) const = default;
};

/// What a wait is known by inside its run: who opened it, and the token that stands at it, the
/// awaitable of a script, or a number of its own.
struct WaitKey {
  WaitSource source = WaitSource::graph;
  uint64_t number = 0;
  auto operator<=>(const WaitKey&) const = default;
};

/// How the latest wait at a step ended: what it used is not used there again (W-58).
struct StepEnd {
  Instant at;
  uint32_t opened = 0;            ///< waits at the step until then
  std::set<std::string> signals;  ///< that ended waits there at that instant
};

struct KeptSignal {
  std::string name;
  std::string id;
  Value payload;
  Instant at;
};

/// What the tokens that ended at a node knew.
struct Ended {
  Value output;  ///< the node's latest
  Context context;
};

struct Run {
  RunId id;
  AccountId account;
  WorkflowId workflow;
  uint32_t workflow_version = 0;
  graph::DefinitionRef definition;
  Value input;
  Value trigger;
  std::string trigger_kind;
  Value labels;
  std::string contact_id;
  RunId parent;
  Origin origin;
  /// What idempotency keys are made from: the run's id, that of the run it retries (G-39), or what
  /// its parent gives it.
  RunId run_key;
  std::string request_hash;

  RunStatus status = RunStatus::running;  ///< running, paused or terminal; waiting is derived
  Instant started_at;
  Instant last_at;  ///< of the latest event: a history never goes back in time
  std::optional<Instant> completed_at;
  std::optional<Instant> timeout_at;
  std::optional<Instant> paused_at;
  Value output;
  Value error;
  std::string exit_reason;

  uint64_t last_sequence = 0;  ///< 0: the run does not exist
  TokenId next_token = 1;
  ScopeId next_scope = 1;
  uint64_t activations = 0;
  uint64_t value_bytes = 0;  ///< of all outputs so far, about
  uint32_t calls = 0;   ///< tokens parked on calls
  uint32_t orders = 0;  ///< tokens parked on jobs, children and signals sent
  std::string parent_ref;  ///< what the parent knows this run by, or empty
  uint32_t depth = 0;      ///< parents above it
  RunTrace trace;
  std::vector<DefinitionHash> definitions;  ///< all that its history speaks of, the latest last
  std::set<RunId> children;  ///< not waited for, to be stopped should this run not complete

  std::map<TokenId, Token> tokens;
  Fifo<TokenId> ready;  ///< in the order they became ready; may name tokens that are gone
  Branch root;
  std::map<ScopeId, Scope> scopes;
  std::map<MergeKey, Merge> merges;
  std::map<uint64_t, MergeKey> pending_merges;  ///< by id
  std::set<RunTimer> timers;
  std::list<KeptSignal> signals;
  std::set<std::string> signal_ids;

  /// Those that are pending, and cancelled ones whose token still stands there (W-64).
  std::map<WaitKey, Wait> waits;
  std::map<std::string, WaitKey, std::less<>> wait_keys;  ///< of `waits`, by id
  std::map<std::string, uint32_t> waits_opened;  ///< so far, by step
  uint32_t waits_counted = 0;  ///< of its waits, those that count in the account's limit (W-80)
  uint64_t endings = 0;  ///< of its waits and of itself, those that others are told of (W-72)
  std::map<std::string, StepEnd> event_ends;     ///< of waits that listen, by step
  /// Waits as the latest events left them, in order, for whoever writes them down. Not part of the
  /// state: left by the fold for the decision at hand.
  std::vector<Wait> wait_changes;

  std::string started_by;  ///< whoever asked for it, also through another run; or empty
  /// Questions that people have not answered yet, by token or awaitable.
  std::map<uint64_t, Approval> approvals;
  std::vector<Approval> approval_changes;  ///< as wait_changes

  Saga saga;
  std::optional<bool> rolls_back;  ///< what a failure does, when the start says so

  std::set<std::string> goals;  ///< reached so far
  std::map<NodeIndex, Ended> ended;  ///< where tokens ended outside splits
  std::set<NodeIndex> done;     ///< nodes outside splits that ended at least once
  std::set<NodeIndex> skipped;  ///< told as never to run
  bool fed = false;  ///< more tokens may come from outside (C-58)

  /// What a script has come to; null when the run is a graph or has ended. Copies of the run share
  /// it, so it is changed only through `own_script`.
  std::shared_ptr<flow::Execution> script;
  std::optional<Instant> script_begins;  ///< while its start is still to come
  Instant script_ran;                    ///< when its machine last ran
  Value script_progress;                 ///< {planned, done} as it tells them, or null
  std::string script_ended_by;           ///< who cancelled it, while it cleans up
  uint32_t script_faults = 0;              ///< attempts to run its machine that failed in a row
  std::optional<Instant> script_retry_at;  ///< when the next one is made
  /// What a run made from another one orders anew when it starts; of a seed alone.
  std::vector<flow::Outgoing> script_orders;
  /// What the latest event made the script ask for. Left by the fold for the decision at hand.
  std::vector<flow::Outgoing> script_asks;
  flow::Execution& own_script();

  bool exists() const { return last_sequence > 0; }
  bool finished() const { return is_terminal(status); }
  bool paused() const { return status == RunStatus::paused; }
  Branch& branch(Lineage lineage);
  const Branch& branch(Lineage lineage) const;
};

/// What the store keeps beside the history.
RunSummary summarize(const Run& run);
/// The status people see: `waiting` when every live token is parked on a timer, signal or merge.
RunStatus shown_status(const Run& run);
/// True when a token is ready and the run is not paused: it wants to go on at once.
bool has_ready_work(const Run& run);

}  // namespace fermata
