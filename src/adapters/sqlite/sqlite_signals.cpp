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
