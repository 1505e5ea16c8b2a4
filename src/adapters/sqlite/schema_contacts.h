#pragma once

namespace fermata::sqlite {

// A contact as W-90 names it, readable with plain SQL; its record is what the store itself reads.
// Found by id, and by telephone number and mail address in the form that all spellings share.
constexpr const char* contacts_schema = R"sql(
CREATE TABLE contacts (
  account_id TEXT NOT NULL,
  id TEXT NOT NULL,
  timezone TEXT,
  phone TEXT,
  email TEXT,
  opted_out INTEGER NOT NULL,
  fields TEXT,
  labels TEXT,
  deleted_at TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  phone_key TEXT,
  email_key TEXT,
  version INTEGER NOT NULL,
  record BLOB NOT NULL,
  PRIMARY KEY (account_id, id)
) WITHOUT ROWID;
CREATE INDEX contact_phone ON contacts (account_id, phone_key) WHERE phone_key IS NOT NULL;
CREATE INDEX contact_email ON contacts (account_id, email_key) WHERE email_key IS NOT NULL;

CREATE TABLE account (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  record BLOB NOT NULL
);
-- What goes with a workflow beside its versions.
CREATE TABLE workflow_rules (
  number INTEGER PRIMARY KEY,
  account TEXT NOT NULL,
  workflow TEXT NOT NULL,
  record BLOB NOT NULL,
  UNIQUE (account, workflow)
);
CREATE INDEX wait_held ON workflow_wait_executions (account_id, hold_reason, due_at, id)
  WHERE on_hold = 1;
)sql";

}  // namespace fermata::sqlite
