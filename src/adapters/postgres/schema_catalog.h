#pragma once

namespace fermata::postgres {

// Things that are looked up, not run. A version names its definition in a column, so that unused
// definitions are found without opening records. `workflow_records` and not `workflows`: that name
// is one of the views that others may read.
constexpr const char* catalog_schema = R"sql(
create table definitions (hash text collate "C" primary key, record bytea not null);
create table workflow_records (
  account text collate "C" not null,
  id text collate "C" not null,
  webhook text collate "C",
  active boolean not null,
  record bytea not null,
  primary key (account, id)
);
create index workflow_webhook on workflow_records (webhook) where webhook is not null;
create table workflow_versions (
  account text collate "C" not null,
  workflow text collate "C" not null,
  version bigint not null,
  hash text collate "C" not null,
  record bytea not null,
  primary key (account, workflow, version)
);
create index workflow_version_hash on workflow_versions (hash);

create table api_keys (
  id text collate "C" primary key,
  account text collate "C" not null,
  record bytea not null
);
create index api_key_account on api_keys (account, id);

create table credentials (
  account text collate "C" not null,
  id text collate "C" not null,
  name text collate "C" not null,
  record bytea not null,
  primary key (account, id),
  unique (account, name)
);

create table marks (
  account text collate "C" not null,
  key text collate "C" not null,
  expires_at bigint not null,
  record bytea not null,
  primary key (account, key)
);
create index mark_expiry on marks (expires_at);

create table accounts (id text collate "C" primary key, record bytea not null);
-- What goes with a workflow beside its versions.
create table workflow_rules (
  account text collate "C" not null,
  workflow text collate "C" not null,
  record bytea not null,
  primary key (account, workflow)
);

-- Definitions that nothing names any more, and since when.
create table orphans (hash text collate "C" primary key, since bigint not null);
)sql";

}  // namespace fermata::postgres
