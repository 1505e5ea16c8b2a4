#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "core/flow/expression.h"
#include "core/flow/issues.h"
#include "core/flow/token.h"

namespace fermata::flow {

struct LexOptions {
  /// Condition text: a `$name` may hold dashes where that makes an existing name (G-13), and a bare
  /// word may hold letters of any script and dashes before letters. Inside `{{ }}` and in the other
  /// grammars a dash is always minus.
  bool condition_text = false;
  const std::vector<std::string>* names = nullptr;
  bool script = false;         ///< JavaScript that is left out gets a hint of its own
  bool plain_strings = false;  ///< `"…"` has no escapes and may span lines (F-66)
  size_t begin = 0;            ///< where the text itself begins, behind its front matter
};

/// Cuts a text into tokens (F-5, F-6). Mistakes become issues and reading goes on behind them. The
/// last token is always `end`. The text must outlive the tokens' use: names are read from it by
/// span.
std::vector<Token> lex(std::string_view text, const LexOptions& options, Issues& issues);
/// The same for texts of which the first mistake is enough.
Result<std::vector<Token>, SyntaxError> lex(std::string_view text, const LexOptions& options = {});

/// A finding at a byte offset of `text`, with its line and column.
SyntaxError syntax_error(std::string_view text, size_t offset, std::string message,
                         std::string_view code = "expression_invalid");

}  // namespace fermata::flow
