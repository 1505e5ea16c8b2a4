#pragma once
#include <string_view>

#include "core/flow/lexer.h"

namespace fermata::flow {

/// A literal read from source: its value and the offset behind it.
struct Literal {
  Value value;
  size_t end = 0;
  bool hole = false;  ///< a template piece that ended at `${`
};

/// Each begins at `begin`: a digit or point, a quote, a backquote or the `}` that ends a hole.
/// Mistakes become issues; what can be read of the literal is given all the same.
Literal read_number(std::string_view text, size_t begin, Issues& issues);
Literal read_string(std::string_view text, size_t begin, Issues& issues);
/// Without escapes, up to the next quote wherever that is (F-66).
Literal read_plain_string(std::string_view text, size_t begin, Issues& issues);
Literal read_template_piece(std::string_view text, size_t begin, Issues& issues);

}  // namespace fermata::flow
