#pragma once

namespace fermata::sqlite {

constexpr const char* views_schema = R"sql(
CREATE TABLE view (
  number INTEGER PRIMARY KEY,
  account TEXT NOT NULL,
  id TEXT NOT NULL,
  record BLOB NOT NULL,
  UNIQUE (account, id)
);
)sql";

}  // namespace fermata::sqlite
