#pragma once
#include "core/flow/parser.h"

namespace fermata::flow {

/// Counts levels of nesting: the rules call each other for each, on the host's stack.
struct Parser::Nesting {
  explicit Nesting(Parser& owner) : parser(owner) {
    if (++parser.nesting_ > nesting_max) {
      parser.fail_size("the text is nested more than " + std::to_string(nesting_max) +
                       " levels deep");
    }
  }
  ~Nesting() { --parser.nesting_; }
  Nesting(const Nesting&) = delete;
  Nesting& operator=(const Nesting&) = delete;
  Parser& parser;
};

/// Sets a flag of the parser for the length of a rule.
class Scoped {
 public:
  Scoped(bool& flag, bool value) : flag_(flag), before_(flag) { flag = value; }
  ~Scoped() { flag_ = before_; }
  Scoped(const Scoped&) = delete;
  Scoped& operator=(const Scoped&) = delete;

 private:
  bool& flag_;
  bool before_;
};

}  // namespace fermata::flow
