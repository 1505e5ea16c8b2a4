#include "test/contract/stores.h"

namespace fermata {
namespace {

using policy::DocumentKind;

const Instant noon{1'700'000'000'000};

PolicyDocument document_of(DocumentKind kind, const std::string& account, const std::string& id) {
  PolicyDocument document;
  document.kind = kind;
  document.account = AccountId(account);
  document.id = id;
  document.document = Value::object({{"version", 1}, {"name", id}});
  document.at = noon;
  document.by = "key";
  document.origin = "api";
  return document;
}

job::PolicyDecision decision_of(const std::string& job, int64_t after_ms = 0,
                                const std::string& account = "acme") {
  job::PolicyDecision decision;
  decision.account = AccountId(account);
  decision.job = JobId(job);
  decision.at = noon + Duration{after_ms};
  decision.topic = "job.mail.send";
  decision.decision = job::VerdictKind::allow;
  decision.rule_id = "rest";
  decision.snapshot = "s1";
  decision.source = "rules";
  decision.facts = Value::object({{"topic", "job.mail.send"}});
  return decision;
}

class PolicyContract : public StoreContract {
 protected:
  uint64_t change(PolicyChange change) {
    auto revision = policy().change_policy(change, sample_line("policy"));
    EXPECT_TRUE(revision) << (revision ? "" : revision.error().message);
    return revision ? *revision : 0;
  }
  CommitOutcome log(const std::string& job, std::vector<job::PolicyDecision> decisions) {
    JobWrite write;
    write.summary.id = JobId(job);
    write.summary.account = AccountId("acme");
    write.summary.state = job::State::scheduled;
    write.summary.last_sequence = 1;
    write.events = {1, 1, "events"};
    write.decisions = std::move(decisions);
    CommitBatch batch;
    batch.jobs.push_back(std::move(write));
    return store().commit(batch).at(0);
  }
  std::vector<std::string> listed(const DecisionFilter& filter) {
    std::vector<std::string> jobs;
    std::string cursor;
    do {
      auto page = policy().decisions(filter, 2, cursor);
      EXPECT_TRUE(page);
      if (!page) break;
      for (const auto& decision : page->items) jobs.push_back(decision.job.text());
      cursor = page->next_cursor;
    } while (!cursor.empty());
    return jobs;
  }
};

using Names = std::vector<std::string>;

// J-21, J-24
TEST_P(PolicyContract, change_takes_effect_whole_and_only_on_the_revision_it_was_made_for) {
  PolicyChange first;
  first.written = {document_of(DocumentKind::base, "", ""),
                   document_of(DocumentKind::bundle, "acme", "own")};
  first.versions = {{{}, "s1", noon, "key", "begin", "api"}};
  first.snapshots = {{"s1", Value::object({{"version", 1}})}};
  EXPECT_EQ(change(first), 1u);
  auto refused = policy().change_policy(first, sample_line("policy"));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::version_conflict);

  PolicyChange second;
  second.expected = 1;
  second.removed = {document_of(DocumentKind::bundle, "acme", "own")};
  second.written = {document_of(DocumentKind::invariants, "", "")};
  second.versions = {{AccountId("acme"), "s2", noon, "key", "", "api"},
                     {AccountId("other"), "s3", noon, "key", "", "api"}};
  EXPECT_EQ(change(second), 2u);
  reopen();
  auto stored = policy().stored_policy();
  ASSERT_TRUE(stored);
  EXPECT_EQ(stored->revision, 2u);
  ASSERT_EQ(stored->documents.size(), 2u);
  EXPECT_EQ(stored->documents[0].kind, DocumentKind::base);
  EXPECT_EQ(stored->documents[0].revision, 1u);
  EXPECT_EQ(stored->documents[1].kind, DocumentKind::invariants);
  EXPECT_EQ(stored->documents[1].revision, 2u);

  auto snapshot = policy().snapshot("s1");
  ASSERT_TRUE(snapshot && *snapshot);
  EXPECT_EQ(**snapshot, Value::object({{"version", 1}}));
  EXPECT_FALSE(*policy().snapshot("s9"));
  auto versions = policy().policy_versions(AccountId("acme"), 1, "");
  ASSERT_TRUE(versions);
  EXPECT_EQ(versions->items.at(0).snapshot, "s2");
  versions = policy().policy_versions(AccountId("acme"), 9, versions->next_cursor);
  ASSERT_TRUE(versions);
  ASSERT_EQ(versions->items.size(), 1u);
  EXPECT_EQ(versions->items[0].snapshot, "s1");
}

// J-25
TEST_P(PolicyContract, decisions_are_written_with_their_job_listed_and_counted) {
  auto denied = decision_of("b", 1);
  denied.decision = job::VerdictKind::deny;
  denied.rule_id = "no";
  EXPECT_EQ(log("a", {decision_of("a")}), CommitOutcome::done);
  EXPECT_EQ(log("b", {denied, decision_of("b", 2)}), CommitOutcome::done);
  EXPECT_EQ(log("c", {decision_of("c", 3, "other")}), CommitOutcome::done);
  // A write that conflicts leaves no line.
  EXPECT_EQ(log("a", {decision_of("a", 9)}), CommitOutcome::conflict);
  reopen();
  EXPECT_EQ(listed({}), (Names{"c", "b", "b", "a"}));
  EXPECT_EQ(listed({.account = AccountId("acme")}), (Names{"b", "b", "a"}));
  EXPECT_EQ(listed({.job = JobId("b")}), (Names{"b", "b"}));
  EXPECT_EQ(listed({.decision = job::VerdictKind::deny}), Names{"b"});
  EXPECT_EQ(listed({.topic = "job.pay.*"}), Names{});
  EXPECT_EQ(listed({.from = noon + Duration{2}, .to = noon + Duration{3}}), Names{"b"});
  auto page = policy().decisions({.job = JobId("a")}, 1, "");
  ASSERT_TRUE(page);
  EXPECT_EQ(page->items.at(0), decision_of("a"));
  auto hits = policy().rule_hits(AccountId("acme"));
  ASSERT_TRUE(hits);
  ASSERT_EQ(hits->size(), 2u);
  EXPECT_EQ((*hits)[0].rule_id, "no");
  EXPECT_EQ((*hits)[1].hits, 2u);
  EXPECT_EQ((*hits)[1].last_at, noon + Duration{2});
}

// J-20
TEST_P(PolicyContract, decisions_that_count_in_windows_are_given_oldest_first) {
  auto counted = [](const std::string& job, int64_t after_ms) {
    auto decision = decision_of(job, after_ms);
    decision.counted = {{"key", 1'000}};
    return decision;
  };
  log("old", {counted("old", -5'000)});
  log("a", {counted("a", 0)});
  log("b", {decision_of("b", 1)});
  log("c", {counted("c", 2)});
  reopen();
  Names jobs;
  uint64_t cursor = 0;
  for (bool more = true; more;) {
    auto page = store().passed(noon, cursor, 1);
    ASSERT_TRUE(page);
    for (const auto& decision : page->decisions) jobs.push_back(decision.job.text());
    cursor = page->cursor;
    more = page->more;
  }
  EXPECT_EQ(jobs, (Names{"a", "c"}));
}

// J-5
TEST_P(PolicyContract, old_decisions_are_removed) {
  log("a", {decision_of("a")});
  log("b", {decision_of("b", 10)});
  auto swept = retention().remove_decisions(noon + Duration{5}, 10);
  ASSERT_TRUE(swept);
  EXPECT_EQ(swept->removed, 1u);
  EXPECT_FALSE(swept->more);
  EXPECT_EQ(listed({}), Names{"b"});
}

INSTANTIATE_TEST_SUITE_P(adapters, PolicyContract, testing::ValuesIn(store_kinds()), kind_name);

}  // namespace
}  // namespace fermata
