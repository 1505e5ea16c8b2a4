#pragma once
#include "core/graph/nodes/node.h"
#include "core/run/step.h"

/// How a graph moves: tokens run their nodes until every one is parked or gone, merges are judged
/// when none is ready, the run ends when nothing is alive. One concern per file of this folder.
namespace fermata::graph {

// given.cpp
/// What an expression may know and use up within this decision. Its steps come out of the pool of
/// the activation under way, which `begin_activation` fills.
flow::EvalGiven expression_given(Step& step);
/// The same for the source of a code node.
flow::EvalGiven code_given(Step& step);
void begin_activation(Step& step);

// advance.cpp
/// Runs to quiescence, or until the decision has spent its share of activations.
void advance(Step& step);
/// Runs one node for a ready token (or one whose start has come).
void run_node(Step& step, TokenId id);
void finish_node(Step& step, TokenId id, NodeOutput done);

// hops.cpp
/// Steps to a next node go by a broker, and this token has not come by it (C-60).
bool goes_by_broker(const Step& step, TokenId id);
/// Parks the token until it comes back.
void send_hop(Step& step, TokenId id);

// limits.cpp
/// The limits that end a run rather than a node (G-110); empty while it is within them.
std::optional<NodeError> over_limit(const Step& step);
/// Fails the run when what its tokens know has grown too large.
std::optional<NodeError> context_over_limit(Step& step, TokenId id);
/// The visit limit of a node (G-6), when the visit that is about to begin goes beyond it.
std::optional<NodeError> over_visits(const Step& step, const Node& node, uint32_t visit);
/// A value nested deeper than a record can hold.
std::optional<NodeError> too_deep(const Step& step, const Value& value);

// finish.cpp
void complete_if_done(Step& step);
void tell_skipped(Step& step);
void fail_run(Step& step, Value error);
void time_out_run(Step& step);
/// Ends the run as a step asked for it: cancelled, with the reason.
void exit_run(Step& step, std::string reason);
/// Cancels all that lives; effects tell calls to stop.
void cancel_everything(Step& step);
void cancel_branch(Step& step, Lineage lineage);
void cancel_tokens(Step& step, Lineage lineage, const std::vector<TokenId>& tokens);

// failure.cpp
/// A failed attempt: retried if the policy says so, else concluded by the error policy.
void fail_node(Step& step, TokenId id, NodeError error, std::optional<int64_t> retry_after_ms = {});
/// Error object of G-22.
Value error_object(const NodeError& error, const Node& node, uint32_t attempts);
/// What halting means where it happened: the innermost split's slot, or the run (G-21, G-69).
void halt_at(Step& step, Lineage lineage, const Value& error);
/// The retry rule in force for a node, http's own parameters included (G-38).
RetryPolicy retry_policy_of(const Node& node, const Value& parameters);

// split.cpp
/// The deadline of a merge or an aggregator: none for 0 seconds, at most a thousand years away.
std::optional<Instant> after_seconds(Instant from, double seconds);
void open_split(Step& step, TokenId id, const Value& parameters);
void arrive_at_aggregator(Step& step, TokenId id);
void run_gathered(Step& step, TokenId id);
void fire_scope_timeout(Step& step, ScopeId scope);
/// Resolves the slot of a branch in which nothing is alive, and closes what that completes.
void settle(Step& step, Lineage lineage);
void close_scope(Step& step, ScopeId id, bool timed_out);
void resolve_slot(Step& step, SlotResolved resolved);

// merge.cpp
void arrive_at_merge(Step& step, TokenId id);
void fire_merge_timeout(Step& step, uint64_t merge);
/// Has all pending merges judged: an earlier decision may have moved tokens and stopped before.
void touch_pending_merges(Step& step);
/// Opens, in each lineage that moved, the first merge that can get nothing more; true if one did.
bool judge_merges(Step& step);

// takeover.cpp
/// Gives merges and aggregators without a deadline theirs, counted from `at`.
void renew_deadlines(Run& state, Instant at);
/// Goes on with a state made by another run: places its calls, finishes what it had begun.
void take_over(Step& step);

// calls.cpp, http.cpp, smtp.cpp
/// The same for every attempt, so that the other side can tell a repeat (G-39).
std::string idempotency_key_of(const Run& run, const Activation& activation);
/// Nodes that call outside: http and smtp.
void start_call(Step& step, TokenId id, Value parameters);
void take_answer(Step& step, const CallAnswer& answer);
/// Places every call that the state says is under way: a new run that took over another's state.
void place_calls(Step& step);
/// Places a call again that may have been sent; with `at_most_once` it fails instead (G-39).
void place_lost_call(Step& step, TokenId id);
/// Derived from the activation, so a repeat makes no second timer (G-82).
std::string timer_id_of(const Run& run, const Activation& activation);
/// {resume_at, resume_at_ms, timer_id} of what is parked until then.
Value suspend_output(Instant resume_at, const std::string& timer_id);

// parked.cpp
void start_wait(Step& step, TokenId id, const Value& parameters);
void start_signal_wait(Step& step, TokenId id, const Value& parameters);
/// Wakes the first token that waits for a signal of this name, if one was kept.
void offer_signals(Step& step, const std::string& name);
/// The same for every kept signal: those that came during a pause.
void offer_kept_signals(Step& step);
void fire_token_timer(Step& step, TokenId id);
/// The edges a wait is left by: all, or the one that `branch` names by its id or where it leads;
/// nothing when there is no such edge.
std::optional<std::vector<EdgeIndex>> edges_to(const Run& run, TokenId id,
                                               const std::string& branch);
/// Whether a branch of the node with this id is called so, by the step it leads to or by its edge.
bool has_branch(const Definition& definition, std::string_view node, std::string_view branch);
/// The token at a wait leaves it because of what its date has become (W-42); the plan is past or
/// missing.
struct WaitPlan;
void follow_date(Step& step, TokenId id, const WaitPlan& plan);
/// A user lets the token at a wait go on (W-15).
void resume_by_hand(Step& step, TokenId id, const Value& event, std::vector<EdgeIndex> edges);
/// The token at a wait whose date had passed goes on, along one branch if it names one (R7).
void resume_past_date(Step& step, TokenId id, const std::string& branch, const std::string& by);

}  // namespace fermata::graph
