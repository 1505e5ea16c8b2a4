#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace fermata {

/// One table of codes for the whole product (errors.def): name, HTTP status, title, what to do.
enum class ErrorCode : uint16_t {
#define FERMATA_ERROR(name, status, title, hint) name,
#include "base/errors.def"
#undef FERMATA_ERROR
};

std::string_view name_of(ErrorCode code);
std::optional<ErrorCode> error_code_of(std::string_view name);
int http_status_of(ErrorCode code);
std::string_view title_of(ErrorCode code);
std::string_view hint_of(ErrorCode code);

/// One thing wrong in a larger input. `path` is an RFC 6901 pointer; line and column are 1-based
/// and 0 when the input was not text.
struct Finding {
  std::string code;
  std::string path;
  std::string message;
  std::vector<std::string> related;
  int line = 0;
  int column = 0;
  bool operator==(const Finding&) const = default;
};

/// An expected failure, told to a caller.
struct Error {
  ErrorCode code;
  std::string message;
  std::vector<Finding> findings;
};

inline Failure<Error> fail(ErrorCode code, std::string message,
                           std::vector<Finding> findings = {}) {
  return {Error{code, std::move(message), std::move(findings)}};
}

template <class T>
using Outcome = Result<T, Error>;

}  // namespace fermata
