#pragma once

namespace fermata::sqlite {

// Outputs that nobody may have yet, or any more. They go without a trace: see held_rows.h.
constexpr const char* held_schema = R"sql(
CREATE TABLE held_output (job INTEGER PRIMARY KEY, record BLOB NOT NULL);
)sql";

}  // namespace fermata::sqlite
