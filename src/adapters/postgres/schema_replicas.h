#pragma once

namespace fermata::postgres {

// What servers on one schema know of each other.
constexpr const char* replicas_schema = R"sql(
-- `by_lock`: who leads also holds the advisory lock of the schema, so that its death is known at
-- once. `serving`: it has recovered, and requests may be sent to it.
alter table leases
  add column by_lock boolean not null default false,
  add column renewed_at timestamptz not null default '-infinity',
  add column serving boolean not null default false;

-- Bytes on their way between a server that was asked and the one that leads. A row is removed by
-- being read. Losing all of them costs the requests that were under way.
create unlogged table passages (
  receiver text collate "C" not null,
  sender text collate "C" not null,
  number bigint not null,
  sequence bigint not null,
  kind int not null,
  bytes bytea not null,
  at timestamptz not null default now(),
  primary key (receiver, sender, number, sequence)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
alter table passages alter column bytes set storage external;
create index passages_at on passages (at);

create unlogged table replicas (
  id text collate "C" primary key,
  name text not null,
  version text not null,
  formats text not null,
  role text not null,
  settings text not null,
  skew_ms bigint,
  started_at timestamptz not null default now(),
  seen_at timestamptz not null
);
)sql";

}  // namespace fermata::postgres
