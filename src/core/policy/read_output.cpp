#include <algorithm>
#include <set>

#include "core/policy/read_parts.h"

/// The parts of a document that are about content: `output_policy`, `output_rules`, and what rules
/// look for.
namespace fermata::policy {

namespace {

using job::OutputDecision;
using job::Severity;

constexpr size_t output_rules_max = 1'000;
constexpr size_t release_topics_max = 1'000;

template <class E>
std::optional<E> read_enum(job::Members& members, std::string_view name,
                           std::initializer_list<std::pair<std::string_view, E>> words) {
  auto text = members.text(name);
  if (!text) return std::nullopt;
  std::string list;
  for (const auto& [word, value] : words) {
    if (word == *text) return value;
    list.append(list.empty() ? "" : ", ").append(word);
  }
  members.wrong(name, "`" + *text + "` is none of " + list + ".");
  return std::nullopt;
}

std::optional<bool> read_switch(job::Members& members, std::string_view name) {
  const Value* value = members.any(name);
  if (!value) return std::nullopt;
  if (value->is_bool()) return value->as_bool();
  members.wrong(name, "true or false is expected.");
  return std::nullopt;
}

std::optional<Release> read_release(job::Members& members) {
  return read_enum<Release>(members, "release",
                            {{"gated", Release::gated}, {"optimistic", Release::optimistic}});
}

std::optional<FailMode> read_fail_mode(job::Members& members) {
  return read_enum<FailMode>(members, "fail_mode",
                             {{"closed", FailMode::closed}, {"open", FailMode::open}});
}

/// A list of `least` to `most` texts that are not empty; one that is absent is empty.
std::vector<std::string> read_list(job::Members& members, std::string_view name, size_t most,
                                   size_t bytes_max) {
  const Value* given = members.any(name);
  if (!given) return {};
  if (!given->is_array() || given->size() == 0 || given->size() > most) {
    members.wrong(name, "A list of 1 to " + std::to_string(most) +
                            " texts is expected; leave the field out instead of an empty list.");
    return {};
  }
  std::vector<std::string> texts = members.texts(name);
  for (size_t i = 0; i < given->size(); ++i) {
    const Value& item = given->items()[i];
    if (!item.is_string() || (!item.as_string().empty() && item.as_string().size() <= bytes_max))
      continue;
    members.findings().push_back({"invalid_field",
                                  members.path_of(name) + "/" + std::to_string(i),
                                  "1 to " + std::to_string(bytes_max) + " bytes are expected.",
                                  {}});
  }
  return texts;
}

std::vector<Glob> globs_of(std::vector<std::string> texts) {
  std::vector<Glob> out;
  for (std::string& text : texts) out.emplace_back(std::move(text));
  return out;
}

std::vector<Glob> read_globs(job::Members& members, std::string_view name) {
  return globs_of(read_list(members, name, patterns_max, pattern_bytes_max));
}

std::vector<Glob> read_topics(job::Members& members) {
  std::vector<std::string> texts = read_list(members, "topics", patterns_max, pattern_bytes_max);
  for (std::string& text : texts) text = topic_pattern(std::move(text));
  return globs_of(std::move(texts));
}

TopicRelease read_topic(const Value& value, const std::string& path,
                        std::vector<Finding>& findings) {
  job::Members members(value, path, findings);
  TopicRelease topic;
  members.require("pattern");
  std::string pattern = members.text_or_empty("pattern");
  if (members.any("pattern") && (pattern.empty() || pattern.size() > pattern_bytes_max))
    members.wrong("pattern", "1 to " + std::to_string(pattern_bytes_max) + " bytes are expected.");
  topic.pattern = Glob(topic_pattern(std::move(pattern)));
  topic.release = read_release(members);
  topic.fail_mode = read_fail_mode(members);
  topic.enabled = read_switch(members, "enabled");
  members.finish();
  return topic;
}

void read_settings(job::Members& members, OutputPolicy& policy) {
  const Value* given = members.any("output_policy");
  if (!given) return;
  job::Members part(*given, members.path_of("output_policy"), members.findings());
  policy.enabled = read_switch(part, "enabled").value_or(true);
  policy.release = read_release(part).value_or(Release::gated);
  policy.fail_mode = read_fail_mode(part);
  if (part.any("national_ids")) {
    policy.national_ids = read_list(part, "national_ids", 16, 16);
    for (const std::string& id : policy.national_ids)
      if (id != "us_ssn" && id != "uk_nino" && id != "es_dni")
        part.wrong("national_ids", "`" + id + "` is none of us_ssn, uk_nino, es_dni.");
  }
  if (const Value* topics = part.any("topics")) {
    if (!topics->is_array() || topics->size() > release_topics_max) {
      part.wrong("topics", "A list of at most " + std::to_string(release_topics_max) +
                               " topics is expected.");
    } else {
      for (size_t i = 0; i < topics->size(); ++i)
        policy.topics.push_back(read_topic(topics->items()[i],
                                           part.path_of("topics") + "/" + std::to_string(i),
                                           members.findings()));
    }
  }
  part.finish();
}

OutputMatch read_output_match(const Value& value, const std::string& path,
                              const PatternCheck& check, std::vector<Finding>& findings) {
  job::Members members(value, path, findings);
  OutputMatch match;
  match.tenants = read_globs(members, "tenants");
  match.topics = read_topics(members);
  match.capabilities = read_globs(members, "capabilities");
  match.content_types = read_globs(members, "content_types");
  match.risk_tags = read_tags(members, "risk_tags");
  match.has_error = read_switch(members, "has_error");
  match.output_size_gt = members.integer("output_size_gt", 0, int64_t{1} << 40);
  match.content = read_content(members, check);
  if (match.output_size_gt) match.content.size_over = static_cast<uint64_t>(*match.output_size_gt);
  members.finish();
  return match;
}

OutputRule read_output_rule(const Value& value, const std::string& path, const PatternCheck& check,
                            std::vector<Finding>& findings) {
  OutputRule rule;
  if (!value.is_object()) {
    findings.push_back({"invalid_field", path, "A rule is an object.", {}});
    return rule;
  }
  job::Members members(value, path, findings);
  members.require("id");
  rule.id = members.text_or_empty("id");
  if (members.any("id") && (rule.id.empty() || rule.id.size() > rule_id_bytes_max))
    members.wrong("id", "1 to " + std::to_string(rule_id_bytes_max) + " bytes are expected.");
  rule.enabled = read_switch(members, "enabled").value_or(true);
  rule.severity = read_enum<Severity>(members, "severity",
                                      {{"low", Severity::low},
                                       {"medium", Severity::medium},
                                       {"high", Severity::high},
                                       {"critical", Severity::critical}})
                      .value_or(Severity::medium);
  if (const Value* match = members.any("match")) {
    rule.match = read_output_match(*match, members.path_of("match"), check, findings);
  } else {
    members.wrong("match", "This field is required; `{}` matches every result.");
  }
  members.require("decision");
  rule.decision = read_enum<OutputDecision>(members, "decision",
                                            {{"allow", OutputDecision::allow},
                                             {"quarantine", OutputDecision::quarantine},
                                             {"deny", OutputDecision::deny},
                                             {"redact", OutputDecision::redact}})
                      .value_or(OutputDecision::quarantine);
  rule.reason = members.text_or_empty("reason");
  rule.keep_original = read_switch(members, "keep_original").value_or(false);
  bool redacts = rule.decision == OutputDecision::redact;
  if (rule.keep_original && !redacts)
    members.wrong("keep_original", "Only a rule that decides redact has it.");
  if (redacts && rule.match.content.empty())
    members.wrong("match", "A rule that redacts says what: scanners, keywords or patterns.");
  members.finish();
  return rule;
}

}  // namespace

std::string topic_pattern(std::string pattern) {
  bool whole = pattern.starts_with("job.") || pattern.starts_with('*') || pattern.starts_with('?');
  return whole ? pattern : "job." + pattern;
}

Content read_content(job::Members& members, const PatternCheck& check) {
  Content content;
  for (const std::string& name : read_list(members, "scanners", 16, 64)) {
    if (auto scanner = scanner_of(name)) {
      content.scanners.push_back(*scanner);
    } else {
      members.wrong("scanners", "`" + name + "` is none of secret, pii, injection, size, keyword.");
    }
  }
  content.keywords = read_list(members, "keywords", keywords_max, keyword_bytes_max);
  content.patterns =
      read_list(members, "patterns", content_patterns_max, content_pattern_bytes_max);
  for (size_t i = 0; check && i < content.patterns.size(); ++i)
    if (std::string wrong = check(content.patterns[i]); !wrong.empty())
      members.findings().push_back(
          {"invalid_pattern", members.path_of("patterns") + "/" + std::to_string(i), wrong, {}});
  bool by_keyword = std::find(content.scanners.begin(), content.scanners.end(), Scanner::keyword) !=
                    content.scanners.end();
  if (by_keyword && content.keywords.empty())
    members.wrong("keywords", "The scanner `keyword` looks for them; name at least one.");
  return content;
}

OutputPolicy read_output_policy(job::Members& members, const PatternCheck& check) {
  OutputPolicy policy;
  read_settings(members, policy);
  const Value* list = members.any("output_rules");
  if (!list) return policy;
  if (!list->is_array() || list->size() > output_rules_max) {
    members.wrong("output_rules",
                  "A list of at most " + std::to_string(output_rules_max) + " rules is expected.");
    return policy;
  }
  std::set<std::string> seen;
  for (size_t i = 0; i < list->size(); ++i) {
    std::string path = members.path_of("output_rules") + "/" + std::to_string(i);
    policy.rules.push_back(read_output_rule(list->items()[i], path, check, members.findings()));
    const std::string& id = policy.rules.back().id;
    if (!id.empty() && !seen.insert(id).second)
      members.findings().push_back(
          {"duplicate_id", path + "/id", "Another rule has the id `" + id + "`.", {}});
  }
  return policy;
}

}  // namespace fermata::policy
