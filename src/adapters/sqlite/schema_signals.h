#pragma once

namespace fermata::sqlite {

// Signals as W-90 names them; `number` is the order in which they came. What a contact's waits look
// back to is found by contact, type and time; the rest of the indexes grow at their ends.
constexpr const char* signals_schema = R"sql(
CREATE TABLE workflow_signals (
  number INTEGER PRIMARY KEY,
  account_id TEXT NOT NULL,
  event_id TEXT NOT NULL,
  event_type TEXT NOT NULL,
  contact_id TEXT,
  execution_id TEXT,
  correlation_id TEXT,
  data TEXT,
  occurred_at TEXT,
  received_at TEXT NOT NULL,
  expires_at TEXT NOT NULL,
  phone TEXT,
  email TEXT,
  open INTEGER NOT NULL,  -- not all that follows from it has happened
  reached TEXT,           -- what it came to
  UNIQUE (account_id, event_id)
);
CREATE INDEX signal_contact ON workflow_signals (account_id, contact_id, event_type, received_at)
  WHERE contact_id IS NOT NULL;
CREATE INDEX signal_run ON workflow_signals (execution_id, event_type, received_at)
  WHERE execution_id IS NOT NULL;
CREATE INDEX signal_phone ON workflow_signals (account_id, phone, event_type, received_at)
  WHERE phone IS NOT NULL;
CREATE INDEX signal_type ON workflow_signals (account_id, event_type, received_at);
CREATE INDEX signal_expiry ON workflow_signals (expires_at);
CREATE INDEX signal_open ON workflow_signals (open) WHERE open = 1;

CREATE INDEX wait_listening
  ON workflow_wait_executions (account_id, event_type, contact_id, id)
  WHERE wait_type = 'for_event' AND status = 'waiting';
CREATE INDEX wait_heard ON workflow_wait_executions (account_id, contact_id, ended_at)
  WHERE wait_type = 'for_event' AND ended_at IS NOT NULL AND contact_id IS NOT NULL;

DROP VIEW workflow_event_listeners;
CREATE VIEW workflow_event_listeners AS
  SELECT w.id || '.' || (l.key + 1) AS id, w.id AS wait_execution_id,
    l.value ->> '$.event_type' AS event_type, l.value ->> '$.correlation_id' AS correlation_id,
    w.contact_id, w.workflow_execution_id, l.value -> '$.criteria' AS match_criteria,
    w.due_at AS expires_at, l.value ->> '$.status' AS status,
    l.value ->> '$.matched_at' AS matched_at,
    l.value ->> '$.matched_event_id' AS matched_event_id, w.created_at, w.account_id,
    w.occurrence, l.key + 1 AS ordinal, l.value ->> '$.scope' AS scope,
    ifnull(l.value ->> '$.window_start', w.reached_at) AS window_start,
    l.value ->> '$.phone' AS phone
  FROM workflow_wait_executions AS w, json_each(w.listeners) AS l;
)sql";

}  // namespace fermata::sqlite
