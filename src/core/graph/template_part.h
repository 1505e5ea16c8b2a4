#pragma once
#include <string>
#include <vector>

#include "core/graph/template.h"

namespace fermata::graph {

/// A bare reference such as `$Fetch.body.users[0]` (G-13), already taken apart.
struct Reference {
  struct Step {
    bool by_index = false;
    std::string field;
    size_t index = 0;
    size_t end = 0;  ///< bytes of `text` up to and with this step
  };
  std::string text;  ///< as it is written
  std::string root;
  size_t root_end = 0;
  std::vector<Step> steps;
};

/// One place of a template.
struct Template::Part {
  enum class Kind : uint8_t { constant, reference, expression, text, array, object };
  Kind kind = Kind::constant;
  Value value;  ///< constant: what it is; text: a literal piece is a constant string
  Reference reference;
  flow::Expression expression;
  std::vector<Part> parts;  ///< of a text, an array or an object
  std::vector<Value> keys;  ///< of an object
};

struct TemplateMistake {
  std::string code;
  std::string message;
};

/// Parses one string; a mistake leaves the string standing for itself.
Result<Template::Part, TemplateMistake> parse_text(std::string_view text,
                                                   const std::vector<std::string>& names,
                                                   flow::ParseLimits limits);

}  // namespace fermata::graph
