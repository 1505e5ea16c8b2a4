#pragma once

namespace fermata::sqlite {

// What is kept of policy. Decisions come with the commits of jobs, at the end of their table; hits
// are counted beside them so that nobody has to read them all.
constexpr const char* policy_schema = R"sql(
CREATE TABLE policy_revision (number INTEGER PRIMARY KEY, revision INTEGER NOT NULL);
INSERT INTO policy_revision VALUES (1, 0);
CREATE TABLE policy_document (
  number INTEGER PRIMARY KEY,
  kind INTEGER NOT NULL,
  account TEXT NOT NULL,
  id TEXT NOT NULL,
  record BLOB NOT NULL,
  UNIQUE (kind, account, id)
);
CREATE TABLE policy_snapshot (
  number INTEGER PRIMARY KEY,
  hash TEXT NOT NULL UNIQUE,
  record BLOB NOT NULL
);
CREATE TABLE policy_version (
  number INTEGER PRIMARY KEY,
  account TEXT NOT NULL,
  record BLOB NOT NULL
);
CREATE TABLE policy_decision (
  number INTEGER PRIMARY KEY,
  account TEXT NOT NULL,
  job TEXT NOT NULL,
  counted INTEGER NOT NULL,  -- in a window of a velocity rule
  record BLOB NOT NULL
);
CREATE INDEX policy_decision_account ON policy_decision (account);
CREATE INDEX policy_decision_job ON policy_decision (job);
CREATE INDEX policy_decision_counted ON policy_decision (number) WHERE counted = 1;
CREATE TABLE policy_hit (
  account TEXT NOT NULL,
  bundle TEXT NOT NULL,
  rule TEXT NOT NULL,
  hits INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  PRIMARY KEY (account, bundle, rule)
) WITHOUT ROWID;
)sql";

}  // namespace fermata::sqlite
