#include <functional>
#include <set>

#include "base/random.h"
#include "core/policy/policy_fixture.h"

/// Random policies against a slow reading of the same words: rules one by one, windows as lists.
namespace fermata::policy {
namespace {

using job::VerdictKind;

bool slow_glob(std::string_view pattern, std::string_view text) {
  if (pattern.empty()) return text.empty();
  if (pattern[0] == '*') {
    for (size_t i = 0; i <= text.size(); ++i)
      if (slow_glob(pattern.substr(1), text.substr(i))) return true;
    return false;
  }
  if (text.empty()) return false;
  return (pattern[0] == '?' || pattern[0] == text[0]) &&
         slow_glob(pattern.substr(1), text.substr(1));
}

struct SlowWindow {
  std::vector<std::pair<Instant, std::string>> passed;
};

/// Judges by the document itself, as it was drawn.
class SlowCourt {
 public:
  explicit SlowCourt(Sources sources) : sources_(std::move(sources)) {}

  std::pair<VerdictKind, std::string> ask(const Facts& facts, const std::string& job, Instant now) {
    std::set<std::string> tags(facts.risk_tags.begin(), facts.risk_tags.end());
    AccountId account(facts[TextFact::tenant]);
    for (const Value& entry : list(sources_.base, "derive"))
      if (fits(entry, facts, facts.risk_tags))
        for (const Value& tag : entry.get("add_risk_tags").items())
          tags.insert(std::string(tag.as_string()));
    std::vector<std::string> all(tags.begin(), tags.end());
    auto first =
        [&](const Value& document,
            const std::string& where) -> std::optional<std::pair<VerdictKind, std::string>> {
      for (const Value& rule : list(document, "rules")) {
        if (!fits(rule.get("match"), facts, all)) continue;
        if (!rule.get("velocity").is_null() && !too_many(rule, where, facts, job, now)) continue;
        return std::pair(kind_of(rule.get("decision").as_string()),
                         std::string(rule.get("id").as_string()));
      }
      return std::nullopt;
    };
    if (auto found = first(sources_.invariants, "i")) return *found;
    std::optional<std::pair<VerdictKind, std::string>> own;
    for (const BundleSource& bundle : sources_.bundles[account])
      if (!own) own = first(bundle.document, "b" + account.text() + bundle.id);
    auto base = first(sources_.base, "");
    if (own && base) return own->first > base->first ? *own : *base;
    if (own) return *own;
    if (base) return *base;
    return {kind_of(sources_.base.get("default_decision").as_string()), ""};
  }

 private:
  static std::vector<Value> list(const Value& document, std::string_view name) {
    const Value& found = document.get(name);
    if (!found.is_array()) return {};
    return {found.items().begin(), found.items().end()};
  }
  static VerdictKind kind_of(std::string_view name) {
    for (auto kind : {VerdictKind::allow, VerdictKind::throttle, VerdictKind::require_approval})
      if (job::name_of(kind) == name) return kind;
    return VerdictKind::deny;
  }
  static bool fits(const Value& match, const Facts& facts, const std::vector<std::string>& tags) {
    auto any = [&](std::string_view field, const std::string& text) {
      const Value& patterns = match.get(field);
      if (patterns.is_null()) return true;
      for (const Value& pattern : patterns.items())
        if (slow_glob(pattern.as_string(), text)) return true;
      return false;
    };
    if (!any("topics", facts[TextFact::topic]) || !any("tenants", facts[TextFact::tenant]))
      return false;
    if (const Value& wanted = match.get("risk_tags"); !wanted.is_null()) {
      bool one = false;
      for (const Value& tag : wanted.items())
        one = one || std::count(tags.begin(), tags.end(), tag.as_string()) > 0;
      if (!one) return false;
    }
    if (const Value& labels = match.get("labels"); !labels.is_null())
      for (const Value::Member& label : labels.members()) {
        const Value& value = facts.labels.get(label.key.as_string());
        if (!value.is_string() || !slow_glob(label.value.as_string(), value.as_string()))
          return false;
      }
    const Value& inner = match.get("not");
    return inner.is_null() || !fits(inner, facts, tags);
  }
  bool too_many(const Value& rule, const std::string& where, const Facts& facts,
                const std::string& job, Instant now) {
    const Value& velocity = rule.get("velocity");
    std::string key =
        where + "|" + std::string(rule.get("id").as_string()) + "|" + facts[TextFact::tenant];
    SlowWindow& window = windows_[key];
    Instant begin = now - Duration{velocity.get("window_ms").as_integer()};
    std::set<std::string> inside;
    for (const auto& [at, id] : window.passed)
      if (at > begin) inside.insert(id);
    if (inside.contains(job)) return false;
    if (static_cast<int64_t>(inside.size()) + 1 > velocity.get("max_requests").as_integer())
      return true;
    window.passed.emplace_back(now, job);
    return false;
  }

  Sources sources_;
  std::map<std::string, SlowWindow> windows_;
};

class Drawn {
 public:
  explicit Drawn(uint64_t seed) : random_(seed) {}

  std::string topic() {
    static const char* words[] = {"a", "b", "ab"};
    std::string out = "job";
    for (uint64_t i = 0, n = 1 + random_.below(3); i < n; ++i)
      out += std::string(".") + words[random_.below(3)];
    return out;
  }
  std::string pattern() {
    std::string text = topic();
    if (random_.chance(0.5)) text = text.substr(0, 4 + random_.below(text.size() - 3)) + "*";
    if (random_.chance(0.2)) text[4 + random_.below(text.size() - 4)] = '?';
    return random_.chance(0.1) ? "*" : text;
  }
  std::string tenant() { return random_.chance(0.5) ? "acme" : "umbrella"; }
  Value match(int depth = 0) {
    Value out = Value::object();
    if (random_.chance(0.8)) {
      Value list = Value::array();
      for (uint64_t i = 0, n = 1 + random_.below(2); i < n; ++i) list.push(pattern());
      out.set("topics", std::move(list));
    }
    if (random_.chance(0.2)) out.set("tenants", Value::array({tenant()}));
    if (random_.chance(0.2)) out.set("risk_tags", Value::array({random_.chance(0.5) ? "x" : "y"}));
    if (random_.chance(0.2))
      out.set("labels", Value::object({{"k", random_.chance(0.5) ? "1" : "?"}}));
    if (depth == 0 && random_.chance(0.2)) out.set("not", match(1));
    return out;
  }
  Value rules(bool strict) {
    static const char* all[] = {"deny", "require_approval", "throttle", "allow"};
    Value list = Value::array();
    for (uint64_t i = 0, n = random_.below(6); i < n; ++i) {
      Value rule = Value::object({{"id", "r" + std::to_string(i)},
                                  {"match", match()},
                                  {"decision", all[random_.below(strict ? 2 : 4)]}});
      if (random_.chance(0.4))
        rule.set("velocity", Value::object({{"max_requests", random_.below(4)},
                                            {"window_ms", 1 + random_.below(200)}}));
      list.push(std::move(rule));
    }
    return list;
  }
  Sources sources() {
    Sources out;
    out.base = Value::object({{"version", 1},
                              {"default_decision", random_.chance(0.5) ? "deny" : "allow"},
                              {"rules", rules(false)}});
    if (random_.chance(0.3))
      out.base.set("derive",
                   Value::array({Value::object({{"topics", Value::array({pattern()})},
                                                {"add_risk_tags", Value::array({"x"})}})}));
    if (random_.chance(0.3))
      out.invariants = Value::object({{"version", 1}, {"rules", rules(true)}});
    if (random_.chance(0.5))
      out.bundles[AccountId("acme")] = {
          {"one", Value::object({{"version", 1}, {"rules", rules(false)}})},
          {"two", Value::object({{"version", 1}, {"rules", rules(false)}})}};
    return out;
  }
  Facts drawn_facts() {
    Facts out = facts(topic(), tenant());
    if (random_.chance(0.5)) out.risk_tags = {random_.chance(0.5) ? "x" : "y"};
    if (random_.chance(0.5)) out.labels.set("k", random_.chance(0.5) ? "1" : "22");
    return out;
  }
  Random& random() { return random_; }

 private:
  Random random_;
};

// J-20, J-21
TEST(PolicyRandom, decides_as_the_words_of_its_documents_say) {
  size_t held_back = 0;
  for (uint64_t seed = 1; seed <= 400; ++seed) {
    Drawn drawn(seed);
    Sources sources = drawn.sources();
    Court court{compiled(sources)};
    SlowCourt slow(sources);
    for (int i = 0; i < 60; ++i) {
      Facts asked = drawn.drawn_facts();
      std::string job = "job-" + std::to_string(drawn.random().below(20));
      auto judged = court.ask(asked, job).verdict;
      auto [kind, rule] = slow.ask(asked, job, court.now);
      ASSERT_EQ(job::name_of(judged.kind), job::name_of(kind))
          << "seed " << seed << ", " << to_json(to_value(asked)) << "\n"
          << to_json(sources.base);
      ASSERT_EQ(judged.rule_id, rule) << "seed " << seed;
      held_back += kind == VerdictKind::throttle ? 1 : 0;
      court.now = court.now + Duration{static_cast<int64_t>(drawn.random().below(40))};
    }
  }
  EXPECT_GT(held_back, 100u);
}

}  // namespace
}  // namespace fermata::policy
