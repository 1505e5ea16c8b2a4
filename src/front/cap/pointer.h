#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/value.h"

/// Where bodies of CAP jobs lie: packets carry pointers, not bytes.
namespace fermata::front::cap {

/// The JSON of a `data:` URI. Nothing when the pointer is of another kind; fails with bad_json or
/// bad_request when it is one and cannot be read.
Outcome<std::optional<Value>> inline_value(std::string_view pointer, int nesting_max);

/// An input that lies elsewhere: handed on as it came, never fetched by Fermata.
Value pointed_input(const std::string& pointer, const std::string& sha256);
/// The pointer of such an input; empty for any other.
std::string pointer_of(const Value& input);

/// Bytes that a worker has put for the job, named by a pointer of Fermata's own.
struct OwnPointer {
  std::string job;
  std::string sha256;
  std::string token;
};
std::string context_pointer(const std::string& base_url, const std::string& job,
                            const std::string& token);
std::string output_pointer(const std::string& base_url, const std::string& job,
                           const std::string& token);
std::string blob_pointer(const std::string& base_url, const OwnPointer& of);
/// Nothing when the pointer is not one that `blob_pointer` makes, for whatever host or none.
std::optional<OwnPointer> read_blob_pointer(std::string_view pointer);

}  // namespace fermata::front::cap
