#include "core/policy/judge.h"

#include <algorithm>
#include <array>

#include "base/json.h"
#include "core/policy/match.h"

namespace fermata::policy {

namespace {

using job::VerdictKind;

/// The rule that decides in one layer, and what it says now.
struct Found {
  const Rule* rule = nullptr;
  Layer layer = Layer::base;
  std::string bundle;
  VerdictKind kind = VerdictKind::deny;
  bool blind = false;  ///< its window could not be read
};

struct Asked {
  const Facts& facts;
  const JobId& job;
  const Windows& windows;
  Instant now;
  std::vector<job::VelocityCount> counted{};
};

/// True when the rule decides for a job that its match holds for. A job that it lets pass counts.
bool decides(Asked& asked, const Rule& rule, Found& found) {
  found.rule = &rule;
  found.kind = rule.decision;
  if (!rule.velocity) return true;
  if (!asked.windows.readable()) {
    found.kind = VerdictKind::require_approval;
    found.blind = true;
    return true;
  }
  const Velocity& velocity = *rule.velocity;
  std::string key = window_key(found.layer, found.bundle, rule, asked.facts);
  if (asked.windows.exceeds(key, velocity.max_requests, velocity.window_ms, asked.job, asked.now))
    return true;
  asked.counted.push_back({std::move(key), velocity.window_ms});
  return false;
}

Found first_in(const DocumentPtr& document, Layer layer, Asked& asked) {
  if (!document) return {};
  for (uint32_t position : document->rules.candidates(asked.facts[TextFact::topic])) {
    const Rule& rule = document->rules.rules()[position];
    if (!holds(rule.match, asked.facts)) continue;
    Found found;
    found.layer = layer;
    found.bundle = document->id;
    if (decides(asked, rule, found)) return found;
  }
  return {};
}

/// How high the lowest role is that may answer.
size_t lowest_rank(const Value& approval) {
  constexpr std::array<std::string_view, 4> roles = {"operator", "editor", "admin", "root"};
  const Value& given = approval.get("roles");
  size_t lowest = given.is_array() ? roles.size() : 0;
  if (given.is_array())
    for (const Value& role : given.items()) {
      auto found = std::find(roles.begin(), roles.end(), role.as_string());
      lowest = std::min(lowest, static_cast<size_t>(found - roles.begin()));
    }
  return lowest;
}

/// That an approval waits when nothing is said of it (J-40).
constexpr int64_t day_ms = 86'400'000;

/// Of two rules that ask people: more of them, of the higher role, within the shorter time.
Value stricter(const Value& base, const Value& other) {
  Value merged = base.is_object() ? base : Value::object();
  auto given_number = [](const Value& approval, std::string_view name) {
    const Value& given = approval.get(name);
    return given.is_integer() ? std::optional(given.as_integer()) : std::nullopt;
  };
  auto count = given_number(other, "count");
  if (count && *count > given_number(base, "count").value_or(1)) merged.set("count", *count);
  auto expires = given_number(other, "expires_ms");
  if (expires && *expires < given_number(base, "expires_ms").value_or(day_ms))
    merged.set("expires_ms", *expires);
  if (lowest_rank(other) > lowest_rank(base)) merged.set("roles", other.get("roles"));
  return merged.size() > 0 ? merged : Value();
}

job::Verdict verdict_of(const AccountPolicy& policy, const Found& found) {
  job::Verdict verdict;
  verdict.kind = found.kind;
  verdict.snapshot = policy.snapshot;
  verdict.rule_id = found.rule->id;
  verdict.reason = found.blind ? "the window of this rule cannot be read" : found.rule->reason;
  verdict.source = "rules";
  verdict.bundle = found.bundle;
  if (found.kind == VerdictKind::allow_with_constraints)
    verdict.constraints = found.rule->constraints;
  if (found.kind == VerdictKind::require_approval) verdict.approval = found.rule->approval;
  if (found.kind >= VerdictKind::require_approval) verdict.remediations = found.rule->remediations;
  return verdict;
}

job::Verdict default_verdict(const AccountPolicy& policy) {
  job::Verdict verdict;
  verdict.snapshot = policy.snapshot;
  verdict.source = "rules";
  verdict.kind = VerdictKind::allow;
  if (policy.base && policy.base->document.default_decision)
    verdict.kind = *policy.base->document.default_decision;
  verdict.reason = "no rule matches";
  return verdict;
}

job::Verdict combined(const AccountPolicy& policy, const Found& account, const Found& base) {
  if (!account.rule && !base.rule) return default_verdict(policy);
  if (!base.rule) return verdict_of(policy, account);
  if (!account.rule) return verdict_of(policy, base);
  bool relax = policy.base->document.overlays == Overlays::relax;
  if (relax || account.kind > base.kind) return verdict_of(policy, account);
  job::Verdict verdict = verdict_of(policy, base);
  bool both_constrain =
      base.kind == VerdictKind::allow_with_constraints && account.kind == base.kind;
  bool both_ask = base.kind == VerdictKind::require_approval && account.kind == base.kind;
  if (both_ask) verdict.approval = stricter(verdict.approval, account.rule->approval);
  if (both_constrain)
    verdict.constraints = job::tighter_constraints(verdict.constraints, account.rule->constraints);
  return verdict;
}

std::string_view text_of(const Facts& facts, const std::string& name) {
  if (auto fact = text_fact_of(name)) return facts[*fact];
  const Value& label = facts.labels.get(std::string_view(name).substr(7));
  return label.is_string() ? label.as_string() : std::string_view();
}

void add_tags(const DocumentPtr& document, const Facts& given, Facts& out) {
  if (!document) return;
  for (const Derivation& derivation : document->document.derive)
    if (holds(derivation.match, given))
      out.risk_tags.insert(out.risk_tags.end(), derivation.add_risk_tags.begin(),
                           derivation.add_risk_tags.end());
}

void explain_layer(const DocumentPtr& document, Layer layer, Asked& asked,
                   std::vector<Explained>& out) {
  if (!document) return;
  for (const Rule& rule : document->rules.rules()) {
    Explained line{layer, document->id, rule.id, rule.decision, false, {}};
    if (auto failed = first_failed(rule.match, asked.facts)) {
      line.failed = *std::move(failed);
    } else {
      Found found;
      found.layer = layer;
      found.bundle = document->id;
      line.matched = decides(asked, rule, found);
      line.decision = found.kind;
      if (!line.matched) line.failed = "velocity";
    }
    out.push_back(std::move(line));
  }
}

}  // namespace

std::string_view name_of(Layer layer) {
  switch (layer) {
    case Layer::invariants: return "invariants";
    case Layer::bundle: return "bundle";
    case Layer::base: return "base";
    case Layer::default_: return "default";
  }
  return "";
}

std::string window_key(Layer layer, const std::string& bundle, const Rule& rule,
                       const Facts& facts) {
  Value key = Value::array({name_of(layer)});
  // Bundles of two accounts may have the same names.
  key.push(layer == Layer::bundle ? facts[TextFact::tenant] : "");
  key.push(bundle);
  key.push(rule.id);
  for (const std::string& name : rule.velocity->key) {
    key.push(name);
    key.push(text_of(facts, name));
  }
  return to_json(key);
}

Facts derived(const AccountPolicy& policy, Facts facts) {
  Facts out = facts;
  for (const DocumentPtr& bundle : policy.bundles) add_tags(bundle, facts, out);
  add_tags(policy.base, facts, out);
  std::sort(out.risk_tags.begin(), out.risk_tags.end());
  out.risk_tags.erase(std::unique(out.risk_tags.begin(), out.risk_tags.end()), out.risk_tags.end());
  return out;
}

namespace {

void collect(const Match& match, std::vector<Content>& out) {
  if (!match.content.empty() && std::find(out.begin(), out.end(), match.content) == out.end())
    out.push_back(match.content);
  if (match.not_) collect(*match.not_, out);
}

void collect(const DocumentPtr& document, const Facts& facts, std::vector<Content>& out) {
  if (!document) return;
  for (uint32_t position : document->rules.candidates(facts[TextFact::topic])) {
    const Rule& rule = document->rules.rules()[position];
    if (!may_hold(rule.match, facts)) continue;
    collect(rule.match, out);
    // Behind a rule that surely decides nobody looks.
    if (!wants_content(rule.match) && !rule.velocity) return;
  }
}

}  // namespace

std::vector<Content> wanted_content(const AccountPolicy& policy, const Facts& given) {
  Facts facts = derived(policy, given);
  std::vector<Content> wanted;
  collect(policy.invariants, facts, wanted);
  for (const DocumentPtr& bundle : policy.bundles) collect(bundle, facts, wanted);
  collect(policy.base, facts, wanted);
  return wanted;
}

job::Judged judge(const AccountPolicy& policy, const Facts& given, const JobId& job,
                  const Windows& windows, Instant now) {
  Facts facts = derived(policy, given);
  Asked asked{facts, job, windows, now};
  Found final = first_in(policy.invariants, Layer::invariants, asked);
  job::Verdict verdict;
  if (final.rule) {
    verdict = verdict_of(policy, final);
  } else {
    Found account;
    for (const DocumentPtr& bundle : policy.bundles) {
      account = first_in(bundle, Layer::bundle, asked);
      if (account.rule) break;
    }
    verdict = combined(policy, account, first_in(policy.base, Layer::base, asked));
  }
  job::Judged judged(std::move(verdict));
  judged.facts = to_value(facts);
  judged.counted = std::move(asked.counted);
  return judged;
}

std::vector<Explained> explain(const AccountPolicy& policy, const Facts& given, const JobId& job,
                               const Windows& windows, Instant now) {
  Facts facts = derived(policy, given);
  Asked asked{facts, job, windows, now};
  std::vector<Explained> out;
  explain_layer(policy.invariants, Layer::invariants, asked, out);
  for (const DocumentPtr& bundle : policy.bundles) explain_layer(bundle, Layer::bundle, asked, out);
  explain_layer(policy.base, Layer::base, asked, out);
  return out;
}

}  // namespace fermata::policy
