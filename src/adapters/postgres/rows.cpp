#include "adapters/postgres/rows.h"

#include "base/hash.h"

namespace fermata::postgres {

uint64_t salt_of(std::string_view table, std::string_view key) {
  std::string text(table);
  text += '\0';
  text += key;
  uint64_t salt = 0;
  auto digest = sha256(text);
  for (size_t i = 0; i < 8; ++i) salt = salt << 8 | digest[i];
  return salt;
}

Failure<Error> damaged_row(std::string_view table, std::string_view key, std::string_view what) {
  return fail(ErrorCode::data_damaged, "table " + std::string(table) + ", row " + std::string(key) +
                                           ": " + std::string(what));
}

}  // namespace fermata::postgres
