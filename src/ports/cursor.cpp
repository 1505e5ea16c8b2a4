#include "ports/cursor.h"

#include <charconv>

namespace fermata {

std::string cursor_of(uint64_t number) { return std::to_string(number); }

Outcome<uint64_t> cursor_number(const std::string& cursor, uint64_t if_empty) {
  if (cursor.empty()) return if_empty;
  uint64_t number = 0;
  const char* end = cursor.data() + cursor.size();
  auto [stop, error] = std::from_chars(cursor.data(), end, number);
  if (error == std::errc{} && stop == end) return number;
  return fail(
      ErrorCode::invalid_query, "cursor: This is not a cursor that this list has given.",
      {Finding{"invalid_query", "cursor", "This is not a cursor that this list has given.", {}}});
}

}  // namespace fermata
