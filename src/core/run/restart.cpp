#include "core/run/decide.h"
#include "core/run/history.h"
#include "core/run/restart_parts.h"
#include "core/run/tokens.h"
#include "core/saga/saga.h"

namespace fermata::restart {

namespace {

struct Halt {
  uint64_t before = 0;            ///< sequence of the last event before the end began
  TokenId token = 0;              ///< whose failure ended the run, if one's did
  std::optional<MergeKey> merge;  ///< the merge whose timeout did
  ScopeId scope = 0;              ///< the split whose aggregator's timeout did
};

bool part_of_the_end(const EventBody& body) {
  if (std::holds_alternative<NodesSkipped>(body)) return true;
  const auto* cancelled = std::get_if<TokensCancelled>(&body);
  return cancelled && cancelled->whole_lineage && cancelled->lineage.outside();
}

/// An aggregator that was too late starts anew with its branches: back to before they were
/// cancelled.
Halt before_timeout(const std::vector<Event>& events, size_t failed) {
  Halt halt{events[failed].sequence - 1, 0, {}, 0};
  if (failed == 0) return halt;
  const auto* closed = std::get_if<SplitClosed>(&events[failed - 1].body);
  if (!closed || !closed->timed_out) return halt;
  size_t at = failed - 1;
  while (at > 0) {
    const auto* cancelled = std::get_if<TokensCancelled>(&events[at - 1].body);
    if (!cancelled || cancelled->lineage.scope != closed->scope) break;
    --at;
  }
  halt.before = events[at].sequence - 1;
  halt.scope = closed->scope;
  return halt;
}

/// Where the run broke: the failure that ended it stands before what the end took with it.
Outcome<Halt> find_halt(const Source& source) {
  FERMATA_TRY(events, decode_history(source.history.back()));
  size_t at = events.size() - 1;
  while (at > 0 && part_of_the_end(events[at - 1].body)) --at;
  Halt halt{events[at].sequence - 1, 0, {}, 0};
  if (at == 0) return halt;
  const Event& last = events[at - 1];
  // A resume that was given up: the wait stands there again.
  if (std::holds_alternative<ResumeFailed>(last.body)) return Halt{last.sequence - 1, 0, {}, 0};
  const auto* node = std::get_if<NodeFailed>(&last.body);
  const auto* merge = std::get_if<MergeFailed>(&last.body);
  if (node && node->policy == graph::ErrorPolicy::halt) {
    if (node->error.get("code") == Value("aggregate_timeout"))
      return before_timeout(events, at - 1);
    return Halt{last.sequence - 1, node->activation.token, {}, 0};
  }
  if (merge && merge->policy == graph::ErrorPolicy::halt)
    return Halt{last.sequence - 1, 0, MergeKey{merge->lineage, merge->node, merge->visit}, 0};
  return halt;
}

/// What ran out of time gets its time anew: the deadline is set when the new run starts.
void forget_deadlines(Run& run, const Halt& halt) {
  if (halt.merge) {
    Merge& merge = run.merges.at(*halt.merge);
    if (merge.deadline) run.timers.erase({*merge.deadline, TimerKind::merge, merge.id});
    merge.deadline.reset();
  }
  if (halt.scope == 0) return;
  Scope& scope = run.scopes.at(halt.scope);
  if (scope.deadline) run.timers.erase({*scope.deadline, TimerKind::scope, halt.scope});
  scope.deadline.reset();
}

}  // namespace

Outcome<Run> state_at(const Source& source, uint64_t last_sequence) {
  return fold_until(source.summary.id, source.history, source.definitions.lookup(), last_sequence);
}

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
  // What was done so far stays to be undone, should the new run need that.
  Saga saga;
  saga.entries = std::move(run.saga.entries);
  for (SagaEntry& entry : saga.entries) entry.status = UndoStatus::recorded;
  run.saga = std::move(saga);
}

void start_anew(Run& run, TokenId id) {
  Token token = take_token(run, id);
  token.parked = Parked::ready;
  token.due.reset();
  token.attempt = 1;
  token.parameters = {};
  auto& visits = run.branch(token.lineage).visits;
  if (uint32_t* next = visits.find(token.node)) *next = token.visit;
  add_token(run, id, std::move(token));
}

/// Moves a state to another version, as the event of a migration would.
static Outcome<void> move_to(Run& run, const MigrationTarget& target) {
  if (target.definition->hash == run.definition->hash) {
    run.workflow_version = target.workflow_version;
    return {};
  }
  FERMATA_TRY(event, plan_migration(run, target));
  run.definition = target.definition;
  evolve(run, {run.last_sequence + 1, run.last_at, std::move(event)});
  return {};
}

Outcome<Value> migration_plan(const Source& source, const MigrationTarget& target) {
  if (is_terminal(source.summary.status))
    return fail(ErrorCode::run_finished, "the execution has ended");
  if (source.definitions.latest->is_script()) return script_migration_plan(source, target);
  FERMATA_TRY(run, state_at(source, source.summary.last_sequence));
  std::set<NodeIndex> before = run.done;
  graph::DefinitionRef old = run.definition;
  FERMATA_TRY_VOID(move_to(run, target));
  Value warnings = Value::array();
  for (NodeIndex node : before)
    if (!target.definition->node_by_id(old->nodes[node].id) &&
        !target.map.find(old->nodes[node].id))
      warnings.push("the output of " + old->nodes[node].id +
                    " is lost: the other version does not have it");
  // Nothing starts anew: what is under way goes on.
  return Value::object({{"repeat", Value::array()},
                        {"reuse", node_names(run, run.done)},
                        {"cancel", Value::array()},
                        {"warnings", std::move(warnings)}});
}

Outcome<void> refuse_external(const Source& source) {
  if (!source.definitions.latest->external) return {};
  return fail(ErrorCode::rerun_not_possible,
              "the execution has no program here; register another one");
}

Outcome<Seed> retry(const Source& source, const std::optional<MigrationTarget>& target) {
  FERMATA_TRY_VOID(refuse_external(source));
  RunStatus status = source.summary.status;
  if (!is_terminal(status))
    return fail(ErrorCode::run_not_finished, "the execution has not ended yet");
  if (status != RunStatus::failed && status != RunStatus::timed_out)
    return fail(ErrorCode::run_not_failed, "the execution has not failed");
  if (source.summary.exit_reason == saga::rolled_back)
    return fail(ErrorCode::run_rolled_back, "what the execution had done is undone");
  if (source.definitions.latest->is_script()) return retry_script(source, target);
  FERMATA_TRY(halt, find_halt(source));
  if (halt.before == 0)
    return fail(ErrorCode::rerun_not_possible, "the execution failed before its first node");
  FERMATA_TRY(run, state_at(source, halt.before));
  // Before the move: what halted is named as the old version names it.
  forget_deadlines(run, halt);
  if (target) FERMATA_TRY_VOID(move_to(run, *target));
  // The work is the same work: the run key stays, so calls carry the same keys (G-39).
  detach(run);
  auto failed = run.tokens.find(halt.token);
  if (failed != run.tokens.end() && failed->second.parked != Parked::ready)
    start_anew(run, halt.token);
  return seed_of(std::move(run), source);
}

Outcome<Seed> rollback(const Source& source) {
  if (!is_terminal(source.summary.status))
    return fail(ErrorCode::run_not_finished, "the execution has not ended yet");
  if (source.summary.exit_reason == saga::rolled_back)
    return fail(ErrorCode::run_rolled_back, "what the execution had done is undone");
  FERMATA_TRY(ended, state_at(source, source.summary.last_sequence));
  Run run;
  run.definition = saga::saga_definition();
  run.input = Value::object();
  run.trigger = Value::object();
  run.trigger_kind = "rollback";
  run.workflow_version = 0;
  run.saga.entries = std::move(ended.saga.entries);
  Seed seed;
  Value undo = Value::array();
  for (auto entry = run.saga.entries.rbegin(); entry != run.saga.entries.rend(); ++entry)
    if (!is_settled(entry->status)) undo.push(entry->job.text());
  if (undo.size() == 0)
    return fail(ErrorCode::nothing_to_undo, "the execution has done nothing that can be undone");
  seed.plan = Value::object({{"undo", std::move(undo)}});
  seed.state = std::make_shared<const Run>(std::move(run));
  return seed;
}

}  // namespace fermata::restart
