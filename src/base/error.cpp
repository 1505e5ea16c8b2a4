#include "base/error.h"

#include <iterator>

namespace fermata {
namespace {

struct Row {
  std::string_view name;
  int status;
  std::string_view title;
  std::string_view hint;
};

constexpr Row rows[] = {
#define FERMATA_ERROR(name, status, title, hint) {#name, status, title, hint},
#include "base/errors.def"
#undef FERMATA_ERROR
};

const Row& row_of(ErrorCode code) {
  auto index = static_cast<size_t>(code);
  check(index < std::size(rows));
  return rows[index];
}

}  // namespace

std::string_view name_of(ErrorCode code) { return row_of(code).name; }
std::optional<ErrorCode> error_code_of(std::string_view name) {
  for (size_t i = 0; i < std::size(rows); ++i)
    if (rows[i].name == name) return static_cast<ErrorCode>(i);
  return std::nullopt;
}
int http_status_of(ErrorCode code) { return row_of(code).status; }
std::string_view title_of(ErrorCode code) { return row_of(code).title; }
std::string_view hint_of(ErrorCode code) { return row_of(code).hint; }

}  // namespace fermata
