#include "adapters/sqlite/store_parts.h"
#include "adapters/sqlite/transacted.h"
#include "ports/cursor.h"

/// The part of the store that keeps signals, and what is asked of waits for their sake.
namespace fermata {

using sqlite::ReadConnection;

Outcome<std::vector<std::optional<SignalRecord>>> SqliteStore::load_signals(
    std::span<const SignalKey> keys) {
  if (!parts_->committing.busy() || !parts_->writer.settled())
    return parts_->writer.load_signals(keys);
  return parts_->loading.read([&](ReadConnection& c) { return c.signals.load(keys); });
}

Outcome<SignalStore::Windowed> SqliteStore::signals_in(const SignalWindow& window, uint64_t after,
                                                       size_t limit) {
  return parts_->loading.read(
      [&](ReadConnection& c) { return c.signals.in(window, after, limit); });
}

Outcome<SignalStore::OpenSignals> SqliteStore::open_signals(uint64_t after, size_t limit) {
  return parts_->loading.read([&](ReadConnection& c) { return c.signals.open(after, limit); });
}

Outcome<std::vector<WaitRecord>> SqliteStore::listening_waits(size_t after, size_t limit) {
  return parts_->loading.read([&](ReadConnection& c) { return c.waits.listening(after, limit); });
}

Outcome<std::vector<std::pair<AccountId, uint64_t>>> SqliteStore::counted_waits() {
  return parts_->loading.read([&](ReadConnection& c) { return c.tally.counted(); });
}

Outcome<std::vector<WaitRecord>> SqliteStore::limited_waits(size_t after, size_t limit) {
  return parts_->loading.read([&](ReadConnection& c) { return c.waits.limited(after, limit); });
}

Outcome<std::vector<RunId>> SqliteStore::runs_of_other_zones(const std::string& version,
                                                             const RunId& after, size_t limit) {
  return parts_->loading.read(
      [&](ReadConnection& c) { return c.waits.of_other_zones(version, after, limit); });
}

Outcome<std::vector<AccountId>> SqliteStore::wait_accounts() {
  return parts_->readers.read([&](ReadConnection& c) { return c.tally.accounts(tally::total); });
}

Outcome<WaitTally> SqliteStore::wait_tally(const AccountId& account, const WorkflowId& workflow,
                                           Instant now) {
  return parts_->readers.read([&](ReadConnection& c) -> Outcome<WaitTally> {
    FERMATA_TRY(total, c.tally.tally(account, workflow, now));
    std::vector<AccountId> accounts{account};
    if (account.empty()) {
      FERMATA_TRY(all, c.tally.accounts(tally::pending));
      accounts = std::move(all);
    }
    for (const AccountId& one : accounts) {
      FERMATA_TRY(hour, c.waits.due_within(one, workflow, now, Duration{3'600'000}));
      FERMATA_TRY(day, c.waits.due_within(one, workflow, now, Duration{86'400'000}));
      total.due_next_hour += hour;
      total.due_next_day += day;
    }
    return total;
  });
}

Outcome<std::vector<OverdueWaits>> SqliteStore::overdue_waits(const AccountId& account,
                                                              Instant now) {
  return parts_->readers.read([&](ReadConnection& c) { return c.tally.overdue(account, now); });
}

Outcome<std::vector<WaitRecord>> SqliteStore::ended_listeners(const Signal& signal, Instant since,
                                                              size_t limit) {
  return parts_->loading.read(
      [&](ReadConnection& c) { return c.waits.heard(signal, since, limit); });
}

Outcome<std::optional<SignalRecord>> SqliteStore::find_signal(const SignalKey& key) {
  return parts_->readers.read([&](ReadConnection& c) { return c.signals.find(key); });
}

Outcome<SignalPage> SqliteStore::list_signals(const SignalFilter& filter, size_t limit,
                                              const std::string& cursor) {
  FERMATA_TRY(before, cursor_number(cursor, UINT64_MAX));
  return parts_->readers.read(
      [&](ReadConnection& c) { return c.signals.list(filter, limit, before); });
}

Outcome<Retention::Sweep> SqliteStore::remove_signals(Instant now, size_t limit) {
  return parts_->retention.remove_signals(now, limit);
}

}  // namespace fermata
