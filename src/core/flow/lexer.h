#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "core/flow/expression.h"
#include "core/flow/token.h"

namespace fermata::flow {

struct LexOptions {
  /// Condition text: a `$name` may hold dashes where that makes an existing name (G-13), and a bare
  /// word may hold letters of any script and dashes before letters. Inside `{{ }}` and in the other
  /// grammars a dash is always minus.
  bool condition_text = false;
  const std::vector<std::string>* names = nullptr;
};

/// Cuts a text into tokens (F-5, F-6). The last token is always `end`. The text must outlive the
/// tokens' use: names are read from it by span.
Result<std::vector<Token>, SyntaxError> lex(std::string_view text, LexOptions options = {});

/// A finding at a byte offset of `text`, with its line and column.
SyntaxError syntax_error(std::string_view text, size_t offset, std::string message,
                         std::string_view code = "expression_invalid");

}  // namespace fermata::flow
