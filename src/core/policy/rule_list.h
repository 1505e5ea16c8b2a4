#pragma once
#include <map>
#include <string>
#include <vector>

#include "core/policy/document.h"

namespace fermata::policy {

/// Rules of one layer in their order, indexed by what topics they can match, so that a decision
/// looks at few of them however many there are.
class RuleList {
 public:
  RuleList() = default;
  explicit RuleList(std::vector<Rule> rules);

  const std::vector<Rule>& rules() const { return rules_; }
  bool empty() const { return rules_.empty(); }
  /// Positions of the rules that may match a job of this topic, in order.
  std::vector<uint32_t> candidates(const std::string& topic) const;
  /// The id of the earlier rule that takes all that the rule at `position` could match, or empty.
  std::string shadowed_by(size_t position) const;

 private:
  std::vector<Rule> rules_;
  std::map<std::string, std::vector<uint32_t>, std::less<>> exact_;
  /// By what their patterns begin with; an empty beginning fits every topic.
  std::map<std::string, std::vector<uint32_t>, std::less<>> prefixed_;
  std::vector<size_t> prefix_lengths_;
};

}  // namespace fermata::policy
