#pragma once

namespace fermata::sqlite {

// What signals have done to runs: goals, waits and triggers. A row of the commit of the run, in the
// order they happened; it goes when its signal does.
constexpr const char* signal_effects_schema = R"sql(
CREATE TABLE workflow_signal_effects (
  number INTEGER PRIMARY KEY,
  account_id TEXT NOT NULL,
  event_id TEXT NOT NULL,
  kind TEXT NOT NULL,   -- goal, wait or trigger
  ref TEXT NOT NULL,    -- tells it from others of its kind
  entry TEXT NOT NULL,  -- as it is listed
  UNIQUE (account_id, event_id, kind, ref)
);
)sql";

}  // namespace fermata::sqlite
