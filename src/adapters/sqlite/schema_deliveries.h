#pragma once

namespace fermata::sqlite {

// What is to be told to other programs, written with what it tells of. Few are pending at a time:
// the index over them stays small.
constexpr const char* deliveries_schema = R"sql(
CREATE TABLE callback_delivery (
  number INTEGER PRIMARY KEY,  -- order of creation; the cursor of lists
  id TEXT NOT NULL UNIQUE,
  account TEXT NOT NULL,
  execution TEXT NOT NULL,
  state INTEGER NOT NULL,
  record BLOB NOT NULL
);
CREATE INDEX callback_pending ON callback_delivery (state) WHERE state = 0;
CREATE INDEX callback_execution ON callback_delivery (execution);
CREATE INDEX callback_account ON callback_delivery (account, state);

-- What waits of the API have beside the columns that others may read.
ALTER TABLE workflow_wait_executions ADD COLUMN extra TEXT;
)sql";

}  // namespace fermata::sqlite
