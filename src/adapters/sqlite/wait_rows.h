#pragma once
#include "adapters/sqlite/database.h"
#include "ports/reader.h"

namespace fermata::sqlite {

/// Writes waits within a transaction of the caller: what the commit of their run changed.
class WaitWriter {
 public:
  explicit WaitWriter(Database& database) : database_(database) {}
  /// False on failure.
  bool write(const WaitRecord& record);
  bool forget(const RunId& run) { return forget_.execute(run.text()); }

 private:
  Database& database_;
  Statement put_{
      database_,
      "INSERT INTO workflow_wait_executions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
      "?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, NULL, NULL, ?, ?, ?, ?) "
      "ON CONFLICT (workflow_execution_id, step_id, occurrence) DO UPDATE SET "
      "wait_config = excluded.wait_config, status = excluded.status, "
      "scheduled_at = excluded.scheduled_at, event_timeout_at = excluded.event_timeout_at, "
      "due_at = excluded.due_at, timezone = excluded.timezone, "
      "local_target = excluded.local_target, gap_policy = excluded.gap_policy, "
      "tzdata_version = excluded.tzdata_version, event_type = excluded.event_type, "
      "on_hold = excluded.on_hold, hold_reason = excluded.hold_reason, parked = excluded.parked, "
      "resumed_at = excluded.resumed_at, ended_at = excluded.ended_at, "
      "resumed_by = excluded.resumed_by, ended_reason = excluded.ended_reason, "
      "matched_event_id = excluded.matched_event_id, updated_at = excluded.updated_at, "
      "intent = excluded.intent, listeners = excluded.listeners"};
  Statement forget_{database_,
                    "DELETE FROM workflow_wait_executions WHERE workflow_execution_id = ?"};
};

/// What is asked of waits, over one connection.
class WaitQueries {
 public:
  explicit WaitQueries(Database& database) : database_(database) {}
  Outcome<std::optional<WaitRecord>> find(const std::string& id);
  Outcome<std::vector<WaitRecord>> of_run(const RunId& run, const std::string& step);
  Outcome<WaitPage> list(const WaitFilter& filter, size_t limit, const WaitStart& start);
  Outcome<std::vector<WaitSlot>> slots(const WaitFilter& filter);
  /// The statement that a list is read with, and what is bound to it.
  struct Question {
    std::string where;
    std::vector<std::string> values;
  };
  static Question question(const WaitFilter& filter);

 private:
  Outcome<std::vector<WaitRecord>> collect(Rows rows);

  Database& database_;
};

}  // namespace fermata::sqlite
