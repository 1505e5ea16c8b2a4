#pragma once

namespace fermata::postgres {

// Runs, jobs and schedules are roots: one row each, found by kind (0, 1, 2) and id; of a schedule
// the id is account, line break, id. `number` is the order of creation and the cursor of lists. All
// that the core needs is in `record`; the columns beside it are what lists and recovery look for.
// Nothing that a step changes is indexed but the status and whether the root is open, so that most
// updates touch no index (fillfactor).
constexpr const char* roots_schema = R"sql(
create sequence root_numbers;
create table roots (
  number bigint primary key,
  kind smallint not null,
  id text collate "C" not null,
  account text collate "C" not null,
  workflow text collate "C" not null,
  parent text collate "C" not null,      -- the run that submitted a job
  shard smallint not null,               -- first byte of SHA-256 of the id
  version bigint not null,
  status smallint not null,
  open boolean not null,                 -- to be looked at when a process begins to lead
  started_at bigint not null,            -- milliseconds since 1970, as all times
  updated_at timestamptz not null default now(),
  record bytea not null
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
create unique index roots_id on roots (kind, id);
create index roots_account on roots (kind, account, status, number);
create index roots_workflow on roots (kind, account, workflow, number);
create index roots_kind on roots (kind, number);
create index roots_open on roots (kind, number) where open;
create index roots_parent on roots (parent, number) where parent <> '';

-- Appended by commits, never changed. `root` is the number of a root.
create table history (
  root bigint not null,
  first bigint not null,
  count int not null,
  checksum bigint not null,
  bytes bytea not null,
  primary key (root, first)
);
create table checkpoints (
  root bigint not null,
  sequence bigint not null,
  checksum bigint not null,
  bytes bytea not null,
  primary key (root, sequence)
);
-- What runs are found by beside status and workflow, as a hash of it.
create table tags (
  tag bigint not null,
  root bigint not null,
  primary key (tag, root)
);
create index tags_root on tags (root);

-- Lines of audit as commits leave them, and as they are once chained.
create table audit_tail (
  number bigint generated always as identity primary key,
  line bytea not null
);
create table audit (
  number bigint generated always as identity primary key,
  account text collate "C" not null,
  sequence bigint not null,
  at bigint not null,
  record bytea not null
);
create unique index audit_account on audit (account, sequence);
create table audit_heads (
  account text collate "C" primary key,
  sequence bigint not null,
  hash text not null
);
-- The last line of each account that was removed.
create table audit_roots (
  account text collate "C" primary key,
  sequence bigint not null,
  hash text not null
);

-- By its mark it is found out what became of a commit whose answer was lost: see Writer::resolve.
create table commits (id bytea primary key, at timestamptz not null default now(), won int[]);
create index commits_at on commits (at);

-- Who leads. The fence grows with every change and must not go back: this table is logged.
create table leases (
  name text primary key,
  holder text not null,
  fence bigint not null,
  until timestamptz not null
);
insert into leases values ('lead', '', 0, now());
)sql";

}  // namespace fermata::postgres
