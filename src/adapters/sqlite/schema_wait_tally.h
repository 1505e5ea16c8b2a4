#pragma once

namespace fermata::sqlite {

// Numbers of waits, changed in the commits that change the waits (ports/wait_tally.h), and what is
// asked of waits when zone data changes. `slot` stands before the workflow: calendars seek by it.
constexpr const char* wait_tally_schema = R"sql(
CREATE TABLE wait_tally (
  kind TEXT NOT NULL,
  account TEXT NOT NULL,
  slot INTEGER NOT NULL,
  workflow TEXT NOT NULL,
  key TEXT NOT NULL,
  waits INTEGER NOT NULL,
  waited_ms INTEGER NOT NULL,
  PRIMARY KEY (kind, account, slot, workflow, key)
) WITHOUT ROWID;
CREATE INDEX wait_zone ON workflow_wait_executions (workflow_execution_id)
  WHERE tzdata_version IS NOT NULL AND status IN ('scheduled', 'waiting');
)sql";

}  // namespace fermata::sqlite
