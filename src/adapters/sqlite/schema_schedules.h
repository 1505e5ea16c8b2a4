#pragma once

namespace fermata::sqlite {

// A schedule is written at each of its occurrences for years: its row holds its newest state, and
// its history lies in order, so that the old end of it can be let go.
constexpr const char* schedules_schema = R"sql(
CREATE TABLE schedule (
  number INTEGER PRIMARY KEY,
  account TEXT NOT NULL,
  id TEXT NOT NULL,
  status INTEGER NOT NULL,
  record BLOB NOT NULL
);
CREATE UNIQUE INDEX schedule_key ON schedule (account, id);
CREATE INDEX schedule_active ON schedule (status) WHERE status = 0;

CREATE TABLE schedule_history (
  schedule INTEGER NOT NULL,
  first INTEGER NOT NULL,
  count INTEGER NOT NULL,
  checksum INTEGER NOT NULL,
  bytes BLOB NOT NULL,
  PRIMARY KEY (schedule, first)
) WITHOUT ROWID;
)sql";

// Those that were deleted, and since when a sweep knows it: they go when their runs have gone.
constexpr const char* deleted_schedules_schema = R"sql(
CREATE INDEX schedule_gone ON schedule (status) WHERE status = 3;
CREATE TABLE schedule_deleted (schedule INTEGER PRIMARY KEY, since INTEGER NOT NULL);
)sql";

}  // namespace fermata::sqlite
