#pragma once

namespace fermata::postgres {

// What is kept of policy, pools and what accounts have spent. Decisions come with the commits of
// jobs; hits are counted beside them so that nobody has to read them all.
constexpr const char* policy_schema = R"sql(
create table policies (
  number bigint generated always as identity primary key,
  kind smallint not null,
  account text collate "C" not null,
  id text collate "C" not null,
  record bytea not null,
  unique (kind, account, id)
);
create table policy_snapshots (hash text collate "C" primary key, record bytea not null);
create table policy_versions (
  number bigint generated always as identity primary key,
  account text collate "C" not null,
  record bytea not null
);
create index policy_version_account on policy_versions (account, number);
create table policy_decisions (
  number bigint generated always as identity primary key,
  account text collate "C" not null,
  job text collate "C" not null,
  counted boolean not null,  -- in a window of a velocity rule
  at bigint not null,
  record bytea not null
);
create index policy_decision_account on policy_decisions (account, number);
create index policy_decision_job on policy_decisions (job, number);
create index policy_decision_counted on policy_decisions (number) where counted;
create table policy_hits (
  account text collate "C" not null,
  bundle text collate "C" not null,
  rule text collate "C" not null,
  hits bigint not null,
  last_at bigint not null,
  primary key (account, bundle, rule)
) with (fillfactor = 50);

-- Revisions of what is changed whole: policy, pools.
create table documents (
  name text primary key,
  revision bigint not null,
  record bytea
);
insert into documents values ('policy', 0, null), ('pools', 0, null);

create table account_usage (
  account text collate "C" not null,
  day bigint not null,
  input_tokens bigint not null,
  output_tokens bigint not null,
  cost_micros bigint not null,
  primary key (account, day)
) with (fillfactor = 50);
create index account_usage_day on account_usage (day);
)sql";

}  // namespace fermata::postgres
