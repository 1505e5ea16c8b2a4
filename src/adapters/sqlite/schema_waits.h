#pragma once

namespace fermata::sqlite {

// What W-90 names, readable with plain SQL. A wait is one row beside its run's; its listeners stand
// in it, for they change only together. Clustered by run: waits are opened where runs begin, so
// that rows come near the end, and what a run's commit writes lies together.
constexpr const char* waits_schema = R"sql(
CREATE TABLE workflow_wait_executions (
  workflow_execution_id TEXT NOT NULL,
  step_id TEXT NOT NULL,
  occurrence INTEGER NOT NULL,
  id TEXT NOT NULL,
  account_id TEXT NOT NULL,
  workflow_id TEXT NOT NULL,
  contact_id TEXT,
  source TEXT NOT NULL,
  wait_type TEXT NOT NULL,
  wait_config TEXT,
  status TEXT NOT NULL,
  scheduled_at TEXT,
  event_timeout_at TEXT,
  due_at TEXT NOT NULL,
  timezone TEXT,
  local_target TEXT,
  gap_policy TEXT,
  tzdata_version TEXT,
  event_type TEXT,
  event_correlation_id TEXT,
  on_hold INTEGER NOT NULL,
  hold_reason TEXT,
  parked INTEGER NOT NULL,
  reached_at TEXT NOT NULL,
  resumed_at TEXT,
  ended_at TEXT,
  resumed_by TEXT,
  ended_reason TEXT,
  matched_event_id TEXT,
  retry_count INTEGER NOT NULL DEFAULT 0,
  last_error TEXT,
  metadata TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  intent TEXT,
  listeners TEXT,
  PRIMARY KEY (workflow_execution_id, step_id, occurrence)
) WITHOUT ROWID;
CREATE UNIQUE INDEX wait_id ON workflow_wait_executions (id);
CREATE INDEX wait_pending ON workflow_wait_executions (account_id, due_at, id)
  WHERE status IN ('scheduled', 'waiting');
CREATE INDEX wait_contact ON workflow_wait_executions (account_id, contact_id, due_at, id)
  WHERE contact_id IS NOT NULL;

CREATE VIEW workflow_event_listeners AS
  SELECT w.id || '.' || (l.key + 1) AS id, w.id AS wait_execution_id,
    l.value ->> '$.event_type' AS event_type, l.value ->> '$.correlation_id' AS correlation_id,
    w.contact_id, w.workflow_execution_id, l.value -> '$.criteria' AS match_criteria,
    w.due_at AS expires_at, l.value ->> '$.status' AS status,
    l.value ->> '$.matched_at' AS matched_at,
    l.value ->> '$.matched_event_id' AS matched_event_id, w.created_at, w.account_id,
    w.occurrence, l.key + 1 AS ordinal, l.value ->> '$.scope' AS scope,
    w.reached_at AS window_start
  FROM workflow_wait_executions AS w, json_each(w.listeners) AS l;

CREATE VIEW workflow_executions AS
  SELECT id, account AS account_id, workflow AS workflow_id,
    CASE status WHEN 0 THEN 'running' WHEN 1 THEN 'waiting' WHEN 2 THEN 'paused'
      WHEN 3 THEN 'completed' WHEN 4 THEN 'failed' WHEN 5 THEN 'cancelled' ELSE 'timed_out' END
      AS status
  FROM run;

CREATE VIEW workflows AS SELECT id, account AS account_id FROM workflow;
)sql";

}  // namespace fermata::sqlite
