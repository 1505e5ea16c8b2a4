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

}  // namespace fermata::sqlite
