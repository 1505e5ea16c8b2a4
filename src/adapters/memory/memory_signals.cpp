#include <algorithm>

#include "adapters/memory/memory_store.h"
#include "ports/cursor.h"

/// The part of the store that keeps signals.
namespace fermata {

/// Under the lock.
void MemoryStore::keep_signal(const SignalWrite& write) {
  const Signal& signal = write.record.signal;
  auto [at, fresh] = signal_at_.try_emplace({signal.account, signal.id}, signals_received_ + 1);
  if (fresh) ++signals_received_;
  SignalRecord& kept = signals_[at->second];
  if (write.first || fresh || kept.signal.received_at != signal.received_at) {
    // An id that is used again after its time names another signal.
    if (!fresh && kept.signal.received_at != signal.received_at) reached_.erase(at->first);
    kept = write.record;
  } else {
    // What it is does not change, and may have been erased.
    kept.open = write.record.open;
    kept.reach = write.record.reach;
  }
  kept.effects = {};
  for (const AuditLine& line : write.audit) append(line);
}

/// Under the lock, as the two below.
void MemoryStore::keep_reached(const SignalReached& reached) {
  std::vector<SignalReached>& all = reached_[reached.signal];
  bool known = std::any_of(all.begin(), all.end(), [&](const SignalReached& one) {
    return one.kind == reached.kind && one.ref == reached.ref;
  });
  if (!known) all.push_back(reached);
}

SignalRecord MemoryStore::with_effects(const SignalRecord& record) const {
  SignalRecord out = record;
  auto found = reached_.find({record.signal.account, record.signal.id});
  if (found == reached_.end()) return out;
  for (const SignalReached& one : found->second) add_reached(out.effects, one.kind, one.entry);
  return out;
}

void MemoryStore::erase_signals_of(const ContactKey& contact) {
  for (auto& [number, record] : signals_) {
    Signal& signal = record.signal;
    if (signal.account != contact.account || signal.contact_id != contact.id) continue;
    signal.data = {};
    signal.phone.clear();
    signal.email.clear();
  }
}

Outcome<std::vector<std::optional<SignalRecord>>> MemoryStore::load_signals(
    std::span<const SignalKey> keys) {
  std::lock_guard lock(mutex_);
  std::vector<std::optional<SignalRecord>> out;
  for (const SignalKey& key : keys) {
    auto found = signal_at_.find(key);
    out.push_back(found == signal_at_.end()
                      ? std::optional<SignalRecord>{}
                      : std::optional(with_effects(signals_.at(found->second))));
  }
  return out;
}

Outcome<SignalStore::Windowed> MemoryStore::signals_in(const SignalWindow& window, uint64_t after,
                                                       size_t limit) {
  std::lock_guard lock(mutex_);
  Windowed page{{}, after, false};
  bool wide = window.contact_id.empty() && window.run.empty();
  for (auto at = signals_.upper_bound(after); at != signals_.end(); ++at) {
    const Signal& signal = at->second.signal;
    if (signal.account != window.account || signal.type != window.type) continue;
    if (signal.received_at < window.from || signal.received_at > window.to) continue;
    bool meant = wide || (!window.contact_id.empty() && signal.contact_id == window.contact_id) ||
                 (!window.run.empty() && signal.run == window.run) ||
                 (!window.phone.empty() && signal.phone == window.phone);
    if (!meant) continue;
    if (page.signals.size() == limit) {
      page.more = true;
      break;
    }
    page.signals.push_back(std::make_shared<const Signal>(signal));
    page.place = at->first;
  }
  return page;
}

Outcome<SignalStore::OpenSignals> MemoryStore::open_signals(uint64_t after, size_t limit) {
  std::lock_guard lock(mutex_);
  OpenSignals page{{}, after, false};
  for (auto at = signals_.upper_bound(after); at != signals_.end(); ++at) {
    if (!at->second.open) continue;
    if (page.signals.size() == limit) {
      page.more = true;
      break;
    }
    page.signals.push_back(with_effects(at->second));
    page.cursor = at->first;
  }
  return page;
}

Outcome<std::vector<WaitRecord>> MemoryStore::listening_waits(size_t after, size_t limit) {
  std::lock_guard lock(mutex_);
  std::vector<WaitRecord> out;
  size_t passed = 0;
  for (const auto& [id, record] : waits_) {
    bool listens = record.wait.is_for_event() && is_pending(record.wait.status);
    if (!listens || passed++ < after) continue;
    if (out.size() == limit) break;
    out.push_back(record);
  }
  return out;
}

Outcome<std::vector<WaitRecord>> MemoryStore::ended_listeners(const Signal& signal, Instant since,
                                                              size_t limit) {
  std::lock_guard lock(mutex_);
  std::vector<WaitRecord> out;
  for (const auto& [id, record] : waits_) {
    const Wait& wait = record.wait;
    bool meant = signal.run.empty()
                     ? record.contact_id == signal.contact_id && !record.contact_id.empty()
                     : record.run == signal.run;
    if (!meant || record.account != signal.account || !wait.is_for_event()) continue;
    if (wait.ended_at && *wait.ended_at >= since) out.push_back(record);
  }
  std::stable_sort(out.begin(), out.end(), [](const WaitRecord& a, const WaitRecord& b) {
    return *a.wait.ended_at > *b.wait.ended_at;
  });
  if (out.size() > limit) out.resize(limit);
  return out;
}

Outcome<std::optional<SignalRecord>> MemoryStore::find_signal(const SignalKey& key) {
  FERMATA_TRY(found, load_signals(std::span(&key, 1)));
  return std::move(found.front());
}

Outcome<SignalPage> MemoryStore::list_signals(const SignalFilter& filter, size_t limit,
                                              const std::string& cursor) {
  FERMATA_TRY(before, cursor_number(cursor, UINT64_MAX));
  std::lock_guard lock(mutex_);
  SignalPage page;
  uint64_t last = 0;
  for (auto at = signals_.lower_bound(before); at != signals_.begin();) {
    const auto& [number, kept] = *--at;
    SignalRecord record = with_effects(kept);
    if (!matches(filter, record)) continue;
    if (page.items.size() == limit) {
      page.next_cursor = cursor_of(last);
      break;
    }
    page.items.push_back(std::move(record));
    last = number;
  }
  return page;
}

Outcome<Retention::Sweep> MemoryStore::remove_signals(Instant now, size_t limit) {
  std::lock_guard lock(mutex_);
  Sweep sweep;
  for (auto at = signals_.begin(); at != signals_.end();) {
    if (at->second.expires_at > now || at->second.open) {
      ++at;
      continue;
    }
    if (sweep.removed == limit) {
      sweep.more = true;
      break;
    }
    SignalKey key{at->second.signal.account, at->second.signal.id};
    reached_.erase(key);
    signal_at_.erase(key);
    at = signals_.erase(at);
    ++sweep.removed;
  }
  return sweep;
}

}  // namespace fermata
