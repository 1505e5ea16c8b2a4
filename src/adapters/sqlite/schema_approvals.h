#pragma once

namespace fermata::sqlite {

// Questions to people, one row each, written with the run that asks.
constexpr const char* approvals_schema = R"sql(
CREATE TABLE approval (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  account TEXT NOT NULL,
  run TEXT NOT NULL,
  status INTEGER NOT NULL,
  record BLOB NOT NULL
);
CREATE INDEX approval_account ON approval (account, status);
CREATE INDEX approval_run ON approval (run);
)sql";

}  // namespace fermata::sqlite
