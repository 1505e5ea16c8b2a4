#pragma once

namespace fermata::postgres {

// A selection is written once and may be large, so it stands apart from what grows with it.
constexpr const char* bulks_schema = R"sql(
create table bulks (
  number bigint generated always as identity primary key,
  id text collate "C" not null unique,
  account text collate "C" not null,
  running boolean not null,
  record bytea not null
);
create index bulk_account on bulks (account, number);
create index bulk_running on bulks (running, number);
create table bulk_selections (bulk text collate "C" primary key, items bytea not null);

create table saved_views (
  number bigint generated always as identity primary key,
  account text collate "C" not null,
  id text collate "C" not null,
  record bytea not null,
  unique (account, id)
);
create index saved_view_order on saved_views (account, number);

-- Schedules that were deleted, and since when a sweep knows it: they go when their runs have gone.
create table schedule_deleted (root bigint primary key, since bigint not null);
)sql";

}  // namespace fermata::postgres
