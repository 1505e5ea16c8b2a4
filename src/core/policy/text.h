#pragma once
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/json.h"
#include "core/policy/content.h"

namespace fermata::policy {

/// What a text of policy says, and where it says it.
struct ReadText {
  Value value;
  /// By RFC 6901 pointer: where each member (its key) and each item begins.
  std::map<std::string, TextPosition> places{};
};
/// Reads a text; fails with policy_invalid, a finding with line and column.
class TextReader {
 public:
  using Read = std::function<Outcome<ReadText>(std::string_view)>;
  TextReader() = default;
  TextReader(Read read, PatternCheck patterns = {})
      : check(std::move(patterns)), read_(std::move(read)) {}
  template <class F>
    requires std::is_invocable_r_v<Outcome<ReadText>, F, std::string_view>
  TextReader(F read) : read_(std::move(read)) {}
  Outcome<ReadText> operator()(std::string_view text) const { return read_(text); }

  PatternCheck check;  ///< of the expressions in it

 private:
  Read read_;
};

/// Gives each finding the line and column of what it points at, or of the deepest part of it that
/// is there.
void locate(std::vector<Finding>& findings, const ReadText& text);
/// `safety.yaml:3:7: /rules/0/decision: …`, for people who have to find it.
std::string first_of(const std::vector<Finding>& findings, std::string_view file);

}  // namespace fermata::policy
