#pragma once

namespace fermata::postgres {

// What jobs leave beside their records. `job` in blobs, logs and held outputs is the number of the
// job's root. What became of a dead letter stands in columns, so that the commit of its job can
// settle it without reading it. `unused` of a blob is a hint that keeps the sweep's index small;
// the references decide.
constexpr const char* job_files_schema = R"sql(
create table dead_letters (
  number bigint generated always as identity primary key,
  id text collate "C" not null unique,
  account text collate "C" not null,
  job text collate "C" not null,
  reason_code text collate "C" not null,
  created_at bigint not null,
  open boolean not null,
  resolution smallint not null,
  resolved_at bigint,
  resolved_by text not null,
  retried_as text not null,
  record bytea not null
);
create index dead_letter_account on dead_letters (account, open, number);
create index dead_letter_newest on dead_letters (account, number);
create index dead_letter_open on dead_letters (account, reason_code) where open;
create index dead_letter_job on dead_letters (job, number);

create table blobs (
  account text collate "C" not null,
  sha256 text collate "C" not null,
  put_at bigint not null,
  size bigint not null,
  unused boolean not null,
  bytes bytea not null,
  primary key (account, sha256)
);
create index blob_unused on blobs (put_at) where unused;
create table blob_refs (
  job bigint not null,
  account text collate "C" not null,
  sha256 text collate "C" not null,
  primary key (job, account, sha256)
);
create index blob_ref on blob_refs (account, sha256);

create table job_logs (
  number bigint generated always as identity primary key,
  job bigint not null,
  attempt bigint not null,
  size bigint not null,
  record bytea not null
);
create index job_log_attempt on job_logs (job, attempt);
create index job_log_order on job_logs (job, number);

-- Outputs that nobody may have yet, or any more.
create table held_outputs (job bigint primary key, record bytea not null);

create table workers (id text collate "C" primary key, record bytea not null);
)sql";

}  // namespace fermata::postgres
