#include "core/policy/policy_fixture.h"

namespace fermata::policy {
namespace {

using job::VerdictKind;

// J-20
TEST(Policy, the_first_rule_that_matches_decides) {
  Court court{compiled({.base = base_of(R"(
      {"id":"no","match":{"topics":["mail.send"],"labels":{"to":"*@spam"}},"decision":"deny"},
      {"id":"yes","match":{"topics":["mail.*"]},"decision":"allow"},
      {"id":"late","match":{"topics":["mail.*"]},"decision":"deny"})"),
                        .invariants = {}})};
  auto denied = court.ask(labelled(facts(), "to", "a@spam")).verdict;
  EXPECT_EQ(denied.kind, VerdictKind::deny);
  EXPECT_EQ(denied.rule_id, "no");
  EXPECT_EQ(denied.source, "rules");
  EXPECT_EQ(court.ask(facts()).verdict.rule_id, "yes");
  auto other = court.ask(facts("job.pay")).verdict;
  EXPECT_EQ(other.kind, VerdictKind::deny);
  EXPECT_EQ(other.rule_id, "");
}

TEST(Policy, every_field_of_a_match_must_hold) {
  Court court{compiled({.base = base_of(R"({"id":"r","match":{
      "tenants":["acme"],"topics":["pay.*"],"risk_tags":["money","pii"],"requires":["pci"],
      "label_allowlist":{"region":["eu"]},"label_threshold":{"amount":1000},
      "input_size_gt":10,"cost_over_micros":5,"sources":["run"],
      "not":{"labels":{"checked":"yes"}}},"decision":"allow"})"),
                        .invariants = {}})};
  Facts all = facts("job.pay.eu");
  all.risk_tags = {"pii"};
  all.requires_ = {"gpu", "pci"};
  all.labels = json(R"({"region":"us","amount":"1000.5"})");
  all.input_size = 11;
  all.max_cost_micros = 6;
  all[TextFact::source] = "run";
  EXPECT_EQ(court.says(all), VerdictKind::allow);
  auto refused = [&](auto change) {
    Facts changed = all;
    change(changed);
    return court.says(changed) == VerdictKind::deny;
  };
  EXPECT_TRUE(refused([](Facts& f) { f[TextFact::tenant] = "other"; }));
  EXPECT_TRUE(refused([](Facts& f) { f.risk_tags = {"safe"}; }));
  EXPECT_TRUE(refused([](Facts& f) { f.requires_ = {"gpu"}; }));
  EXPECT_TRUE(refused([](Facts& f) { f.labels.set("region", "eu"); }));
  EXPECT_TRUE(refused([](Facts& f) { f.labels.set("amount", "1000"); }));
  EXPECT_TRUE(refused([](Facts& f) { f.input_size = 10; }));
  EXPECT_TRUE(refused([](Facts& f) { f.max_cost_micros.reset(); }));
  EXPECT_TRUE(refused([](Facts& f) { f[TextFact::source] = "api"; }));
  EXPECT_TRUE(refused([](Facts& f) { f.labels.set("checked", "yes"); }));
  // What is missing or no number is over the threshold, and outside of every list.
  EXPECT_FALSE(refused([](Facts& f) { f.labels.erase("amount"); }));
  EXPECT_FALSE(refused([](Facts& f) { f.labels.set("amount", "many"); }));
  EXPECT_FALSE(refused([](Facts& f) { f.labels.erase("region"); }));
}

TEST(Policy, tags_are_derived_that_the_submitter_left_out) {
  Court court{compiled(
      {.base = base_of(R"({"id":"m","match":{"risk_tags":["money"]},"decision":"allow"})", "deny",
                       R"(,"derive":[{"topics":["pay.*"],"add_risk_tags":["money"]}])"),
       .invariants = {}})};
  auto judged = court.ask(facts("job.pay.x"));
  EXPECT_EQ(judged.verdict.kind, VerdictKind::allow);
  EXPECT_EQ(judged.facts.get("risk_tags"), Value::array({"money"}));
  EXPECT_EQ(court.says(facts("job.mail")), VerdictKind::deny);
}

// J-21, JT-14
TEST(Policy, the_stricter_of_account_and_base_holds_unless_relaxed_and_invariants_beat_both) {
  std::string_view deny = R"({"id":"b","match":{"topics":["*"]},"decision":"deny"})";
  Value allow = json(R"({"version":1,"rules":[
      {"id":"a","match":{"topics":["mail.*"]},"decision":"allow"}]})");
  std::map<AccountId, std::vector<BundleSource>> bundles = {{AccountId("acme"), {{"own", allow}}}};
  Court tighten{compiled({.base = base_of(deny), .invariants = {}, .bundles = bundles})};
  EXPECT_EQ(tighten.says(facts()), VerdictKind::deny);
  Court relax{compiled({.base = base_of(deny, "deny", R"(,"overlays":"relax")"),
                        .invariants = {},
                        .bundles = bundles})};
  auto verdict = relax.ask(facts()).verdict;
  EXPECT_EQ(verdict.kind, VerdictKind::allow);
  EXPECT_EQ(verdict.bundle, "own");
  EXPECT_EQ(relax.says(facts("job.mail.send", "other")), VerdictKind::deny);
  Court invariant{compiled({.base = base_of(deny, "deny", R"(,"overlays":"relax")"),
                            .invariants = json(R"({"version":1,"rules":[{"id":"never",
                                "match":{"topics":["mail.send"]},"decision":"deny"}]})"),
                            .bundles = bundles})};
  EXPECT_EQ(invariant.ask(facts()).verdict.rule_id, "never");
  EXPECT_EQ(invariant.says(facts("job.mail.read")), VerdictKind::allow);
}

// J-20: capabilities and tags of jobs are in lower case, however a rule spells them.
TEST(Policy, rules_about_capabilities_hold_in_any_spelling) {
  Court court{compiled({.base = base_of(R"({"id":"c","match":{"capabilities":["Refund.*"]},
                                            "decision":"deny"})",
                                        "allow"),
                        .invariants = {},
                        .bundles = {}})};
  Facts asked = facts();
  asked[TextFact::capability] = "refund.card";
  EXPECT_EQ(court.says(asked), VerdictKind::deny);
  auto read = read_facts(json(R"({"topic":"x","capability":"REFUND.card"})"), AccountId("acme"));
  ASSERT_TRUE(read);
  EXPECT_EQ(court.says(*read), VerdictKind::deny);
}

// J-21
TEST(Policy, of_two_rules_that_ask_people_the_stricter_terms_hold) {
  auto rule = [](std::string_view id, std::string_view approval) {
    return std::string(R"({"id":")").append(id) +
           R"(","match":{},"decision":"require_approval","approval":)" + std::string(approval) +
           "}";
  };
  auto asked = [&](std::string_view base, std::string_view account) {
    Value bundle = json(R"({"version":1,"rules":[)" + rule("a", account) + "]}");
    Court court{compiled({.base = base_of(rule("b", base)),
                          .invariants = {},
                          .bundles = {{AccountId("acme"), {{"own", bundle}}}}})};
    return court.ask(facts()).verdict;
  };
  auto verdict = asked(R"({"count":1,"expires_ms":5000})",
                       R"({"count":3,"roles":["admin","root"],"expires_ms":9000})");
  EXPECT_EQ(verdict.rule_id, "b");
  EXPECT_EQ(verdict.approval.get("count"), Value(3));
  EXPECT_EQ(verdict.approval.get("roles"), Value::array({"admin", "root"}));
  EXPECT_EQ(verdict.approval.get("expires_ms"), Value(5000));
  verdict = asked(R"({"count":2,"roles":["root"]})", R"({"roles":["operator","root"]})");
  EXPECT_EQ(verdict.approval.get("count"), Value(2));
  EXPECT_EQ(verdict.approval.get("roles"), Value::array({"root"}));
}

TEST(Policy, of_two_rules_that_constrain_the_smaller_numbers_hold) {
  auto rule = [](std::string_view budgets) {
    return std::string(R"({"id":"c","match":{},"decision":"allow_with_constraints","constraints":)")
               .append(budgets) +
           "}";
  };
  Value bundle = json(R"({"version":1,"rules":[)" +
                      rule(R"({"budgets":{"max_retries":5,"max_runtime_ms":10}})") + "]}");
  Court court{compiled({.base = base_of(rule(R"({"budgets":{"max_retries":2}})")),
                        .invariants = {},
                        .bundles = {{AccountId("acme"), {{"own", bundle}}}}})};
  EXPECT_EQ(court.ask(facts()).verdict.constraints,
            json(R"({"budgets":{"max_retries":2,"max_runtime_ms":10}})"));
}

constexpr std::string_view burst = R"({"id":"burst","match":{"topics":["mail.*"]},
    "velocity":{"max_requests":2,"window_ms":1000,"key":["tenant","labels.campaign"]},
    "decision":"throttle"},
    {"id":"rest","match":{},"decision":"allow"})";

// J-20
TEST(Velocity, one_too_many_in_the_window_of_its_key_is_held_back) {
  Court court{compiled({.base = base_of(burst), .invariants = {}})};
  Facts spring = labelled(facts(), "campaign", "spring");
  EXPECT_EQ(court.says(spring), VerdictKind::allow);
  EXPECT_EQ(court.says(spring, "second"), VerdictKind::allow);
  EXPECT_EQ(court.says(spring, "third"), VerdictKind::throttle);
  // Another key has another window, and so has another tenant.
  EXPECT_EQ(court.says(labelled(facts(), "campaign", "autumn")), VerdictKind::allow);
  EXPECT_EQ(court.says(labelled(facts("job.mail.send", "other"), "campaign", "spring")),
            VerdictKind::allow);
  // A job that has passed counts once, however often it is judged.
  EXPECT_EQ(court.says(spring, "second"), VerdictKind::allow);
  court.now = court.now + Duration{1'000};
  EXPECT_EQ(court.says(spring, "third"), VerdictKind::allow);
  EXPECT_EQ(court.says(spring, "fourth"), VerdictKind::allow);
  EXPECT_EQ(court.says(spring, "fifth"), VerdictKind::throttle);
}

TEST(Velocity, windows_that_cannot_be_read_ask_a_person) {
  Court court{compiled({.base = base_of(burst), .invariants = {}})};
  court.windows.set_readable(false);
  EXPECT_EQ(court.says(facts()), VerdictKind::require_approval);
  EXPECT_EQ(court.says(facts("job.other")), VerdictKind::allow);
}

TEST(Velocity, what_did_not_happen_is_taken_back) {
  Court court{compiled({.base = base_of(burst), .invariants = {}})};
  auto judged = court.ask(facts(), "a");
  court.windows.uncount(judged.counted.at(0), JobId("a"), court.now);
  EXPECT_EQ(court.windows.size(), 0u);
}

// J-24
TEST(Policy, a_snapshot_is_the_hash_of_what_holds_for_the_account) {
  Value base = base_of(burst);
  Value bundle = json(R"({"version":1,"rules":[]})");
  auto set = compiled(
      {.base = base, .invariants = {}, .bundles = {{AccountId("acme"), {{"own", bundle}}}}});
  const std::string& common = set->of(AccountId("other")).snapshot;
  EXPECT_EQ(common.size(), 64u);
  EXPECT_NE(set->of(AccountId("acme")).snapshot, common);
  EXPECT_EQ(compiled({.base = base, .invariants = {}})->common().snapshot, common);
  EXPECT_EQ(compiled({})->common().snapshot, "none");
  auto back = sources_of(set->of(AccountId("acme")).effective);
  EXPECT_EQ(back.base, base);
  EXPECT_EQ(back.bundles, (std::vector<BundleSource>{{"own", bundle}}));
}

// J-25
TEST(Policy, an_explanation_names_the_first_field_that_failed) {
  Court court{compiled({.base = base_of(R"(
      {"id":"a","match":{"topics":["pay.*"]},"decision":"deny"},
      {"id":"b","match":{"topics":["mail.*"],"labels":{"x":"1"}},"decision":"deny"},
      {"id":"c","match":{"label_threshold":{"n":5}},"decision":"deny",
       "velocity":{"max_requests":1,"window_ms":10}},
      {"id":"d","match":{},"decision":"allow"})"),
                        .invariants = {}})};
  auto lines = explain(court.set->common(), facts(), JobId("j"), court.windows, court.now);
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(lines[0].failed, "topics");
  EXPECT_EQ(lines[1].failed, "labels.x");
  EXPECT_EQ(lines[2].failed, "velocity");
  EXPECT_TRUE(lines[3].matched);
}

// J-25
TEST(Policy, rules_that_an_earlier_one_takes_everything_from_are_shadowed) {
  auto reading = read_document(base_of(R"(
      {"id":"all","match":{"topics":["mail.*"]},"decision":"allow"},
      {"id":"same","match":{"topics":["mail.send","mail.x.*"],"labels":{"a":"b"}},
       "decision":"deny"},
      {"id":"wider","match":{"topics":["*"]},"decision":"deny"},
      {"id":"v","match":{},"velocity":{"max_requests":1,"window_ms":1},"decision":"deny"},
      {"id":"last","match":{"topics":["pay"]},"decision":"deny"})"),
                               DocumentKind::base);
  RuleList list(reading.document.rules);
  EXPECT_EQ(list.shadowed_by(0), "");
  EXPECT_EQ(list.shadowed_by(1), "all");
  EXPECT_EQ(list.shadowed_by(2), "");
  EXPECT_EQ(list.shadowed_by(3), "wider");
  EXPECT_EQ(list.shadowed_by(4), "wider");
}

TEST(Facts, are_read_back_as_they_were_logged) {
  Facts given = labelled(facts("job.a.b"), "k", "v");
  given.risk_tags = {"x"};
  given.requires_ = {"y"};
  given.input_size = 12;
  given.max_cost_micros = 3;
  auto back = read_facts(to_value(given), AccountId("asker"));
  ASSERT_TRUE(back);
  EXPECT_EQ(*back, given);
  auto bare = read_facts(json(R"({"topic":"x"})"), AccountId("asker"));
  ASSERT_TRUE(bare);
  EXPECT_EQ((*bare)[TextFact::topic], "job.x");
  EXPECT_EQ((*bare)[TextFact::tenant], "asker");
  EXPECT_FALSE(read_facts(json(R"({"topik":"x"})"), AccountId("asker")));
}

// J-20: a rule on content holds for what was found in the input.
TEST(Content, rules_ask_for_the_input_only_where_they_could_hold) {
  Sources sources;
  sources.base = base_of(R"({"id":"first","match":{"topics":["fast"]},"decision":"allow"},
      {"id":"hush","match":{"topics":["mail.*","fast"],"keywords":["hush"]},"decision":"deny"},
      {"id":"clean","match":{"topics":["note"],"not":{"scanners":["pii"]}},"decision":"allow"})",
                         "require_approval");
  PolicyPtr policy = compiled(sources);
  Windows windows;
  auto said = [&](Facts asked) {
    return judge(policy->common(), asked, JobId("j"), windows, Instant{1}).verdict;
  };
  EXPECT_TRUE(wanted_content(policy->common(), facts("job.other")).empty());
  EXPECT_TRUE(wanted_content(policy->common(), facts("job.fast")).empty())
      << "an earlier rule decides";
  auto wanted = wanted_content(policy->common(), facts("job.mail.send"));
  ASSERT_EQ(wanted.size(), 1u);
  Facts read = facts("job.mail.send");
  read.content = std::vector<std::string>{};
  EXPECT_EQ(said(read).rule_id, "");
  read.content = std::vector<std::string>{content_key(wanted[0])};
  EXPECT_EQ(said(read).rule_id, "hush");

  auto inner = wanted_content(policy->common(), facts("job.note"));
  ASSERT_EQ(inner.size(), 1u);
  Facts note = facts("job.note");
  note.content = std::vector<std::string>{};
  EXPECT_EQ(said(note).rule_id, "clean");
  note.content = std::vector<std::string>{content_key(inner[0])};
  EXPECT_EQ(said(note).rule_id, "");
}

}  // namespace
}  // namespace fermata::policy
