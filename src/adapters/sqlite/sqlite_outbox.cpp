#include "adapters/sqlite/store_parts.h"

/// What the store keeps for brokers.
namespace fermata {

using sqlite::ReadConnection;

Outcome<std::vector<Outbox::Entry>> SqliteStore::outbox(const std::string& lane, uint64_t after,
                                                        size_t limit) {
  return parts_->readers.read([&](ReadConnection& c) { return c.outbox.list(lane, after, limit); });
}

Outcome<void> SqliteStore::remove_from_outbox(std::span<const uint64_t> numbers) {
  sqlite::Writer& writer = parts_->writer;
  return writer.transact(nullptr, [&]() -> Outcome<void> {
    if (!writer.outbox().remove(numbers)) return writer.database().failure("writing the outbox");
    return {};
  });
}

Outcome<uint64_t> SqliteStore::outbox_rows(const std::string& lane) {
  return parts_->readers.read([&](ReadConnection& c) { return c.outbox.count(lane); });
}

Outcome<bool> SqliteStore::is_marked(const RunId& run, const std::string& mark) {
  return parts_->loading.read([&](ReadConnection& c) { return c.outbox.is_marked(run, mark); });
}

Outcome<void> SqliteStore::forget_marks(Instant before) {
  sqlite::Writer& writer = parts_->writer;
  return writer.transact(nullptr, [&]() -> Outcome<void> {
    if (!writer.outbox().forget_marks(before)) return writer.database().failure("forgetting marks");
    return {};
  });
}

Outcome<void> SqliteStore::bury(const DeadLetterEntry& entry) {
  sqlite::Writer& writer = parts_->writer;
  return writer.transact(nullptr, [&]() -> Outcome<void> {
    sqlite::DeadLetterQueries queries(writer.database());
    FERMATA_TRY(known, queries.find(entry.letter.id));
    if (known) return {};
    if (!writer.write_letters({entry})) return writer.database().failure("writing a dead letter");
    return {};
  });
}

}  // namespace fermata
