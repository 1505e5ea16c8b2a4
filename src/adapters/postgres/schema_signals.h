#pragma once

namespace fermata::postgres {

// Signals in the order in which they came, what they have done to runs, whom they are about, and
// what others are told. What a contact's waits look back to is found by contact, type and time; the
// other indexes grow at their ends.
constexpr const char* signals_schema = R"sql(
create table signals (
  number bigint generated always as identity primary key,
  account text collate "C" not null,
  event_id text collate "C" not null,
  event_type text collate "C" not null,
  contact_id text collate "C",
  run text collate "C",
  correlation_id text,
  data text,
  occurred_at bigint,
  received_at bigint not null,
  expires_at bigint not null,
  phone text collate "C",
  email text,
  open boolean not null,    -- not all that follows from it has happened
  reached text,             -- what it came to
  reached_total bigint not null,
  unique (account, event_id)
);
create index signal_contact on signals (account, contact_id, event_type, received_at)
  where contact_id is not null;
create index signal_run on signals (run, event_type, received_at) where run is not null;
create index signal_phone on signals (account, phone, event_type, received_at)
  where phone is not null;
create index signal_type on signals (account, event_type, received_at);
create index signal_account on signals (account, number);
create index signal_expiry on signals (expires_at) where not open;
create index signal_open on signals (number) where open;

-- What signals have done to runs: a row of the commit of the run; it goes when its signal does.
create table signal_effects (
  number bigint generated always as identity primary key,
  account text collate "C" not null,
  event_id text collate "C" not null,
  kind text not null,
  ref text collate "C" not null,
  entry text not null,
  unique (account, event_id, kind, ref)
);

create table contact_records (
  account text collate "C" not null,
  id text collate "C" not null,
  timezone text,
  phone text,
  email text,
  opted_out boolean not null,
  fields text,
  labels text,
  deleted_at bigint,
  created_at bigint not null,
  updated_at bigint not null,
  phone_key text collate "C",
  email_key text collate "C",
  version bigint not null,
  record bytea not null,
  primary key (account, id)
);
create index contact_phone on contact_records (account, phone_key) where phone_key is not null;
create index contact_email on contact_records (account, email_key) where email_key is not null;

-- What is to be told to other programs. Few are pending at a time: that index stays small.
create table deliveries (
  number bigint generated always as identity primary key,
  id text collate "C" not null unique,
  account text collate "C" not null,
  run text collate "C" not null,
  state smallint not null,
  version bigint not null,
  record bytea not null
);
create index delivery_pending on deliveries (number) where state = 0;
create index delivery_run on deliveries (run, number);
create index delivery_account on deliveries (account, number);
create index delivery_state on deliveries (account, state, number);
)sql";

}  // namespace fermata::postgres
