#pragma once
#include <span>

#include "adapters/sqlite/database.h"
#include "adapters/sqlite/wait_rows.h"
#include "ports/signals.h"

namespace fermata::sqlite {

/// Writes signals within a transaction of the caller.
class SignalWriter {
 public:
  explicit SignalWriter(Database& database) : database_(database) {}
  /// False when the database failed.
  bool write(const SignalWrite& write);
  bool write(const SignalReached& reached);
  /// Up to `limit` of those that have expired; how many they were, or nothing on failure.
  std::optional<uint64_t> remove(Instant now, size_t limit);

 private:
  bool put(const SignalRecord& record);

  Database& database_;
  Statement put_{
      database_,
      "INSERT INTO workflow_signals (account_id, event_id, event_type, contact_id, execution_id, "
      "correlation_id, data, occurred_at, received_at, expires_at, phone, email, open, reached) "
      "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (account_id, event_id) "
      "DO UPDATE SET event_type = excluded.event_type, contact_id = excluded.contact_id, "
      "execution_id = excluded.execution_id, correlation_id = excluded.correlation_id, "
      "data = excluded.data, occurred_at = excluded.occurred_at, "
      "received_at = excluded.received_at, expires_at = excluded.expires_at, "
      "phone = excluded.phone, email = excluded.email, open = excluded.open, "
      "reached = excluded.reached"};
  Statement note_{database_,
                  "UPDATE workflow_signals SET open = ?, reached = ? "
                  "WHERE account_id = ? AND event_id = ? AND received_at = ?"};
  Statement reach_{database_,
                   "INSERT OR IGNORE INTO workflow_signal_effects (account_id, event_id, kind, "
                   "ref, entry) VALUES (?, ?, ?, ?, ?)"};
  Statement forget_effects_{
      database_,
      "DELETE FROM workflow_signal_effects WHERE account_id = ?1 AND event_id = ?2 AND EXISTS "
      "(SELECT 1 FROM workflow_signals WHERE account_id = ?1 AND event_id = ?2 AND "
      "received_at <> ?3)"};
  Statement remove_effects_{
      database_,
      "DELETE FROM workflow_signal_effects WHERE number IN (SELECT e.number FROM "
      "(SELECT account_id, event_id FROM workflow_signals WHERE expires_at <= ? AND open = 0 "
      "ORDER BY expires_at LIMIT ?) AS s JOIN workflow_signal_effects AS e ON "
      "e.account_id = s.account_id AND e.event_id = s.event_id)"};
  Statement remove_{database_,
                    "DELETE FROM workflow_signals WHERE number IN (SELECT number FROM "
                    "workflow_signals WHERE expires_at <= ? AND open = 0 ORDER BY expires_at "
                    "LIMIT ?)"};
};

/// What is asked of signals, over one connection.
class SignalQueries {
 public:
  explicit SignalQueries(Database& database);
  Outcome<std::optional<SignalRecord>> find(const SignalKey& key);
  Outcome<std::vector<std::optional<SignalRecord>>> load(std::span<const SignalKey> keys);
  Outcome<SignalStore::Windowed> in(const SignalWindow& window, uint64_t after, size_t limit);
  Outcome<SignalStore::OpenSignals> open(uint64_t after, size_t limit);
  Outcome<SignalPage> list(const SignalFilter& filter, size_t limit, uint64_t before);

 private:
  struct Numbered {
    uint64_t number = 0;
    SignalRecord record;
  };
  Outcome<std::vector<Numbered>> collect(Rows rows);
  Outcome<void> add_effects(std::vector<Numbered>& records);

  Database& database_;
  // Asked for every signal, and for every wait that opens to listen.
  Statement load_, effects_, of_contact_, of_account_;
};

}  // namespace fermata::sqlite
