#include "front/policy_board.h"

#include <gtest/gtest.h>

#include "adapters/memory/memory_store.h"
#include "adapters/memory/virtual_clock.h"
#include "front/policy_rehearsal.h"

namespace fermata::front {
namespace {

constexpr const char* denies = R"({"version":1,"default_decision":"deny"})";
constexpr const char* allows = R"({"version":1,"default_decision":"allow"})";
constexpr const char* broken = R"({"version":1,"default_decision":"alow"})";

/// A store that may be out of order for a while.
struct FaultyPolicyStore final : PolicyStore {
  explicit FaultyPolicyStore(MemoryStore& kept) : kept(kept) {}
  Outcome<StoredPolicy> stored_policy() override { return kept.stored_policy(); }
  Outcome<uint64_t> change_policy(const PolicyChange& change, const AuditLine& audit) override {
    if (broken) return fail(ErrorCode::store_unavailable, "the disk is full");
    return kept.change_policy(change, audit);
  }
  Outcome<std::optional<Value>> snapshot(const std::string& hash) override {
    return kept.snapshot(hash);
  }
  Outcome<PolicyVersionPage> policy_versions(const AccountId& account, size_t limit,
                                             const std::string& cursor) override {
    return kept.policy_versions(account, limit, cursor);
  }
  Outcome<DecisionPage> decisions(const DecisionFilter& filter, size_t limit,
                                  const std::string& cursor) override {
    return kept.decisions(filter, limit, cursor);
  }
  Outcome<std::vector<RuleHits>> rule_hits(const AccountId& account) override {
    return kept.rule_hits(account);
  }
  MemoryStore& kept;
  bool broken = false;
};

/// A board over a store that lasts, and a file that tests write.
struct Desk {
  FaultyPolicyStore store;
  std::optional<std::string>& file;
  VirtualClock clock{Instant{1'700'000'000'000}};
  policy::PolicyPtr in_force{};
  std::vector<std::string> failures{};
  PolicyBoard board;

  Desk(MemoryStore& kept, std::optional<std::string>& text, bool required = false)
      : store(kept), file(text), board(store, clock, options(required)) {}

  PolicyBoard::Options options(bool required) {
    PolicyBoard::Options options;
    options.file = "safety.yaml";
    options.file_required = required;
    options.read_file = [this](const std::string&) -> Outcome<std::optional<std::string>> {
      return file;
    };
    options.read_text = [](std::string_view text) -> Outcome<policy::ReadText> {
      auto value = parse_json(text);
      if (!value) return fail(ErrorCode::policy_invalid, "bad", value.error().findings);
      return policy::ReadText{*std::move(value), {{"/default_decision", {3, 7, 0}}}};
    };
    options.activate = [this](const policy::PolicyPtr& set) { in_force = set; };
    options.on_failed = [this](const Error& error) { failures.push_back(error.message); };
    return options;
  }
  std::string decision(const std::string& account = "acme") const {
    policy::Windows windows;
    policy::Facts facts;
    facts[policy::TextFact::topic] = "job.mail.send";
    facts[policy::TextFact::tenant] = account;
    auto judged =
        policy::judge(in_force->of(AccountId(account)), facts, JobId("j"), windows, clock.now());
    return std::string(job::name_of(judged.verdict.kind));
  }
};

class PolicyLoading : public testing::Test {
 protected:
  MemoryStore store;
  std::optional<std::string> file;
  const PolicyActor root{AccountId("acme"), "root-key", "because"};
};

// J-23
TEST_F(PolicyLoading, without_a_file_there_is_no_policy) {
  Desk desk(store, file);
  ASSERT_TRUE(desk.board.start());
  EXPECT_EQ(desk.in_force->common().snapshot, "none");
  Desk named(store, file, true);
  auto refused = named.board.start();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "safety.yaml: there is no such policy file");
}

// J-23, JT-13
TEST_F(PolicyLoading, broken_file_leaves_the_last_good_policy_also_over_a_restart) {
  file = denies;
  Desk desk(store, file);
  ASSERT_TRUE(desk.board.start());
  EXPECT_EQ(desk.decision(), "deny");
  std::string snapshot = desk.in_force->common().snapshot;
  file = broken;
  desk.board.look();
  EXPECT_EQ(desk.decision(), "deny");
  ASSERT_EQ(desk.failures.size(), 1u);
  EXPECT_TRUE(desk.failures[0].starts_with("safety.yaml:3:7: /default_decision: "))
      << desk.failures[0];
  EXPECT_TRUE(desk.board.status().failure);
  desk.board.look();
  EXPECT_EQ(desk.failures.size(), 1u) << "the same text is told once";

  Desk again(store, file);
  ASSERT_TRUE(again.board.start());
  EXPECT_EQ(again.in_force->common().snapshot, snapshot);
  EXPECT_EQ(again.failures.size(), 1u);
  file = allows;
  again.board.look();
  EXPECT_EQ(again.decision(), "allow");
  EXPECT_FALSE(again.board.status().failure);
}

// J-23: what is stricter must not get lost because the disk was full for a moment.
TEST_F(PolicyLoading, file_that_could_not_be_stored_is_loaded_with_the_next_look) {
  file = allows;
  Desk desk(store, file);
  ASSERT_TRUE(desk.board.start());
  file = denies;
  desk.store.broken = true;
  desk.board.look();
  EXPECT_EQ(desk.decision(), "allow");
  EXPECT_EQ(desk.failures.size(), 1u);
  desk.store.broken = false;
  desk.board.look();
  EXPECT_EQ(desk.decision(), "deny");
  EXPECT_FALSE(desk.board.status().failure);
}

// J-23
TEST_F(PolicyLoading, broken_file_without_a_good_one_before_keeps_the_server_from_starting) {
  file = broken;
  Desk desk(store, file);
  auto refused = desk.board.start();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::policy_invalid);
  EXPECT_TRUE(refused.error().message.starts_with("safety.yaml:3:7: ")) << refused.error().message;
}

TEST_F(PolicyLoading, file_that_goes_away_weakens_nothing) {
  file = denies;
  Desk desk(store, file);
  ASSERT_TRUE(desk.board.start());
  file.reset();
  desk.board.look();
  EXPECT_EQ(desk.decision(), "deny");
  EXPECT_EQ(desk.failures.size(), 1u);
  Desk again(store, file);
  ASSERT_TRUE(again.board.start());
  EXPECT_EQ(again.decision(), "deny");
}

// J-24
TEST_F(PolicyLoading, rollback_stands_until_the_file_says_something_new) {
  file = denies;
  Desk desk(store, file);
  ASSERT_TRUE(desk.board.start());
  std::string strict = desk.in_force->common().snapshot;
  file = allows;
  ASSERT_TRUE(desk.board.reload(root));
  EXPECT_EQ(desk.decision(), "allow");
  auto refused = desk.board.roll_back(strict, false, root);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::forbidden);
  ASSERT_TRUE(desk.board.roll_back(strict, true, root));
  EXPECT_EQ(desk.in_force->common().snapshot, strict);
  desk.board.look();
  EXPECT_EQ(desk.decision(), "deny");
  Desk again(store, file);
  ASSERT_TRUE(again.board.start());
  EXPECT_EQ(again.decision(), "deny");
  ASSERT_TRUE(again.board.reload(root));
  EXPECT_EQ(again.decision(), "allow");
  EXPECT_EQ(again.board.roll_back("nope", true, root).error().code, ErrorCode::snapshot_not_found);
  auto versions = store.policy_versions(AccountId("acme"), 10, "");
  ASSERT_TRUE(versions);
  EXPECT_EQ(versions->items.size(), 4u);
}

// J-21
TEST_F(PolicyLoading, bundles_have_revisions_and_belong_to_their_account) {
  Desk desk(store, file);
  ASSERT_TRUE(desk.board.start());
  Value bundle = *parse_json(
      R"({"version":1,"rules":[{"id":"no","match":{"topics":["mail.*"]},"decision":"deny"}]})");
  auto put = desk.board.put(policy::DocumentKind::bundle, "own", bundle, 0, root);
  ASSERT_TRUE(put) << put.error().message;
  EXPECT_EQ(desk.decision("acme"), "deny");
  EXPECT_EQ(desk.decision("other"), "allow");
  auto stale = desk.board.put(policy::DocumentKind::bundle, "own", bundle, 0, root);
  EXPECT_EQ(stale.error().code, ErrorCode::version_conflict);
  auto reserved = desk.board.put(policy::DocumentKind::bundle, "invariants", bundle, {}, root);
  EXPECT_EQ(reserved.error().code, ErrorCode::invalid_id);
  auto wrong = desk.board.put(policy::DocumentKind::bundle, "bad", *parse_json(allows), {}, root);
  EXPECT_EQ(wrong.error().code, ErrorCode::policy_invalid);
  ASSERT_TRUE(desk.board.remove(policy::DocumentKind::bundle, "own", put->revision, root));
  EXPECT_EQ(desk.decision("acme"), "allow");
  EXPECT_EQ(desk.board.remove(policy::DocumentKind::bundle, "own", {}, root).error().code,
            ErrorCode::bundle_not_found);
  ASSERT_TRUE(desk.board.publish({{"a", bundle}, {"b", bundle}}, root));
  EXPECT_EQ(desk.decision("acme"), "deny");
  ASSERT_TRUE(desk.board.publish({}, root));
  EXPECT_EQ(desk.in_force->of(AccountId("acme")).snapshot, "none");
}

TEST_F(PolicyLoading, base_is_put_only_where_no_file_gives_it) {
  Desk desk(store, file);
  ASSERT_TRUE(desk.board.start());
  ASSERT_TRUE(desk.board.put(policy::DocumentKind::base, "", *parse_json(denies), {}, root));
  EXPECT_EQ(desk.decision(), "deny");
  Desk again(store, file);
  ASSERT_TRUE(again.board.start());
  EXPECT_EQ(again.decision(), "deny");
  file = allows;
  again.board.look();
  EXPECT_EQ(again.decision(), "allow");
  auto refused = again.board.put(policy::DocumentKind::base, "", *parse_json(denies), {}, root);
  EXPECT_EQ(refused.error().code, ErrorCode::managed_by_file);
}

// J-26, JT-44
TEST_F(PolicyLoading, rehearsal_says_what_activating_the_candidate_would_have_decided) {
  const Instant begin{1'700'000'000'000};
  auto facts_of = [](int i) {
    policy::Facts facts;
    facts[policy::TextFact::tenant] = "acme";
    facts[policy::TextFact::topic] = i % 3 == 0 ? "job.pay.refund" : "job.mail.send";
    facts[policy::TextFact::source] = "api";
    facts[policy::TextFact::priority] = "interactive";
    facts[policy::TextFact::actor_type] = "service";
    return facts;
  };
  constexpr int past = 10'000;
  for (int i = 0; i < past; ++i) {
    JobWrite write;
    write.summary.id = JobId("job-" + std::to_string(i));
    write.summary.account = AccountId("acme");
    write.summary.state = job::State::succeeded;
    job::PolicyDecision line;
    line.account = write.summary.account;
    line.job = write.summary.id;
    line.at = begin + Duration{i * 10};
    line.topic = facts_of(i)[policy::TextFact::topic];
    line.decision = job::VerdictKind::allow;
    line.source = "rules";
    line.snapshot = "s";
    line.facts = to_value(facts_of(i));
    write.decisions = {line};
    CommitBatch batch;
    batch.jobs.push_back(write);
    ASSERT_EQ(store.commit(batch).at(0), CommitOutcome::done);
  }
  Value candidate = *parse_json(R"({"version":1,"default_decision":"allow","rules":[
      {"id":"few","match":{"topics":["mail.*"]},"velocity":{"max_requests":3,"window_ms":100},
       "decision":"throttle"},
      {"id":"no","match":{"topics":["pay.*"]},"decision":"deny"}]})");
  auto set = candidate_policy(candidate, {}, AccountId("acme"), {});
  ASSERT_TRUE(set) << set.error().message;
  // The same on a copy, one job after the other.
  std::map<job::VerdictKind, uint64_t> live;
  policy::Windows windows;
  for (int i = 0; i < past; ++i) {
    JobId job("job-" + std::to_string(i));
    auto judged =
        policy::judge((*set)->common(), facts_of(i), job, windows, begin + Duration{i * 10});
    for (const auto& passed : judged.counted) windows.count(passed, job, begin + Duration{i * 10});
    ++live[judged.verdict.kind];
  }
  RehearsalRequest request{*set, AccountId("acme"), {.account = AccountId("acme")}, past};
  auto told = rehearse(store, store, request, begin + Duration{past * 10});
  ASSERT_TRUE(told) << told.error().message;
  EXPECT_EQ(told->get("total"), Value(past));
  EXPECT_EQ(told->get("same"), Value(live[job::VerdictKind::allow]));
  EXPECT_EQ(told->get("stricter"),
            Value(live[job::VerdictKind::deny] + live[job::VerdictKind::throttle]));
  EXPECT_GT(live[job::VerdictKind::throttle], 10u);
  EXPECT_EQ(told->get("changes").items()[0].get("job_id"), Value("job-0"));
  EXPECT_EQ(told->get("milder"), Value(0));
  EXPECT_EQ(told->get("changes").size(), 1'000u) << "all are counted, the first are listed";
  // Nothing of it is written.
  auto log = store.decisions({.account = AccountId("acme")}, 1, "");
  ASSERT_TRUE(log);
  EXPECT_EQ(log->items[0].decision, job::VerdictKind::allow);
  EXPECT_EQ(log->items[0].job, JobId("job-" + std::to_string(past - 1)));
  EXPECT_EQ(store.find_job(JobId("job-0"))->version, 1u);
}

}  // namespace
}  // namespace fermata::front
