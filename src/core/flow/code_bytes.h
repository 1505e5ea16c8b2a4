#pragma once
#include <string>
#include <string_view>

#include "base/result.h"
#include "core/flow/expression.h"

/// Compiled code as it is stored beside the source of its definition (F-46), in this order:
///
///   mark, format version, code version, size of the library it knows, the script's functions,
///   those of the library that are written in the language, checksum.
///
/// So a later compiler or library changes nothing for a script that is parked: it goes on with the
/// code it was parked with. The source itself is not part of it.
namespace fermata::flow {

struct CodeError {
  bool newer = false;  ///< of a later release; else damaged
  std::string message;
};

/// Of a script that `check_script` or `decode_code` has made.
std::string encode_code(const Expression& script);
/// The part of it that is the library of today.
const std::string& prelude_bytes();
/// Whatever the bytes are, it gives code that is safe to run or an error.
Result<Expression, CodeError> decode_code(std::string_view bytes, std::string_view source);

}  // namespace fermata::flow
