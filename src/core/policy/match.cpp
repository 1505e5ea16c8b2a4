#include "core/policy/match.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace fermata::policy {

namespace {

bool any_matches(const std::vector<Glob>& patterns, std::string_view text) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [&](const Glob& pattern) { return pattern.matches(text); });
}

bool contains(const std::vector<std::string>& list, std::string_view text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

std::optional<std::string_view> label(const Facts& facts, const std::string& key) {
  const Value* value = facts.labels.find(key);
  if (!value || !value->is_string()) return std::nullopt;
  return value->as_string();
}

std::optional<double> number(std::string_view text) {
  double value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value))
    return std::nullopt;
  return value;
}

bool over_threshold(const Facts& facts, const std::string& key, double threshold) {
  auto text = label(facts, key);
  if (!text) return true;
  auto value = number(*text);
  return !value || *value > threshold;
}

/// Walks through the fields in the order people read them; `failed` is told the first that does
/// not hold. A name is made only for those who ask for it.
template <class Failed>
bool walk(const Match& match, const Facts& facts, Failed failed, bool unread = false) {
  for (size_t i = 0; i < text_facts; ++i)
    if (!match.texts[i].empty() && !any_matches(match.texts[i], facts.texts[i]))
      return failed(match_name_of(static_cast<TextFact>(i)), "");
  if (!match.risk_tags.empty() &&
      std::none_of(match.risk_tags.begin(), match.risk_tags.end(),
                   [&](const std::string& tag) { return contains(facts.risk_tags, tag); }))
    return failed("risk_tags", "");
  for (const std::string& wanted : match.requires_)
    if (!contains(facts.requires_, wanted)) return failed("requires", "");
  for (const auto& [key, pattern] : match.labels) {
    auto text = label(facts, key);
    if (!text || !pattern.matches(*text)) return failed("labels.", key);
  }
  for (const auto& [key, list] : match.label_allowlist) {
    auto text = label(facts, key);
    if (text && contains(list, *text)) return failed("label_allowlist.", key);
  }
  for (const auto& [key, threshold] : match.label_threshold)
    if (!over_threshold(facts, key, threshold)) return failed("label_threshold.", key);
  if (match.input_size_gt && facts.input_size <= static_cast<uint64_t>(*match.input_size_gt))
    return failed("input_size_gt", "");
  if (match.cost_over_micros &&
      (!facts.max_cost_micros || *facts.max_cost_micros <= *match.cost_over_micros))
    return failed("cost_over_micros", "");
  if (!unread && !match.content.empty() &&
      (!facts.content || !contains(*facts.content, content_key(match.content))))
    return failed("content", "");
  bool inner_unknown = match.not_ && unread && wants_content(*match.not_);
  if (match.not_ && !inner_unknown && holds(*match.not_, facts)) return failed("not", "");
  return true;
}

template <class T>
const T* find_key(const std::vector<std::pair<std::string, T>>& list, const std::string& key) {
  for (const auto& [name, value] : list)
    if (name == key) return &value;
  return nullptr;
}

bool all_covered(const std::vector<Glob>& wide, const std::vector<Glob>& narrow) {
  if (wide.empty()) return true;
  auto takes_all = [](const Glob& pattern) { return pattern.text() == "*"; };
  if (narrow.empty()) return std::any_of(wide.begin(), wide.end(), takes_all);
  return std::all_of(narrow.begin(), narrow.end(), [&](const Glob& one) {
    return std::any_of(wide.begin(), wide.end(),
                       [&](const Glob& pattern) { return pattern.covers(one); });
  });
}

bool is_part(const std::vector<std::string>& part, const std::vector<std::string>& whole) {
  return std::all_of(part.begin(), part.end(),
                     [&](const std::string& one) { return contains(whole, one); });
}

bool labels_cover(const Match& wide, const Match& narrow) {
  for (const auto& [key, pattern] : wide.labels) {
    const Glob* theirs = find_key(narrow.labels, key);
    if (!theirs || !pattern.covers(*theirs)) return false;
  }
  for (const auto& [key, list] : wide.label_allowlist) {
    const auto* theirs = find_key(narrow.label_allowlist, key);
    if (!theirs || !is_part(list, *theirs)) return false;
  }
  for (const auto& [key, threshold] : wide.label_threshold) {
    const double* theirs = find_key(narrow.label_threshold, key);
    if (!theirs || *theirs < threshold) return false;
  }
  return true;
}

}  // namespace

std::optional<std::string> first_failed(const Match& match, const Facts& facts) {
  std::optional<std::string> name;
  walk(match, facts, [&](std::string_view field, std::string_view key) {
    name = std::string(field).append(key);
    return false;
  });
  return name;
}

bool holds(const Match& match, const Facts& facts) {
  return walk(match, facts, [](std::string_view, std::string_view) { return false; });
}

bool may_hold(const Match& match, const Facts& facts) {
  return walk(match, facts, [](std::string_view, std::string_view) { return false; }, true);
}

bool wants_content(const Match& match) {
  return !match.content.empty() || (match.not_ && wants_content(*match.not_));
}

bool covers(const Match& wide, const Match& narrow) {
  // What is left out may be anything: only a rule without it can cover it.
  if (wide.not_) return false;
  if (!wide.content.empty() && !(wide.content == narrow.content)) return false;
  for (size_t i = 0; i < text_facts; ++i)
    if (!all_covered(wide.texts[i], narrow.texts[i])) return false;
  if (!wide.risk_tags.empty() &&
      (narrow.risk_tags.empty() || !is_part(narrow.risk_tags, wide.risk_tags)))
    return false;
  if (!is_part(wide.requires_, narrow.requires_) || !labels_cover(wide, narrow)) return false;
  auto no_less = [](std::optional<int64_t> theirs, std::optional<int64_t> ours) {
    return !ours || (theirs && *theirs >= *ours);
  };
  return no_less(narrow.input_size_gt, wide.input_size_gt) &&
         no_less(narrow.cost_over_micros, wide.cost_over_micros);
}

}  // namespace fermata::policy
