#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/value.h"
#include "base/words.h"

namespace fermata {
class ZoneTable;
}

/// What the parts of the checker share: a place for findings, and words to write them with.
namespace fermata::graph {

struct DefinitionLimits;

struct Findings {
  std::vector<Finding> errors;
  std::vector<Finding> warnings;
  /// Looking through all ids of a large document for each of many mistakes would take long, so
  /// only so many get a suggestion.
  int suggestions_left = 50;
  const ZoneTable* zones = nullptr;  ///< names of zones are checked when there is one
  const DefinitionLimits* limits = nullptr;

  void error(std::string_view code, std::string path, std::string message,
             std::vector<std::string> related = {}) {
    errors.push_back({std::string(code), std::move(path), std::move(message), std::move(related)});
  }
  void warn(std::string_view code, std::string path, std::string message,
            std::vector<std::string> related = {}) {
    warnings.push_back(
        {std::string(code), std::move(path), std::move(message), std::move(related)});
  }
};

std::string node_path(size_t index);  ///< "/nodes/3"
std::string edge_path(size_t index);  ///< "/edges/3"

using fermata::quoted;
/// A value as a message shows it: compact JSON, cut when it is long.
std::string shown(const Value& value);
/// "a, b or c" from "a|b|c".
std::string listed(std::string_view choices);
bool is_one_of(std::string_view text, std::string_view choices);
std::vector<std::string_view> parts_of(std::string_view choices, char separator = '|');

/// The candidate that `word` most likely was meant to be, or empty when none is close.
std::string_view nearest(std::string_view word, const std::vector<std::string_view>& candidates);
/// " Did you mean "x"?" or nothing. For candidates that the document supplies pass `findings`.
std::string suggestion(std::string_view word, const std::vector<std::string_view>& candidates);
std::string suggestion(std::string_view word, const std::vector<std::string>& candidates,
                       Findings& findings);

/// True when a string is not plain text: it has a reference or an expression in it (G-11, G-13).
bool holds_expression(std::string_view text);
bool holds_expression(const Value& value);
/// A number, or text that is one (G-27).
std::optional<double> number_in(const Value& value);
/// The same value with the keys of all objects in order (G-2).
Value sorted_keys(const Value& value);
/// Characters, not bytes.
size_t code_points(std::string_view text);

}  // namespace fermata::graph
