#pragma once

namespace fermata::postgres {

// A wait is one row beside its run's, written in the same commit; its listeners stand in it, for
// they change only together. Times are milliseconds since 1970; a wait without a due time has one
// that never comes, so that it is last. `counts` is what the wait adds to the numbers of
// `wait_tally`: the next commit that changes the wait takes exactly that away again, without
// reading the row first.
constexpr const char* waits_schema = R"sql(
create table waits (
  run text collate "C" not null,
  step text collate "C" not null,
  occurrence bigint not null,
  id text collate "C" not null,
  account text collate "C" not null,
  workflow text collate "C" not null,
  contact_id text collate "C",
  source text not null,
  wait_type text collate "C" not null,
  status text not null,
  due_at bigint not null,
  event_type text collate "C",
  event_types text collate "C" not null,  -- all of them, each between line breaks
  correlation_id text,
  hold_reason text,
  parked boolean not null,
  reached_at bigint not null,
  updated_at bigint not null,
  ended_at bigint,
  resumed_by text,
  ended_reason text,
  matched_event_id text,
  retry_count bigint not null,
  last_error text,
  timezone text,
  local_target text,
  gap_policy text,
  tzdata_version text,
  config text,
  metadata text,
  listeners text,
  counts text not null,
  record bytea not null,
  primary key (run, step, occurrence)
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
create unique index wait_id on waits (id);
create index wait_pending on waits (account, due_at, id) where status in ('scheduled', 'waiting');
create index wait_due on waits (due_at, id);
create index wait_account on waits (account, due_at, id);
create index wait_contact on waits (account, contact_id, due_at, id) where contact_id is not null;
create index wait_workflow on waits (account, workflow, due_at, id);
create index wait_held on waits (account, hold_reason, due_at, id) where hold_reason is not null;
create index wait_limited on waits (reached_at, id) where hold_reason = 'limit';
create index wait_listening on waits (account, event_type, contact_id, id)
  where wait_type = 'for_event' and status = 'waiting';
create index wait_heard on waits (account, contact_id, ended_at)
  where wait_type = 'for_event' and ended_at is not null and contact_id is not null;
create index wait_zone on waits (run)
  where tzdata_version is not null and status in ('scheduled', 'waiting');

-- Numbers of waits (ports/wait_tally.h). `slot` stands before the workflow: calendars seek by it.
create table wait_tally (
  kind text collate "C" not null,
  account text collate "C" not null,
  slot bigint not null,
  workflow text collate "C" not null,
  key text collate "C" not null,
  waits bigint not null,
  waited_ms bigint not null,
  primary key (kind, account, slot, workflow, key)
) with (fillfactor = 50);
create index wait_tally_none on wait_tally (kind, slot) where waits <= 0;

-- Questions to people, one row each, written with the run that asks.
create table approvals (
  number bigint generated always as identity primary key,
  id text collate "C" not null unique,
  account text collate "C" not null,
  run text collate "C" not null,
  status smallint not null,
  record bytea not null
);
create index approval_account on approvals (account, status, number);
create index approval_newest on approvals (account, number);
create index approval_run on approvals (run, number);
)sql";

}  // namespace fermata::postgres
