#include "adapters/memory/memory_store.h"

#include <algorithm>
#include <set>

#include "base/check.h"
#include "ports/cursor.h"

namespace fermata {
namespace {

/// Number of the newest thing of a list, 1, 2, 3 …, that stands before the cursor; 0 for none.
uint64_t newest_before(uint64_t before, uint64_t count) {
  return before == 0 ? 0 : std::min(before - 1, count);
}

}  // namespace

Outcome<std::vector<StoredRun>> MemoryStore::load(std::span<const RunId> ids,
                                                  uint64_t checkpoint_before) {
  std::lock_guard lock(mutex_);
  std::vector<StoredRun> out;
  out.reserve(ids.size());
  for (const RunId& id : ids) {
    auto found = run_at_.find(id);
    StoredRun& run = out.emplace_back();
    if (found != run_at_.end()) run = since_checkpoint(runs_.at(found->second), checkpoint_before);
  }
  return out;
}

StoredRun MemoryStore::since_checkpoint(const StoredRun& run, uint64_t before) const {
  auto found = checkpoints_.find(run.summary.id);
  if (found == checkpoints_.end()) return run;
  StoredRun out{run.version, run.summary, {}};
  for (const Checkpoint& checkpoint : found->second)
    if (checkpoint.sequence < before) out.checkpoint = checkpoint;
  uint64_t covered = out.checkpoint ? out.checkpoint->sequence : 0;
  for (const HistoryChunk& chunk : run.history)
    if (chunk.first_sequence > covered) out.history.push_back(chunk);
  return out;
}

std::vector<CommitOutcome> MemoryStore::commit(const CommitBatch& batch) {
  std::lock_guard lock(mutex_);
  std::vector<CommitOutcome> out;
  out.reserve(batch.size());
  std::set<uint32_t> unfit;
  auto test = [&](const auto& one) {
    if (one.group != 0 && !fits(one)) unfit.insert(one.group);
  };
  auto put = [&](const auto& one) {
    out.push_back(unfit.contains(one.group) ? CommitOutcome::conflict : write(one));
    if (out.back() != CommitOutcome::done) return;
    for (const AuditLine& line : one.audit) append(line);
  };
  for (const RunWrite& run : batch.runs) test(run);
  for (const JobWrite& job : batch.jobs) test(job);
  for (const ScheduleWrite& schedule : batch.schedules) test(schedule);
  for (const DeliveryWrite& delivery : batch.deliveries) test(delivery);
  for (const ContactWrite& contact : batch.contacts) test(contact);
  for (const RunWrite& run : batch.runs) put(run);
  for (const JobWrite& job : batch.jobs) put(job);
  for (const ScheduleWrite& schedule : batch.schedules) put(schedule);
  for (const DeliveryWrite& delivery : batch.deliveries) put(delivery);
  for (const ContactWrite& contact : batch.contacts) put(contact);
  for (const SignalWrite& signal : batch.signals) {
    keep_signal(signal);
    out.push_back(CommitOutcome::done);
  }
  for (const AuditLine& line : batch.audit) append(line);
  if (!batch.audit.empty()) out.push_back(CommitOutcome::done);
  if (batch.roll.empty()) return out;
  for (const fleet::RegistrationRecord& record : batch.roll.written)
    registrations_[record.id] = record;
  for (const RegistrationId& id : batch.roll.forgotten) registrations_.erase(id);
  out.push_back(CommitOutcome::done);
  return out;
}

bool MemoryStore::fits(const RunWrite& write) const {
  auto found = run_at_.find(write.summary.id);
  return write.expected_version == (found == run_at_.end() ? 0 : runs_.at(found->second).version);
}

CommitOutcome MemoryStore::write(const RunWrite& write) {
  auto found = run_at_.find(write.summary.id);
  uint64_t version = found == run_at_.end() ? 0 : runs_.at(found->second).version;
  if (version != write.expected_version) return CommitOutcome::conflict;
  if (found == run_at_.end()) {
    found = run_at_.emplace(write.summary.id, ++runs_created_).first;
    runs_.emplace(runs_created_, StoredRun{});
  }
  StoredRun& run = runs_.at(found->second);
  if (write.events.count > 0) {
    check(write.events.first_sequence == run.summary.last_sequence + 1);
    run.history.push_back(write.events);
  }
  check(write.summary.last_sequence == run.summary.last_sequence + write.events.count);
  run.summary = write.summary;
  run.version = version + 1;
  for (const WaitRecord& wait : write.waits) keep_wait(wait);
  for (const ApprovalRecord& approval : write.approvals) keep_approval(approval);
  for (const Delivery& delivery : write.deliveries) keep_delivery(delivery);
  for (const SignalReached& reached : write.reached) keep_reached(reached);
  for (const DeadLetterEntry& entry : write.dead_letters) keep_letter(entry);
  for (const OutboxRow& row : write.outbox) outbox_[++outbox_made_] = row;
  for (const MessageMark& mark : write.marks) message_marks_[{write.summary.id, mark.id}] = mark.at;
  if (write.checkpoint) {
    check(write.checkpoint->sequence == write.summary.last_sequence);
    std::vector<Checkpoint>& kept = checkpoints_[write.summary.id];
    kept.push_back(*write.checkpoint);
    if (kept.size() > write.checkpoints_kept)
      kept.erase(kept.begin(), kept.end() - write.checkpoints_kept);
  }
  return CommitOutcome::done;
}

void MemoryStore::append(const AuditLine& line) {
  auto [last, first] = audit_last_.try_emplace(line.account, 0, std::string{});
  auto& [sequence, hash] = last->second;
  if (first) hash = audit_hash_start();
  AuditEntry entry{line, sequence + 1, hash, audit_hash(hash, sequence + 1, line)};
  sequence = entry.sequence;
  hash = entry.hash;
  audit_.push_back(std::move(entry));
}

Outcome<std::vector<RunId>> MemoryStore::live_runs_with(const AccountId& account,
                                                        const std::string& label_key,
                                                        const std::string& label_value,
                                                        size_t limit) {
  std::lock_guard lock(mutex_);
  std::vector<RunId> out;
  for (auto at = runs_.rbegin(); at != runs_.rend() && out.size() < limit; ++at) {
    const RunSummary& run = at->second.summary;
    bool has_it = run.account == account && run.labels.get(label_key) == Value(label_value);
    if (has_it && !is_terminal(run.status)) out.push_back(run.id);
  }
  return out;
}

Outcome<Store::PendingPage> MemoryStore::pending(uint64_t after, size_t limit) {
  std::lock_guard lock(mutex_);
  PendingPage page;
  for (auto at = runs_.upper_bound(after); at != runs_.end(); ++at) {
    const RunSummary& run = at->second.summary;
    if (is_terminal(run.status) || (!run.next_due && run.calls_pending == 0)) continue;
    if (page.runs.size() == limit) {
      page.more = true;
      break;
    }
    page.runs.push_back({run.id, run.next_due, run.calls_pending, run.account});
    page.cursor = at->first;
  }
  return page;
}

Outcome<StoredRun> MemoryStore::find(const RunId& id, uint64_t first_sequence, size_t events_max) {
  std::lock_guard lock(mutex_);
  auto found = run_at_.find(id);
  if (found == run_at_.end()) return StoredRun{};
  const StoredRun& run = runs_.at(found->second);
  StoredRun out{run.version, run.summary, {}};
  size_t events = 0;
  for (const HistoryChunk& chunk : run.history) {
    if (chunk.first_sequence + chunk.count <= first_sequence) continue;
    // The first chunk always comes, or a reader with a small limit would never get on.
    if (!out.history.empty() && chunk.count > events_max - std::min(events, events_max)) break;
    events += chunk.count;
    out.history.push_back(chunk);
  }
  return out;
}

Outcome<StoredRun> MemoryStore::latest(const RunId& id) {
  FERMATA_TRY(loaded, load(std::span(&id, 1), UINT64_MAX));
  return std::move(loaded.front());
}

Outcome<std::optional<RunSummary>> MemoryStore::summary(const RunId& id) {
  std::lock_guard lock(mutex_);
  auto found = run_at_.find(id);
  if (found == run_at_.end()) return std::optional<RunSummary>{};
  return std::optional(runs_.at(found->second).summary);
}

Outcome<RunPage> MemoryStore::list(const RunFilter& filter, size_t limit, const std::string& cursor,
                                   RunOrder order) {
  FERMATA_TRY(place, run_place(cursor, order));
  std::lock_guard lock(mutex_);
  RunPage page;
  uint64_t last = 0;
  /// False when the page is full.
  auto show = [&](uint64_t number, const RunSummary& run) {
    if (!matches(filter, run)) return true;
    if (page.items.size() == limit) {
      page.next_cursor = run_cursor(last, order);
      return false;
    }
    page.items.push_back(run);
    last = number;
    return true;
  };
  if (order == RunOrder::oldest_first) {
    for (auto at = runs_.upper_bound(place); at != runs_.end(); ++at)
      if (!show(at->first, at->second.summary)) break;
    return page;
  }
  for (auto at = runs_.lower_bound(place); at != runs_.begin();) {
    --at;
    if (!show(at->first, at->second.summary)) break;
  }
  return page;
}

Outcome<std::vector<std::pair<RunStatus, uint64_t>>> MemoryStore::counts(const AccountId& account) {
  std::lock_guard lock(mutex_);
  std::map<RunStatus, uint64_t> counted;
  for (const auto& [number, run] : runs_) {
    if (account.empty() || run.summary.account == account) ++counted[run.summary.status];
  }
  return std::vector<std::pair<RunStatus, uint64_t>>(counted.begin(), counted.end());
}

Outcome<AuditPage> MemoryStore::audit(const AuditFilter& filter, size_t limit,
                                      const std::string& cursor) {
  FERMATA_TRY(before, cursor_number(cursor, UINT64_MAX));
  std::lock_guard lock(mutex_);
  AuditPage page;
  uint64_t last = 0;
  for (uint64_t number = newest_before(before, audit_removed_ + audit_.size());
       number > audit_removed_; --number) {
    const AuditEntry& entry = audit_[number - audit_removed_ - 1];
    if (!matches(filter, entry.line)) continue;
    if (page.items.size() == limit) {
      page.next_cursor = cursor_of(last);
      break;
    }
    page.items.push_back(entry);
    last = number;
  }
  return page;
}

}  // namespace fermata
