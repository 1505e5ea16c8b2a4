#include "core/flow/issues.h"

#include <algorithm>
#include <iterator>

#include "base/check.h"
#include "core/flow/lexer.h"

namespace fermata::flow {

namespace {

struct CheckKind {
  std::string_view rule;
  Severity severity;
  std::string_view meaning;
};
constexpr CheckKind kinds[] = {
#define FLOW_CHECK(name, rule, severity, meaning) {rule, Severity::severity, meaning},
#include "core/flow/checks.def"
#undef FLOW_CHECK
};

}  // namespace

std::string_view rule_of(Check check) { return kinds[static_cast<size_t>(check)].rule; }
std::string_view meaning_of(Check check) { return kinds[static_cast<size_t>(check)].meaning; }
Severity severity_of(Check check) { return kinds[static_cast<size_t>(check)].severity; }
size_t checks_count() { return std::size(kinds); }

Issue& Issues::add(Check check, size_t offset, std::string message, std::string_view code) {
  Issue& made = add_as(severity_of(check), check, offset, std::move(message));
  made.code = code;
  return made;
}

Issue& Issues::add_as(Severity severity, Check check, size_t offset, std::string message) {
  size_t& count = severity == Severity::error ? errors_ : warnings_;
  Issue& made = count++ < issues_max ? issues_.emplace_back() : dropped_;
  made = {check, severity, offset, std::move(message), {}, "expression_invalid"};
  return made;
}

SyntaxError Issues::first() const {
  auto found = std::ranges::find(issues_, Severity::error, &Issue::severity);
  fermata::check(found != issues_.end());
  return syntax_error(text_, found->offset, found->message, found->code);
}

}  // namespace fermata::flow
