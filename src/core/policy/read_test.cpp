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

// A rule that this version could not hold is refused, not passed over.
TEST(PolicyDocument, what_is_not_supported_is_refused) {
  EXPECT_EQ(mistakes(R"({"version":1,"default_decision":"deny","rules":[
      {"id":"a","match":{"scanners":["secret"]},"decision":"deny"}],
      "output_rules":[{"id":"o"}]})"),
            (Paths{"/output_rules", "/rules/0/match/scanners"}));
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
