#pragma once

namespace fermata::sqlite {

// What jobs leave beside their records. The bytes of a blob stand apart from what is counted of it,
// so that counting does not rewrite them.
constexpr const char* job_files_schema = R"sql(
CREATE TABLE dead_letter (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  account TEXT NOT NULL,
  job TEXT NOT NULL,
  open INTEGER NOT NULL,
  record BLOB NOT NULL
);
CREATE INDEX dead_letter_account ON dead_letter (account, open);
CREATE INDEX dead_letter_job ON dead_letter (job) WHERE open = 1;

CREATE TABLE blob (
  number INTEGER PRIMARY KEY,
  account TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  put_at INTEGER NOT NULL,
  jobs INTEGER NOT NULL,  -- that refer to it
  size INTEGER NOT NULL,
  UNIQUE (account, sha256)
);
CREATE INDEX blob_unused ON blob (put_at) WHERE jobs = 0;
CREATE TABLE blob_bytes (number INTEGER PRIMARY KEY, bytes BLOB NOT NULL);
CREATE TABLE job_blob (
  job INTEGER NOT NULL,
  blob INTEGER NOT NULL,
  PRIMARY KEY (job, blob)
) WITHOUT ROWID;

CREATE TABLE job_log (
  number INTEGER PRIMARY KEY,
  job INTEGER NOT NULL,
  attempt INTEGER NOT NULL,
  size INTEGER NOT NULL,
  record BLOB NOT NULL
);
CREATE INDEX job_log_attempt ON job_log (job, attempt);

-- Histories of removed jobs, as `garbage`.
CREATE TABLE job_garbage (number INTEGER PRIMARY KEY, head INTEGER NOT NULL);

CREATE TABLE registration (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  record BLOB NOT NULL
);
)sql";

}  // namespace fermata::sqlite
