#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/flow/expression.h"

namespace fermata::flow {

enum class Severity : uint8_t { error, warning };

/// What can be wrong with a text before it runs (checks.def).
enum class Check : uint8_t {
#define FLOW_CHECK(name, rule, severity, meaning) name,
#include "core/flow/checks.def"
#undef FLOW_CHECK
};

std::string_view rule_of(Check check);
std::string_view meaning_of(Check check);
Severity severity_of(Check check);
size_t checks_count();

/// One thing noticed. Offsets are bytes of the text; people get lines and columns at the end.
struct Issue {
  Check check = Check::syntax;
  Severity severity = Severity::error;
  size_t offset = 0;
  std::string message;
  struct Related {
    size_t offset = 0;
    std::string message;
  };
  std::vector<Related> related;
  std::string_view code;  ///< what the pure grammars call it
};

/// Gathers what the lexer, the parser, the resolver and the checks notice in one text.
class Issues {
 public:
  /// So many errors, and as many warnings, are kept; nobody mends more of them at once.
  static constexpr size_t issues_max = 200;

  explicit Issues(std::string_view text) : text_(text) {}

  /// Gives the issue, so that related places can be added; dropped ones go nowhere.
  Issue& add(Check check, size_t offset, std::string message,
             std::string_view code = "expression_invalid");
  /// Also, but with another severity than the check usually has.
  Issue& add_as(Severity severity, Check check, size_t offset, std::string message);

  bool failed() const { return errors_ > 0; }
  bool full() const { return errors_ >= issues_max; }
  const std::vector<Issue>& all() const { return issues_; }
  std::vector<Issue>& all() { return issues_; }
  /// The first error, as the pure grammars report it.
  SyntaxError first() const;

 private:
  std::string_view text_;
  std::vector<Issue> issues_;
  size_t errors_ = 0;
  size_t warnings_ = 0;
  Issue dropped_;
};

}  // namespace fermata::flow
