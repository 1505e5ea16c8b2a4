#pragma once
#include <variant>

#include "core/model/arrival.h"
#include "ports/interpreter.h"

namespace fermata::rune {

/// A message as a token, with what only a run that begins with it needs (C-55, C-56).
struct TokenMessage {
  ForeignToken token;
  Value input;
  bool plain = false;  ///< an ordinary start will do
};

/// Reads a message by the definition of its run. `$Name` or `Name` is the output of that node,
/// `$json` the payload, `$item` the item of its branch, and whatever names no node is input.
/// `foreign`: it is not one of ours that came back.
std::variant<TokenMessage, Unusable> read_token(const graph::Definition& definition,
                                                const Value& body, bool resumes, bool foreign);

/// A text field of a message; empty when it is missing or something else.
std::string text_in(const Value& body, std::string_view field);

}  // namespace fermata::rune
