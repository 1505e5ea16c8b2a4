#include "adapters/memory/memory_store.h"

namespace fermata {

Outcome<Retention::Referred> MemoryStore::referred(uint64_t after, size_t limit) {
  std::lock_guard lock(mutex_);
  Referred page;
  page.cursor = after;
  size_t seen = 0;
  for (auto at = runs_.upper_bound(after); at != runs_.end(); ++at) {
    const RunSummary& run = at->second.summary;
    if (is_terminal(run.status)) continue;
    if (seen++ == limit) {
      page.more = true;
      break;
    }
    if (!run.parent.empty()) page.ids.insert(run.parent);
    if (!run.origin.empty()) page.ids.insert(run.origin);
    page.cursor = at->first;
  }
  return page;
}

void MemoryStore::forget_run(std::map<uint64_t, StoredRun>::iterator run) {
  checkpoints_.erase(run->second.summary.id);
  forget_waits(run->second.summary.id);
  forget_approvals(run->second.summary.id);
  forget_deliveries(run->second.summary.id);
  run_at_.erase(run->second.summary.id);
  runs_.erase(run);
}

Outcome<Retention::RunSweep> MemoryStore::remove_runs(uint64_t after, Instant before,
                                                      const std::set<RunId>& kept, size_t limit) {
  std::lock_guard lock(mutex_);
  RunSweep sweep;
  sweep.cursor = after;
  size_t seen = 0;
  for (auto at = runs_.upper_bound(after); at != runs_.end();) {
    if (seen++ == limit) {
      sweep.more = true;
      break;
    }
    auto here = at++;
    const RunSummary& run = here->second.summary;
    if (run.started_at >= before) break;
    sweep.cursor = here->first;
    bool old = is_terminal(run.status) && run.completed_at && *run.completed_at < before;
    if (!old || kept.contains(run.id)) continue;
    forget_run(here);
    ++sweep.removed;
  }
  return sweep;
}

Outcome<void> MemoryStore::remove_run(const RunId& id, const AuditLine& audit) {
  std::lock_guard lock(mutex_);
  auto found = run_at_.find(id);
  if (found == run_at_.end())
    return fail(ErrorCode::execution_not_found, "There is no execution `" + id.text() + "`.");
  auto run = runs_.find(found->second);
  if (!is_terminal(run->second.summary.status))
    return fail(ErrorCode::run_not_finished,
                "The execution `" + id.text() + "` has not ended yet.");
  forget_run(run);
  append(audit);
  return {};
}

/// Here a history goes with its run.
Outcome<Retention::Sweep> MemoryStore::remove_remains(size_t) { return Sweep{}; }

Outcome<Retention::Sweep> MemoryStore::remove_audit(Instant before, size_t limit) {
  std::lock_guard lock(mutex_);
  Sweep sweep;
  while (!audit_.empty() && audit_.front().line.at < before) {
    if (sweep.removed == limit) {
      sweep.more = true;
      break;
    }
    AuditEntry& entry = audit_.front();
    audit_roots_[entry.line.account] = {entry.sequence, entry.hash};
    audit_.pop_front();
    ++audit_removed_;
    ++sweep.removed;
  }
  return sweep;
}

Outcome<AuditRoot> MemoryStore::audit_root(const AccountId& account) {
  std::lock_guard lock(mutex_);
  auto found = audit_roots_.find(account);
  return found == audit_roots_.end() ? AuditRoot{} : found->second;
}

Outcome<Retention::Sweep> MemoryStore::remove_bulks(Instant before, size_t limit) {
  std::lock_guard lock(mutex_);
  Sweep sweep;
  for (auto at = bulks_.begin(); at != bulks_.end();) {
    const BulkRecord& bulk = at->second.record;
    if (bulk.state == BulkState::running) {
      ++at;
      continue;
    }
    if (bulk.ended_at.value_or(bulk.created_at) >= before) break;
    if (sweep.removed == limit) {
      sweep.more = true;
      break;
    }
    at = bulks_.erase(at);
    ++sweep.removed;
  }
  return sweep;
}

Outcome<Retention::Sweep> MemoryStore::remove_marks(Instant now, size_t limit) {
  std::lock_guard lock(mutex_);
  Sweep sweep;
  for (auto at = marks_.begin(); at != marks_.end();) {
    if (at->second.expires_at > now) {
      ++at;
      continue;
    }
    if (sweep.removed == limit) {
      sweep.more = true;
      break;
    }
    at = marks_.erase(at);
    ++sweep.removed;
  }
  return sweep;
}

std::set<DefinitionHash> MemoryStore::used_definitions() const {
  std::set<DefinitionHash> used;
  for (const auto& [key, workflow] : workflows_)
    for (const WorkflowVersion& version : workflow.versions) used.insert(version.hash);
  for (const auto& [number, run] : runs_) {
    used.insert(run.summary.definition);
    for (const DefinitionHash& hash : run.summary.former_definitions) used.insert(hash);
  }
  return used;
}

Outcome<Retention::Sweep> MemoryStore::remove_definitions(Instant now, Duration unused_for,
                                                          size_t limit) {
  std::lock_guard lock(mutex_);
  std::set<DefinitionHash> used = used_definitions();
  std::erase_if(orphans_, [&](const auto& orphan) { return used.contains(orphan.first); });
  for (const auto& [hash, text] : definitions_)
    if (!used.contains(hash)) orphans_.try_emplace(hash, now);
  Sweep sweep;
  for (auto at = orphans_.begin(); at != orphans_.end();) {
    if (at->second + unused_for > now) {
      ++at;
      continue;
    }
    if (sweep.removed == limit) {
      sweep.more = true;
      break;
    }
    definitions_.erase(at->first);
    at = orphans_.erase(at);
    ++sweep.removed;
  }
  return sweep;
}

}  // namespace fermata
