#pragma once

namespace fermata::postgres {

// What brokers are to be told, and which of their messages were taken. Both are empty where there
// is no broker. Rows of the outbox come at the end and leave when they are confirmed.
constexpr const char* outbox_schema = R"sql(
create table outbox (
  number bigint generated always as identity primary key,
  lane text collate "C" not null,
  id text collate "C" not null,
  record bytea not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
create index outbox_lane on outbox (lane, number);

create table message_marks (
  execution text collate "C" not null,
  mark text collate "C" not null,
  at bigint not null,
  primary key (execution, mark)
);
create index message_mark_at on message_marks (at);
)sql";

}  // namespace fermata::postgres
