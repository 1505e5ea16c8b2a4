#pragma once

namespace fermata::sqlite {

// Pools and limits are one small document. What accounts have spent is a sum per day.
constexpr const char* pools_schema = R"sql(
CREATE TABLE pool_document (number INTEGER PRIMARY KEY, revision INTEGER NOT NULL, record BLOB);
CREATE TABLE account_usage (
  account TEXT NOT NULL,
  day INTEGER NOT NULL,
  input_tokens INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  cost_micros INTEGER NOT NULL,
  PRIMARY KEY (account, day)
) WITHOUT ROWID;
)sql";

}  // namespace fermata::sqlite
