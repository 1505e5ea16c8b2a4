#include "core/policy/output.h"

#include <algorithm>
#include <array>

#include "base/hash.h"
#include "base/json.h"
#include "core/job/job.h"
#include "core/policy/release.h"

namespace fermata::policy {

namespace {

constexpr std::array<std::string_view, 5> scanner_names = {"secret", "pii", "injection", "size",
                                                           "keyword"};

/// A list that is not given holds for everything.
bool any(const std::vector<Glob>& patterns, std::string_view text) {
  return patterns.empty() || std::any_of(patterns.begin(), patterns.end(),
                                         [&](const Glob& one) { return one.matches(text); });
}

bool any(const std::vector<Glob>& patterns, const std::vector<std::string>& texts) {
  return patterns.empty() || std::any_of(texts.begin(), texts.end(), [&](const std::string& text) {
           return any(patterns, text);
         });
}

bool in_common(const std::vector<std::string>& wanted, const std::vector<std::string>& given) {
  return wanted.empty() || std::any_of(wanted.begin(), wanted.end(), [&](const std::string& one) {
           return std::find(given.begin(), given.end(), one) != given.end();
         });
}

bool holds(const OutputMatch& match, const OutputFacts& facts) {
  if (!any(match.tenants, facts.tenant) || !any(match.topics, facts.topic)) return false;
  if (!any(match.capabilities, facts.capability)) return false;
  if (!any(match.content_types, facts.content_types)) return false;
  if (!in_common(match.risk_tags, facts.risk_tags)) return false;
  if (match.has_error && *match.has_error != facts.has_error) return false;
  return !match.output_size_gt || facts.bytes > static_cast<uint64_t>(*match.output_size_gt);
}

const TopicRelease* override_of(const OutputPolicy& policy, const std::string& topic) {
  for (const TopicRelease& one : policy.topics)
    if (one.pattern.matches(topic)) return &one;
  return nullptr;
}

}  // namespace

std::string_view name_of(Scanner scanner) { return scanner_names[static_cast<size_t>(scanner)]; }

std::optional<Scanner> scanner_of(std::string_view name) {
  for (size_t i = 0; i < scanner_names.size(); ++i)
    if (scanner_names[i] == name) return static_cast<Scanner>(i);
  return std::nullopt;
}

std::string content_key(const Content& content) {
  Value key = Value::array();
  for (Scanner scanner : content.scanners) key.push(name_of(scanner));
  for (const auto* list : {&content.keywords, &content.patterns}) {
    Value texts = Value::array();
    for (const std::string& text : *list) texts.push(text);
    key.push(std::move(texts));
  }
  bool by_size = std::find(content.scanners.begin(), content.scanners.end(), Scanner::size) !=
                 content.scanners.end();
  if (by_size) key.push(content.size_over);
  return sha256_hex(to_json(key));
}

OutputFacts output_facts_of(const job::Job& job, const job::ResultSize& size) {
  OutputFacts facts;
  facts.tenant = job.account.text();
  facts.topic = job.request.topic;
  facts.capability = job.request.capability;
  facts.risk_tags = job.request.risk_tags;
  facts.has_error = size.has_error;
  facts.bytes = size.output_bytes + size.artifact_bytes;
  facts.content_types.emplace_back("application/json");
  if (size.artifacts > 0) facts.content_types.emplace_back("application/octet-stream");
  return facts;
}

std::vector<const OutputRule*> candidates(const OutputPolicy& policy, const OutputFacts& facts) {
  std::vector<const OutputRule*> found;
  for (const OutputRule& rule : policy.rules) {
    if (!rule.enabled || !holds(rule.match, facts)) continue;
    found.push_back(&rule);
    if (rule.match.content.empty()) break;
  }
  return found;
}

bool is_on(const OutputPolicy& policy, const std::string& topic) {
  const TopicRelease* own = override_of(policy, topic);
  return own && own->enabled ? *own->enabled : policy.enabled;
}

std::optional<job::OutputPlan> release_of(const OutputPolicy* policy,
                                          const OutputSettings& settings,
                                          const std::string& topic) {
  static const OutputPolicy nothing_said;
  const OutputPolicy& said = policy ? *policy : nothing_said;
  if (!settings.enabled || !is_on(said, topic)) return std::nullopt;
  job::OutputPlan plan;
  const TopicRelease* own = override_of(said, topic);
  Release release = own && own->release ? *own->release : said.release;
  plan.optimistic = release == Release::optimistic;
  FailMode mode = plan.optimistic ? FailMode::open : FailMode::closed;
  if (said.fail_mode) mode = *said.fail_mode;
  if (own && own->fail_mode) mode = *own->fail_mode;
  if (settings.fail_mode) mode = *settings.fail_mode;
  plan.fail_open = mode == FailMode::open;
  return plan;
}

job::OutputPlan plan_for_kernel(const OutputPolicy* policy, const OutputSettings& settings,
                                const OutputFacts& facts) {
  job::OutputPlan plan = plan_output(policy, settings, facts);
  if (plan.step != job::OutputPlan::Step::pass) return plan;
  auto release = release_of(policy, settings, facts.topic);
  if (!release) return plan;
  release->step = job::OutputPlan::Step::scan;
  return *release;
}

job::OutputPlan plan_output(const OutputPolicy* policy, const OutputSettings& settings,
                            const OutputFacts& facts) {
  if (!policy || policy->rules.empty()) return {};
  auto release = release_of(policy, settings, facts.topic);
  if (!release) return {};
  job::OutputPlan plan = *release;
  auto rules = candidates(*policy, facts);
  if (rules.empty()) return plan;
  const OutputRule& first = *rules.front();
  if (!first.match.content.empty()) {
    plan.step = job::OutputPlan::Step::scan;
    return plan;
  }
  plan.rule_id = first.id;
  plan.reason = first.reason;
  plan.severity = first.severity;
  plan.decision = first.decision;
  if (first.decision != job::OutputDecision::allow) plan.step = job::OutputPlan::Step::refuse;
  return plan;
}

}  // namespace fermata::policy
