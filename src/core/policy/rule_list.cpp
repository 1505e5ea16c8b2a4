#include "core/policy/rule_list.h"

#include <algorithm>

#include "core/policy/match.h"

namespace fermata::policy {

RuleList::RuleList(std::vector<Rule> rules) : rules_(std::move(rules)) {
  for (uint32_t i = 0; i < rules_.size(); ++i) {
    const std::vector<Glob>& topics = rules_[i].match[TextFact::topic];
    if (topics.empty()) prefixed_[""].push_back(i);
    for (const Glob& topic : topics) {
      auto& positions =
          topic.exact() ? exact_[topic.text()] : prefixed_[std::string(topic.prefix())];
      if (positions.empty() || positions.back() != i) positions.push_back(i);
    }
  }
  for (const auto& [prefix, positions] : prefixed_) prefix_lengths_.push_back(prefix.size());
  std::sort(prefix_lengths_.begin(), prefix_lengths_.end());
  prefix_lengths_.erase(std::unique(prefix_lengths_.begin(), prefix_lengths_.end()),
                        prefix_lengths_.end());
}

std::vector<uint32_t> RuleList::candidates(const std::string& topic) const {
  std::vector<uint32_t> found;
  auto add = [&](const std::vector<uint32_t>& positions) {
    found.insert(found.end(), positions.begin(), positions.end());
  };
  if (auto exact = exact_.find(topic); exact != exact_.end()) add(exact->second);
  for (size_t length : prefix_lengths_) {
    if (length > topic.size()) break;
    auto prefixed = prefixed_.find(std::string_view(topic).substr(0, length));
    if (prefixed != prefixed_.end()) add(prefixed->second);
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

std::string RuleList::shadowed_by(size_t position) const {
  for (size_t i = 0; i < position; ++i)
    if (!rules_[i].velocity && covers(rules_[i].match, rules_[position].match)) return rules_[i].id;
  return {};
}

}  // namespace fermata::policy
