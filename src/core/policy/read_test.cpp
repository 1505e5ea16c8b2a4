#include "core/policy/policy_fixture.h"

namespace fermata::policy {
namespace {

std::vector<std::string> mistakes(std::string_view text, DocumentKind kind = DocumentKind::base) {
  std::vector<std::string> out;
  for (const Finding& finding : read_document(json(text), kind).findings)
    out.push_back(finding.path);
  return out;
}

using Paths = std::vector<std::string>;

TEST(PolicyDocument, the_file_of_the_guide_is_read) {
  auto reading = read_document(json(R"({"version": 1, "default_decision": "deny",
    "input_policy": {"fail_mode": "closed"},
    "derive": [{"topics": ["job.pay.*"], "add_risk_tags": ["Money"]}],
    "rules": [
      {"id": "big", "match": {"topics": ["pay.*"], "label_threshold": {"amount": 1000}},
       "decision": "require_approval", "reason": "above 1000 a person decides",
       "approval": {"roles": ["operator"], "count": 2, "expires_ms": 86400000}},
      {"id": "burst", "match": {"topics": ["job.mail.*"]},
       "velocity": {"max_requests": 100, "window_ms": 60000, "key": ["tenant", "labels.campaign"]},
       "decision": "throttle"},
      {"id": "pay", "match": {"risk_tags": ["money"]}, "decision": "allow_with_constraints",
       "constraints": {"budgets": {"max_runtime_ms": 30000, "max_retries": 2}}},
      {"id": "rest", "match": {"topics": ["job.*"]}, "decision": "allow"}],
    "output_policy": {"enabled": true, "release": "gated", "fail_mode": "closed", "topics": []},
    "output_rules": []})"),
                               DocumentKind::base);
  for (const Finding& finding : reading.findings)
    ADD_FAILURE() << finding.path << ": " << finding.message;
  ASSERT_EQ(reading.document.rules.size(), 4u);
  EXPECT_EQ(reading.document.rules[0].match[TextFact::topic][0].text(), "job.pay.*");
  EXPECT_EQ(reading.document.derive[0].add_risk_tags, Paths{"money"});
  EXPECT_EQ(reading.document.default_decision, job::VerdictKind::deny);
}

// J-23: every mistake is found, each with its place.
TEST(PolicyDocument, every_mistake_is_told_by_its_path) {
  EXPECT_EQ(mistakes("[]"), Paths{""});
  EXPECT_EQ(mistakes("{}"), (Paths{"/version", "/default_decision"}));
  EXPECT_EQ(mistakes(R"({"version":2,"default_decision":"throttle"})"),
            (Paths{"/version", "/default_decision"}));
  EXPECT_EQ(mistakes(R"({"version":1,"default_decision":"deny","rulez":[]})"), Paths{"/rulez"});
  EXPECT_EQ(mistakes(R"({"version":1,"default_decision":"deny","rules":[
      {"id":"a","match":{"topic":["x"]},"decision":"alow"},
      {"id":"a","decision":"deny"},
      {"match":{"topics":[]},"decision":"deny"},
      {"id":"d","match":{"topics":[7],"priorities":["urgent"]},"decision":"deny"}]})"),
            (Paths{"/rules/0/match/topic", "/rules/0/decision", "/rules/1/match", "/rules/1/id",
                   "/rules/2/id", "/rules/2/match/topics", "/rules/3/match/topics/0",
                   "/rules/3/match/priorities/0"}));
}

// J-6
TEST(PolicyDocument, remediations_change_something_and_set_no_label_of_the_engine) {
  auto rule = [](const std::string& remediations, const std::string& decision = "deny") {
    return mistakes(R"({"version":1,"default_decision":"deny","rules":[{"id":"a","match":{},)"
                    R"("decision":")" +
                    decision + R"(","remediations":)" + remediations + "}]}");
  };
  EXPECT_EQ(rule(R"([{"id":"x","title":"Ask the bank","replacement_topic":"pay.small",
                      "replacement_capability":"pay","add_labels":{"a":"1"},
                      "remove_labels":["b"]}])"),
            Paths{});
  EXPECT_EQ(rule(R"([{"id":"x","remove_labels":["b"]}])", "allow"), Paths{"/rules/0/remediations"});
  EXPECT_EQ(rule("[]"), Paths{"/rules/0/remediations"});
  EXPECT_EQ(rule(R"([{"id":"x","summary":"nothing"}])"), Paths{"/rules/0/remediations/0"});
  EXPECT_EQ(rule(R"([{"id":"x","add_labels":{"approval_granted":"true"}}])"),
            Paths{"/rules/0/remediations/0/add_labels"});
  EXPECT_EQ(rule(R"([{"id":"x","replacement_topic":"pay..x"},
                     {"id":"x","replacement_topic":"job.y","colour":1},{"add_labels":{"a":1}}])"),
            (Paths{"/rules/0/remediations/0/replacement_topic", "/rules/0/remediations/1/colour",
                   "/rules/0/remediations/1/id", "/rules/0/remediations/2/id",
                   "/rules/0/remediations/2/add_labels"}));
}

TEST(PolicyDocument, parts_belong_to_their_decisions) {
  EXPECT_EQ(mistakes(R"({"version":1,"default_decision":"deny","rules":[
      {"id":"a","match":{},"decision":"allow","approval":{"count":1}},
      {"id":"b","match":{},"decision":"allow_with_constraints"},
      {"id":"c","match":{},"decision":"deny","constraints":{"budgets":{"max_retries":1}}},
      {"id":"d","match":{},"decision":"require_approval","approval":{"count":6,"roles":["boss"]}},
      {"id":"e","match":{},"decision":"allow_with_constraints",
       "constraints":{"budgets":{"max_speed":1}}}]})"),
            (Paths{"/rules/0/approval", "/rules/1/constraints", "/rules/2/constraints",
                   "/rules/3/approval/roles", "/rules/3/approval/count",
                   "/rules/4/constraints/budgets/max_speed"}));
}

TEST(PolicyDocument, windows_have_limits_and_known_keys) {
  EXPECT_EQ(mistakes(R"({"version":1,"default_decision":"deny","rules":[
      {"id":"a","match":{},"decision":"throttle",
       "velocity":{"max_requests":-1,"window_ms":86400001,"key":["tenent","labels."]}},
      {"id":"b","match":{},"decision":"throttle","velocity":{}}]})"),
            (Paths{"/rules/0/velocity/max_requests", "/rules/0/velocity/window_ms",
                   "/rules/0/velocity/key", "/rules/0/velocity/key",
                   "/rules/1/velocity/max_requests", "/rules/1/velocity/window_ms"}));
}

// J-20: rules on the content of inputs; tags are derived before anybody has read them.
TEST(PolicyDocument, rules_may_ask_about_content_and_derivations_may_not) {
  EXPECT_EQ(mistakes(R"({"version":1,"default_decision":"deny","rules":[
      {"id":"a","match":{"scanners":["secret"],"not":{"keywords":["x"]}},"decision":"deny"}]})"),
            Paths{});
  EXPECT_EQ(mistakes(R"({"version":1,"default_decision":"deny","derive":[
      {"keywords":["x"],"add_risk_tags":["y"]},
      {"not":{"patterns":["x"]},"add_risk_tags":["y"]}]})"),
            (Paths{"/derive/0/keywords", "/derive/1/not"}));
}

// J-45, J-49: rules on results.
TEST(PolicyDocument, output_rules_are_read_with_all_their_parts) {
  auto reading = read_document(json(R"({"version":1,"default_decision":"allow",
      "output_policy":{"release":"optimistic","fail_mode":"closed","national_ids":["us_ssn"],
        "topics":[{"pattern":"pay.*","release":"gated","enabled":false}]},
      "output_rules":[{"id":"a","severity":"critical","match":{"topics":["pay.*"],
        "content_types":["application/json"],"has_error":false,"output_size_gt":10,
        "scanners":["secret","size"],"keywords":["x"],"patterns":["y+"]},
        "decision":"redact","keep_original":true,"reason":"because"},
        {"id":"b","enabled":false,"match":{},"decision":"deny"}]})"),
                               DocumentKind::base);
  ASSERT_TRUE(reading.ok()) << reading.findings[0].path << reading.findings[0].message;
  const OutputPolicy& output = reading.document.output;
  EXPECT_EQ(output.release, Release::optimistic);
  EXPECT_EQ(output.fail_mode, FailMode::closed);
  ASSERT_EQ(output.topics.size(), 1u);
  EXPECT_TRUE(output.topics[0].pattern.matches("job.pay.eu"));
  ASSERT_EQ(output.rules.size(), 2u);
  EXPECT_EQ(output.rules[0].severity, job::Severity::critical);
  EXPECT_EQ(output.rules[0].match.content.size_over, 10u);
  EXPECT_TRUE(output.rules[0].keep_original);
  EXPECT_FALSE(output.rules[1].enabled);
}

TEST(PolicyDocument, mistakes_in_output_rules_are_told_with_their_places) {
  EXPECT_EQ(
      mistakes(R"({"version":1,"default_decision":"deny",
      "output_policy":{"release":"later","enabled":1,"topics":[{"release":"gated"}],
        "national_ids":["mars"]},
      "output_rules":[{"id":"a","match":{"scanners":["smell"]},"decision":"redact"},
        {"id":"a","match":{"keywords":[]},"decision":"burn","severity":"huge"},
        {"id":"c","match":{"scanners":["keyword"]},"decision":"deny","keep_original":true},
        {"id":"d","match":{"has_error":"no","colour":1}}, 5]})"),
      (Paths{"/output_policy/enabled", "/output_policy/release", "/output_policy/national_ids",
             "/output_policy/topics/0/pattern", "/output_rules/0/match/scanners",
             "/output_rules/0/match", "/output_rules/1/severity", "/output_rules/1/match/keywords",
             "/output_rules/1/decision", "/output_rules/1/id", "/output_rules/2/match/keywords",
             "/output_rules/2/keep_original", "/output_rules/3/match/has_error",
             "/output_rules/3/match/colour", "/output_rules/3/decision", "/output_rules/4"}));
}

// J-49: a bad expression makes the file invalid, whoever can tell.
TEST(PolicyDocument, expression_that_cannot_be_used_is_a_mistake) {
  PatternCheck check = [](std::string_view pattern) {
    return pattern == "(" ? std::string("missing )") : std::string();
  };
  auto reading = read_document(json(R"({"version":1,"default_decision":"deny","output_rules":[
      {"id":"a","match":{"patterns":["ok","("]},"decision":"deny"}]})"),
                               DocumentKind::base, check);
  ASSERT_EQ(reading.findings.size(), 1u);
  EXPECT_EQ(reading.findings[0].path, "/output_rules/0/match/patterns/1");
}

// J-21
TEST(PolicyDocument, invariants_only_forbid_and_bundles_have_no_default) {
  EXPECT_EQ(mistakes(R"({"version":1,"rules":[{"id":"a","match":{},"decision":"allow"}]})",
                     DocumentKind::invariants),
            Paths{"/rules/0/decision"});
  EXPECT_EQ(mistakes(R"({"version":1,"default_decision":"allow"})", DocumentKind::bundle),
            Paths{"/default_decision"});
  EXPECT_EQ(mistakes(R"({"version":1,"rules":[]})", DocumentKind::bundle), Paths{});
}

// J-33
TEST(PolicyDocument, an_account_may_close_for_itself_and_never_open) {
  constexpr auto open = R"({"version":1,"input_policy":{"fail_mode":"open"}})";
  constexpr auto closed = R"({"version":1,"input_policy":{"fail_mode":"closed"}})";
  EXPECT_EQ(mistakes(open, DocumentKind::bundle), Paths{"/input_policy/fail_mode"});
  EXPECT_EQ(mistakes(closed, DocumentKind::bundle), Paths{});
  EXPECT_EQ(mistakes(closed, DocumentKind::invariants), Paths{"/input_policy"});
  Sources sources;
  sources.base =
      json(R"({"version":1,"default_decision":"allow","input_policy":{"fail_mode":"open"}})");
  sources.bundles[AccountId("strict")] = {{"own", json(closed)}};
  auto set = PolicySet::compile(std::move(sources));
  ASSERT_TRUE(set);
  using job::FailMode;
  const AccountPolicy& common = (*set)->common();
  const AccountPolicy& strict = (*set)->of(AccountId("strict"));
  EXPECT_EQ(fail_mode_of(common, std::nullopt), FailMode::open);
  EXPECT_EQ(fail_mode_of(common, FailMode::closed), FailMode::closed);
  EXPECT_EQ(fail_mode_of(strict, FailMode::open), FailMode::closed);
  EXPECT_EQ(fail_mode_of({}, std::nullopt), FailMode::closed);
}

TEST(PolicyDocument, a_deep_not_is_refused) {
  std::string text = "{}";
  for (int i = 0; i < 20; ++i) text = R"({"not":)" + text + "}";
  auto found = mistakes(R"({"version":1,"default_decision":"deny","rules":[{"id":"a","match":)" +
                        text + R"(,"decision":"deny"}]})");
  ASSERT_EQ(found.size(), 1u);
}

TEST(Glob, stars_take_dots_and_question_marks_one_character) {
  EXPECT_TRUE(Glob("job.pay.*").matches("job.pay.eu.refund"));
  EXPECT_FALSE(Glob("job.pay.*").matches("job.pay"));
  EXPECT_TRUE(Glob("*.refund").matches("job.pay.refund"));
  EXPECT_TRUE(Glob("a?c").matches("a\u00e9c"));
  EXPECT_FALSE(Glob("a?c").matches("ac"));
  EXPECT_TRUE(Glob("*a*b*").matches("xxaxxbxx"));
  EXPECT_FALSE(Glob("*a*b").matches("ba"));
  EXPECT_TRUE(Glob("**").matches(""));
  std::string many(2'000, 'a');
  EXPECT_FALSE(Glob("*a*a*a*a*a*a*a*ab").matches(many));
}

}  // namespace
}  // namespace fermata::policy
