#include "core/run/api_waits.h"
#include "sim/auditors/auditor.h"

namespace fermata::sim {

namespace {

/// Tokens, branches, scopes, merges, timers and counters say the same thing in different ways.
class StateAuditor final : public Auditor {
 public:
  void written(const Run& run, const RunSummary& summary) override {
    if (summary != summarize(run)) violate(run, "the stored summary is not that of the state");
    if (run.finished()) return nothing_left(run, summary);
    due_in_time(run, summary);
    // A script has none of what follows; script_state.cpp looks at it.
    if (run.script) return;
    timers_.clear();
    merges_ = 0;
    tokens(run);
    branch(run, {}, run.root);
    for (const auto& [id, scope] : run.scopes) scope_agrees(run, id, scope);
    merges(run);
    waits_of_the_api(run);
    if (run.timeout_at) timers_.insert({*run.timeout_at, TimerKind::run, 0});
    saga(run);
    if (timers_ != run.timers) violate(run, "the timers are not those of what waits");
    if (merges_ != run.pending_merges.size()) violate(run, "branches miscount their merges");
    // In a pause the last answer is recorded; the end comes when the run goes on.
    if (!run.root.alive() && !run.paused() && !held_open(run) && !run.saga.rolling_back)
      violate(run, "nothing is alive, but the run goes on");
  }

 private:
  void saga(const Run& run) {
    std::optional<Instant> due;
    if (!run.saga.rolling_back && run.saga.members.empty()) due = run.saga.idle_until;
    for (const AwaitedStop& stop : run.saga.awaited)
      if (stop.until && (!due || *stop.until < *due)) due = stop.until;
    if (due) timers_.insert({*due, TimerKind::undo, 0});
    if (run.saga.rolling_back && run.root.alive()) violate(run, "a run that is undone goes on");
  }
  void waits_of_the_api(const Run& run) {
    for (const auto& [key, wait] : run.waits) {
      bool armed = is_pending(wait.status) && (wait.hold.empty() || wait.hold == "run_paused");
      if (key.source == WaitSource::api && armed && wait.due)
        timers_.insert({*wait.due, TimerKind::wait, key.number});
    }
  }
  void nothing_left(const Run& run, const RunSummary& summary) {
    if (summary.next_due || summary.calls_pending > 0)
      violate(run, "an ended run wants to be looked at");
    if (!run.tokens.empty() || !run.timers.empty() || !run.pending_merges.empty() ||
        !run.scopes.empty() || run.root.alive() || run.calls != 0)
      violate(run, "something is left of an ended run");
  }
  void due_in_time(const Run& run, const RunSummary& summary) {
    if (run.paused()) return;
    if (has_ready_work(run) && !summary.next_due) violate(run, "ready work is not due");
    if (run.timers.empty()) return;
    if (!summary.next_due || *summary.next_due > run.timers.begin()->due)
      violate(run, "next_due is later than the earliest timer");
  }
  void tokens(const Run& run) {
    uint32_t calls = 0;
    for (const auto& [id, token] : run.tokens) {
      if (!alive(run, token.lineage) || !run.branch(token.lineage).tokens.contains(id))
        violate(run, "a token is not in its branch");
      if (token.parked == Parked::call) ++calls;
      if (token.parked == Parked::started) violate(run, "a token has started and does not park");
      if (token.due) timers_.insert({*token.due, TimerKind::token, id});
      bool due_needed = token.parked == Parked::timer || token.parked == Parked::retry ||
                        token.parked == Parked::start;
      auto wait = run.waits.find({WaitSource::graph, id});
      bool quiet = wait != run.waits.end() &&
                   (!is_pending(wait->second.status) || !wait->second.hold.empty());
      if (due_needed && !token.due && !quiet)
        violate(run, "a token waits for a time that is not set");
      if (token.gathers != 0 && !run.scopes.contains(token.gathers))
        violate(run, "a token reads a scope that is gone");
    }
    if (calls != run.calls) violate(run, "the calls are miscounted");
  }
  void scope_agrees(const Run& run, ScopeId id, const Scope& scope) {
    if (scope.closed) {
      for (const auto& [token, at] : run.tokens)
        if (at.gathers == id) return;
      violate(run, "nobody reads a closed scope");
    }
    if (!alive(run, scope.outer) || !run.branch(scope.outer).scopes.contains(id))
      violate(run, "a scope is not in its branch");
    if (scope.deadline) timers_.insert({*scope.deadline, TimerKind::scope, id});
    uint32_t resolved = 0, failed = 0;
    for (const Slot& slot : scope.slots) {
      if (slot.outcome != SlotOutcome::open) ++resolved;
      if (slot.outcome == SlotOutcome::error) ++failed;
    }
    if (resolved != scope.resolved || failed != scope.failed)
      violate(run, "a scope miscounts its slots");
    if (resolved == scope.total) violate(run, "all slots are resolved, but the scope is open");
    if (scope.branches.size() + resolved != scope.started)
      violate(run, "a scope has lost a branch");
    if (scope.max_parallel > 0 && scope.branches.size() > scope.max_parallel)
      violate(run, "more branches than max_parallel");
    uint32_t most = scope.max_parallel == 0 ? scope.total : scope.max_parallel;
    if (scope.started < scope.total && scope.branches.size() < most)
      violate(run, "a branch could start and does not");
    for (auto [item, inner] : scope.branches) {
      branch(run, {id, item}, inner);
      bool awaited = scope.awaited.contains(item);
      if (awaited == inner.alive()) violate(run, "a branch with nothing alive is not resolved");
    }
  }
  void branch(const Run& run, Lineage lineage, const Branch& branch) {
    for (TokenId id : branch.tokens)
      if (!run.tokens.contains(id) || run.tokens.at(id).lineage != lineage)
        violate(run, "a branch names a token that is not there");
    for (ScopeId id : branch.scopes)
      if (!run.scopes.contains(id) || run.scopes.at(id).closed)
        violate(run, "a branch names a scope that is not open");
    merges_ += branch.merges;
  }
  void merges(const Run& run) {
    for (const auto& [id, key] : run.pending_merges) {
      auto found = run.merges.find(key);
      if (found == run.merges.end() || found->second.closed || found->second.id != id)
        violate(run, "a pending merge is not there");
      if (found->second.arrivals.empty()) violate(run, "a pending merge holds nothing");
      if (found->second.deadline) timers_.insert({*found->second.deadline, TimerKind::merge, id});
    }
    for (const auto& [key, merge] : run.merges)
      if (!alive(run, key.lineage)) violate(run, "a merge outlives its lineage");
  }
  bool alive(const Run& run, Lineage lineage) {
    if (lineage.outside()) return true;
    auto scope = run.scopes.find(lineage.scope);
    return scope != run.scopes.end() && scope->second.branches.contains(lineage.item);
  }

  std::set<RunTimer> timers_;
  size_t merges_ = 0;
};

}  // namespace

std::unique_ptr<Auditor> state_auditor() { return std::make_unique<StateAuditor>(); }

}  // namespace fermata::sim
