#include <algorithm>
#include <set>

#include "adapters/memory/memory_store.h"
#include "adapters/memory/wait_scans.h"

namespace fermata {

/// Under the lock, as part of the commit of its run.
void MemoryStore::keep_wait(const WaitRecord& record) {
  waits_[record.wait.id] = record;
  waits_at_[{record.run, record.wait.step, record.wait.occurrence}] = record.wait.id;
}

void MemoryStore::forget_waits(const RunId& run) {
  auto from = waits_at_.lower_bound({run, "", 0});
  auto to = from;
  for (; to != waits_at_.end() && std::get<0>(to->first) == run; ++to) waits_.erase(to->second);
  waits_at_.erase(from, to);
}

Outcome<std::optional<WaitRecord>> MemoryStore::find_wait(const std::string& id) {
  std::lock_guard lock(mutex_);
  auto found = waits_.find(id);
  return found == waits_.end() ? std::optional<WaitRecord>{} : std::optional(found->second);
}

Outcome<std::vector<WaitRecord>> MemoryStore::waits_of(const RunId& run, const std::string& step) {
  std::lock_guard lock(mutex_);
  std::vector<WaitRecord> out;
  for (auto at = waits_at_.lower_bound({run, step, 0});
       at != waits_at_.end() && std::get<0>(at->first) == run; ++at) {
    if (!step.empty() && std::get<1>(at->first) != step) break;
    out.push_back(waits_.at(at->second));
  }
  return out;
}

Outcome<WaitPage> MemoryStore::list_waits(const WaitFilter& filter, size_t limit,
                                          const WaitStart& start) {
  FERMATA_TRY(after, wait_place(start.cursor));
  std::lock_guard lock(mutex_);
  std::vector<const WaitRecord*> found;
  for (const auto& [id, record] : waits_)
    if (matches(filter, record)) found.push_back(&record);
  std::sort(found.begin(), found.end(),
            [](const WaitRecord* a, const WaitRecord* b) { return place_of(*a) < place_of(*b); });
  WaitPage page;
  page.total = found.size();
  size_t passed = 0;
  for (const WaitRecord* record : found) {
    if (after && place_of(*record) <= *after) continue;
    if (passed++ < start.offset) continue;
    if (page.items.size() == limit) {
      page.next_cursor = cursor_of(page.items.back());
      break;
    }
    page.items.push_back(*record);
  }
  return page;
}

Outcome<std::vector<WaitSlot>> MemoryStore::wait_slots(const WaitFilter& filter) {
  std::lock_guard lock(mutex_);
  std::map<std::pair<int64_t, std::string>, uint64_t> counted;
  for (const auto& [id, record] : waits_) {
    if (!matches(filter, record)) continue;
    int64_t slot = due_or_never(record.wait).ms / wait_slot_length.ms;
    ++counted[{slot, record.wait.type}];
  }
  std::vector<WaitSlot> out;
  for (const auto& [key, waits] : counted)
    out.push_back({Instant{key.first * wait_slot_length.ms}, key.second, waits});
  return out;
}

/// Counted when it is asked for: what a store keeps count of must come to the same.
Outcome<WaitTally> MemoryStore::wait_tally(const AccountId& account, const WorkflowId& workflow,
                                           Instant now) {
  std::lock_guard lock(mutex_);
  TallyChanges counts;
  WaitTally total;
  for (const auto& [id, record] : waits_) {
    bool wanted = (account.empty() || record.account == account) &&
                  (workflow.empty() || record.workflow == workflow);
    if (!wanted) continue;
    tally_wait(counts, record, 1);
    tally_happened(counts, std::nullopt, record);
    const Wait& wait = record.wait;
    bool to_come = is_pending(wait.status) && wait.hold.empty() && wait.due && *wait.due >= now;
    if (to_come && *wait.due < now + Duration{3'600'000}) ++total.due_next_hour;
    if (to_come && *wait.due < now + Duration{86'400'000}) ++total.due_next_day;
  }
  for (const auto& [key, count] : counts) add_to(total, key, count, now);
  return total;
}

Outcome<std::vector<AccountId>> MemoryStore::wait_accounts() {
  std::lock_guard lock(mutex_);
  std::set<AccountId> accounts;
  for (const auto& [id, record] : waits_) accounts.insert(record.account);
  return std::vector<AccountId>(accounts.begin(), accounts.end());
}

Outcome<std::vector<OverdueWaits>> MemoryStore::overdue_waits(const AccountId& account,
                                                              Instant now) {
  std::lock_guard lock(mutex_);
  std::map<AccountId, OverdueWaits> found;
  for (const auto& [id, record] : waits_) {
    if ((!account.empty() && record.account != account) || !is_overdue(record.wait, now)) continue;
    auto [entry, fresh] =
        found.try_emplace(record.account, OverdueWaits{record.account, 0, *record.wait.due});
    ++entry->second.waits;
    entry->second.oldest = std::min(entry->second.oldest, *record.wait.due);
  }
  std::vector<OverdueWaits> out;
  for (auto& [key, one] : found) out.push_back(std::move(one));
  return out;
}

Outcome<std::vector<std::pair<AccountId, uint64_t>>> MemoryStore::counted_waits() {
  std::lock_guard lock(mutex_);
  return counted_in(waits_);
}

Outcome<std::vector<WaitRecord>> MemoryStore::limited_waits(size_t after, size_t limit) {
  std::lock_guard lock(mutex_);
  return limited_in(waits_, after, limit);
}

Outcome<std::vector<RunId>> MemoryStore::runs_of_other_zones(const std::string& version,
                                                             const RunId& after, size_t limit) {
  std::lock_guard lock(mutex_);
  return of_other_zones_in(waits_, version, after, limit);
}

}  // namespace fermata
