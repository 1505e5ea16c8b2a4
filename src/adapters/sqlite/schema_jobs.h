#pragma once

namespace fermata::sqlite {

// As runs, but a job is created, placed and ended in two commits, so that fewer columns pay.
constexpr const char* jobs_schema = R"sql(
CREATE TABLE job (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL,
  account TEXT NOT NULL,
  state INTEGER NOT NULL,
  run TEXT NOT NULL,  -- that submitted it, or empty
  record BLOB NOT NULL
);
CREATE UNIQUE INDEX job_id ON job (id);
CREATE INDEX job_account ON job (account);
CREATE INDEX job_state ON job (state) WHERE state <> 7;  -- all but succeeded ones
CREATE INDEX job_run ON job (run) WHERE run <> '';

CREATE TABLE job_history (
  number INTEGER PRIMARY KEY,
  job INTEGER NOT NULL,
  prev INTEGER NOT NULL,
  first INTEGER NOT NULL,
  count INTEGER NOT NULL,
  checksum INTEGER NOT NULL,
  bytes BLOB NOT NULL
);
)sql";

}  // namespace fermata::sqlite
