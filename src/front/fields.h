#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/time.h"
#include "base/value.h"

namespace fermata::front {

/// Reads the fields of a request's JSON object. Every mistake becomes a finding and reading goes
/// on, so that the caller learns of all of them at once; `finish` also finds the fields that nobody
/// asked for.
class Fields {
 public:
  /// A null body counts as an empty object. `path` is the pointer of the object itself.
  explicit Fields(const Value& body, std::string path = "");

  std::optional<std::string> text(std::string_view name, size_t bytes_max = 1000);
  /// An id that was chosen outside (W-4).
  std::optional<std::string> id(std::string_view name);
  std::optional<int64_t> integer(std::string_view name, int64_t least, int64_t most);
  std::optional<bool> boolean(std::string_view name);
  std::optional<Instant> instant(std::string_view name);
  /// An object, or null when absent.
  Value object(std::string_view name);
  /// Anything; nullptr when absent.
  const Value* any(std::string_view name);
  void require(std::string_view name);
  void wrong(std::string_view name, std::string message);
  /// Takes over findings made elsewhere, paths already complete.
  void add(std::vector<Finding> findings);

  /// Success when nothing was wrong: else the code that all findings share, or `invalid_field`.
  Outcome<void> finish();

 private:
  const Value* take(std::string_view name);

  const Value body_;
  const std::string path_;
  std::vector<std::string_view> known_;
  std::vector<Finding> findings_;
};

/// The refusal of a request with these findings, of which there are some: the code is theirs when
/// they share one, else `invalid_field`.
Failure<Error> refuse(std::vector<Finding> findings);

/// 1 to 100 printable ASCII characters without space / ? # %.
bool is_valid_id(std::string_view text);
/// UTF-8 text without control characters, at most `bytes_max` long.
bool is_plain_text(std::string_view text, size_t bytes_max);

/// A finding as the API shows it: {code, path, message, related, line?, column?}.
Value to_value(const Finding& finding);
Value to_value(const std::vector<Finding>& findings);

}  // namespace fermata::front
