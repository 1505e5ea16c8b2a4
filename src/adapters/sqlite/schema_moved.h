#pragma once

namespace fermata::sqlite {

// By its token a move to another store is known on both sides. Once the store was left, `place`
// says where it has gone, and nobody may use the file any more.
constexpr const char* moved_schema = R"sql(
CREATE TABLE moved (token TEXT NOT NULL, place TEXT);
)sql";

}  // namespace fermata::sqlite
