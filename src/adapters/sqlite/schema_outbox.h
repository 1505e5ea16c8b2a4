#pragma once

namespace fermata::sqlite {

// What brokers are to be told, and which of their messages were taken. Both are empty where there
// is no broker. Rows come at the end and leave when they are confirmed, so the table stays short.
constexpr const char* outbox_schema = R"sql(
CREATE TABLE outbox (
  number INTEGER PRIMARY KEY,
  lane TEXT NOT NULL,
  record BLOB NOT NULL
);

CREATE TABLE message_mark (
  execution TEXT NOT NULL,
  mark TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (execution, mark)
) WITHOUT ROWID;
CREATE INDEX message_mark_at ON message_mark (at);
)sql";

}  // namespace fermata::sqlite
