#pragma once
#include <set>

#include "adapters/sqlite/garbage.h"
#include "adapters/sqlite/read_pool.h"
#include "adapters/sqlite/writer.h"
#include "ports/retention.h"

namespace fermata::sqlite {

/// The Retention port: each removal is one short transaction of the writer. A run goes at once with
/// its row; its history, which may be long, is noted as garbage and goes bit by bit.
class RetentionWriter {
 public:
  RetentionWriter(Writer& writer, ReadPool& readers) : writer_(writer), readers_(readers) {}

  Outcome<Retention::Referred> referred(uint64_t after, size_t limit);
  Outcome<Retention::RunSweep> remove_runs(uint64_t after, Instant before,
                                           const std::set<RunId>& kept, size_t limit);
  Outcome<void> remove_run(const RunId& id, const AuditLine& audit);
  Outcome<Retention::Sweep> remove_remains(size_t limit);
  Outcome<Retention::Sweep> remove_audit(Instant before, size_t limit);
  Outcome<AuditRoot> audit_root(const AccountId& account);
  Outcome<Retention::Sweep> remove_schedules(Instant now, Duration deleted_for, size_t limit);
  Outcome<Retention::Sweep> remove_marks(Instant now, size_t limit);
  Outcome<Retention::Sweep> remove_signals(Instant now, size_t limit);
  Outcome<Retention::Sweep> remove_definitions(Instant now, Duration unused_for, size_t limit);

 private:
  using Hashes = std::set<DefinitionHash>;
  bool forget(const FoundRun& run);
  Outcome<Retention::RunSweep> sweep_runs(uint64_t after, Instant before,
                                          const std::set<RunId>& kept, size_t limit);
  Outcome<Retention::Sweep> sweep_audit(Instant before, size_t limit);
  bool set_root(const AccountId& account, const AuditRoot& root);
  Outcome<Retention::Sweep> sweep_schedules(Instant now, Duration deleted_for, size_t limit);
  Outcome<Hashes> unversioned();
  Outcome<Retention::Sweep> sweep_definitions(Hashes unused, uint64_t seen_runs, Instant now,
                                              Duration unused_for, size_t limit);

  Writer& writer_;
  ReadPool& readers_;
  Database& database_ = writer_.database();
  WaitWriter waits_{database_};
  ApprovalWriter approvals_{database_};
  DeliveryWriter deliveries_{database_};
  SignalWriter signals_{database_};
  Statement next_runs_{database_,
                       "SELECT number FROM run WHERE number > ? ORDER BY number LIMIT ?"};
  Statement drop_run_{database_, "DELETE FROM run WHERE number = ?"};
  Statement drop_checkpoints_{database_, "DELETE FROM checkpoint WHERE run = ?"};
  TagWriter tags_{database_};
  Statement count_down_{database_,
                        "UPDATE tally SET runs = runs - 1 WHERE account = ? AND status = ?"};
  Garbage garbage_{database_, run_garbage};
  Statement first_lines_{database_, "SELECT number, record FROM audit ORDER BY number LIMIT ?"};
  Statement drop_line_{database_, "DELETE FROM audit WHERE number = ?"};
  Statement root_{database_, "SELECT number, record FROM audit_root WHERE account = ?"};
  Statement last_root_{database_, "SELECT max(number) FROM audit_root"};
  Statement put_root_{database_, "INSERT OR REPLACE INTO audit_root VALUES (?, ?, ?)"};
  Statement drop_marks_{database_,
                        "DELETE FROM mark WHERE number IN (SELECT number FROM mark "
                        "WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)"};
  Statement forget_revived_{database_,
                            "DELETE FROM schedule_deleted WHERE schedule NOT IN "
                            "(SELECT number FROM schedule WHERE status = 3)"};
  Statement note_deleted_{database_,
                          "INSERT OR IGNORE INTO schedule_deleted "
                          "SELECT number, ? FROM schedule WHERE status = 3"};
  Statement long_deleted_{database_,
                          "SELECT schedule FROM schedule_deleted WHERE since <= ? "
                          "ORDER BY schedule LIMIT ?"};
  Statement drop_schedule_{database_, "DELETE FROM schedule WHERE number = ?"};
  Statement drop_schedule_history_{database_, "DELETE FROM schedule_history WHERE schedule = ?"};
  Statement drop_deleted_{database_, "DELETE FROM schedule_deleted WHERE schedule = ?"};
  Statement definitions_{database_, "SELECT hash FROM definition"};
  Statement versions_{database_, "SELECT number, record FROM version"};
  Statement drop_definition_{database_, "DELETE FROM definition WHERE hash = ?"};
  Statement orphans_{database_, "SELECT hash, since FROM orphan"};
  Statement note_orphan_{database_, "INSERT OR IGNORE INTO orphan VALUES (?, ?)"};
  Statement drop_orphan_{database_, "DELETE FROM orphan WHERE hash = ?"};
};

}  // namespace fermata::sqlite
