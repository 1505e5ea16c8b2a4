#include <algorithm>
#include <cmath>

#include "base/json.h"
#include "core/policy/match.h"
#include "core/policy/read_parts.h"

namespace fermata::policy {

namespace {

constexpr int match_depth_max = 8;

std::string lower(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

template <class E>
std::vector<std::string_view> words_of() {
  std::vector<std::string_view> words;
  for (uint8_t i = 0; i <= static_cast<uint8_t>(last_of(E{})); ++i)
    words.push_back(name_of(static_cast<E>(i)));
  return words;
}

/// The words a fact can be, for those that are not free texts.
std::vector<std::string_view> words_of(TextFact fact) {
  switch (fact) {
    case TextFact::priority: return words_of<job::Priority>();
    case TextFact::actor_type: return words_of<job::ActorType>();
    case TextFact::source: return words_of<job::Source>();
    default: return {};
  }
}

std::string joined(const std::vector<std::string_view>& words) {
  std::string out;
  for (std::string_view word : words) out.append(out.empty() ? "" : ", ").append(word);
  return out;
}

/// Why it can be no pattern of this fact; empty when it can.
std::string wrong_pattern(TextFact fact, const std::string& text) {
  if (text.empty()) return "An empty pattern matches nothing; leave the field out instead.";
  if (text.size() > pattern_bytes_max)
    return "A pattern has at most " + std::to_string(pattern_bytes_max) + " bytes.";
  auto words = words_of(fact);
  if (words.empty()) return {};
  Glob pattern(text);
  bool fits = std::any_of(words.begin(), words.end(),
                          [&](std::string_view word) { return pattern.matches(word); });
  return fits ? std::string() : "`" + text + "` is none of " + joined(words) + ".";
}

std::vector<Glob> read_patterns(job::Members& members, TextFact fact) {
  std::string_view name = match_name_of(fact);
  const Value* given = members.any(name);
  if (!given) return {};
  if (!given->is_array() || given->size() == 0 || given->size() > patterns_max) {
    members.wrong(name, "A list of 1 to " + std::to_string(patterns_max) +
                            " patterns is expected; leave the field out to match all.");
    return {};
  }
  std::vector<Glob> patterns;
  for (size_t i = 0; i < given->size(); ++i) {
    const Value& item = given->items()[i];
    std::string text = item.is_string() ? std::string(item.as_string()) : std::string();
    std::string wrong =
        item.is_string() ? wrong_pattern(fact, text) : "A pattern is a text; put it in quotes.";
    if (!wrong.empty())
      members.findings().push_back(
          {"invalid_field", members.path_of(name) + "/" + std::to_string(i), std::move(wrong), {}});
    if (fact == TextFact::topic) text = topic_pattern(std::move(text));
    // As the facts of jobs are spelt: else a rule that forbids would never match.
    if (fact == TextFact::capability) text = lower(std::move(text));
    patterns.emplace_back(std::move(text));
  }
  return patterns;
}

void read_labels(job::Members& members, Match& match) {
  Value labels = members.object("labels");
  if (labels.is_object())
    for (const Value::Member& label : labels.members()) {
      if (!label.value.is_string()) {
        members.wrong("labels", "The pattern of label `" + std::string(label.key.as_string()) +
                                    "` is a text; put it in quotes.");
        continue;
      }
      match.labels.emplace_back(label.key.as_string(), Glob(std::string(label.value.as_string())));
    }
  Value thresholds = members.object("label_threshold");
  if (thresholds.is_object())
    for (const Value::Member& label : thresholds.members()) {
      if (!label.value.is_number() || !std::isfinite(label.value.as_number())) {
        members.wrong("label_threshold", "The threshold of label `" +
                                             std::string(label.key.as_string()) + "` is a number.");
        continue;
      }
      match.label_threshold.emplace_back(label.key.as_string(), label.value.as_number());
    }
}

void read_allowlist(job::Members& members, Match& match) {
  Value lists = members.object("label_allowlist");
  if (!lists.is_object()) return;
  job::Members inner(lists, members.path_of("label_allowlist"), members.findings());
  for (const Value::Member& label : lists.members()) {
    std::string key(label.key.as_string());
    if (!label.value.is_array() || label.value.size() == 0)
      inner.wrong(key, "A list of the values that are allowed is expected.");
    match.label_allowlist.emplace_back(key, inner.texts(key));
  }
}

/// What is known of a job before anybody has read its input.
Match read_fields(job::Members& members) {
  Match match;
  for (size_t i = 0; i < text_facts; ++i)
    match.texts[i] = read_patterns(members, static_cast<TextFact>(i));
  match.risk_tags = read_tags(members, "risk_tags");
  match.requires_ = read_tags(members, "requires");
  read_labels(members, match);
  read_allowlist(members, match);
  match.input_size_gt = members.integer("input_size_gt", 0, int64_t{1} << 40);
  match.cost_over_micros = members.integer("cost_over_micros", 0, INT64_MAX);
  return match;
}

}  // namespace

std::vector<std::string> read_tags(job::Members& members, std::string_view name) {
  const Value* given = members.any(name);
  if (given && (!given->is_array() || given->size() == 0 || given->size() > job::facts_max)) {
    members.wrong(name, "A list of 1 to " + std::to_string(job::facts_max) +
                            " words is expected; leave the field out to match all.");
    return {};
  }
  std::vector<std::string> tags = members.texts(name);
  for (std::string& tag : tags) {
    tag = lower(std::move(tag));
    if (tag.empty() || tag.size() > job::fact_bytes_max || tag.find('|') != std::string::npos)
      members.wrong(name, "`" + tag + "` cannot be such a word: 1 to " +
                              std::to_string(job::fact_bytes_max) + " bytes without `|`.");
  }
  std::sort(tags.begin(), tags.end());
  tags.erase(std::unique(tags.begin(), tags.end()), tags.end());
  return tags;
}

Match read_match(job::Members& members) {
  constexpr const char* too_early = "Tags are derived before anybody has read the input.";
  Match match = read_fields(members);
  for (std::string_view name : {"scanners", "keywords", "patterns"})
    if (members.any(name)) members.wrong(name, too_early);
  if (const Value* inner = members.any("not")) {
    match.not_ = std::make_shared<const Match>(
        read_match(*inner, members.path_of("not"), members.findings(), {}, 1));
    if (wants_content(*match.not_)) members.wrong("not", too_early);
  }
  return match;
}

Match read_match(const Value& value, const std::string& path, std::vector<Finding>& findings,
                 const PatternCheck& check, int depth) {
  if (!value.is_object()) {
    findings.push_back({"invalid_field", path, "The fields of a match are expected here.", {}});
    return {};
  }
  if (depth > match_depth_max) {
    findings.push_back({"invalid_field", path, "`not` is nested too deeply.", {}});
    return {};
  }
  job::Members members(value, path, findings);
  Match match = read_fields(members);
  match.content = read_content(members, check);
  if (match.input_size_gt) match.content.size_over = static_cast<uint64_t>(*match.input_size_gt);
  if (const Value* inner = members.any("not"))
    match.not_ = std::make_shared<const Match>(
        read_match(*inner, members.path_of("not"), members.findings(), check, depth + 1));
  members.finish();
  return match;
}

}  // namespace fermata::policy
