#include "test/contract/stores.h"

namespace fermata {
namespace {

constexpr int64_t day_ms = 86'400'000;
const Instant begin{1'700'000'000'000};

Instant day(int64_t days) { return begin + Duration{days * day_ms}; }

using RetentionContract = StoreContract;

/// A run that began and ended on that day, or is still waiting.
RunSummary run_of(const std::string& id, int64_t started, std::optional<int64_t> ended) {
  RunSummary run = sample_run(id);
  run.started_at = day(started);
  run.status = ended ? RunStatus::completed : RunStatus::waiting;
  if (ended) run.completed_at = day(*ended);
  return run;
}

AuditLine line_of(const std::string& subject, int64_t at, const std::string& account = "acme") {
  AuditLine line = sample_line(subject, account);
  line.at = day(at);
  return line;
}

std::vector<std::string> listed(Reader& reader) {
  std::vector<std::string> ids;
  auto page = reader.list({}, 1000, "");
  EXPECT_TRUE(page) << page.error().message;
  for (const RunSummary& run : page->items) ids.push_back(run.id.text());
  return ids;
}

/// All of it, in steps of `limit`.
uint64_t sweep_runs(Retention& retention, Instant before, const std::set<RunId>& kept,
                    size_t limit) {
  uint64_t removed = 0;
  uint64_t cursor = 0;
  for (bool more = true; more;) {
    auto swept = retention.remove_runs(cursor, before, kept, limit);
    EXPECT_TRUE(swept) << swept.error().message;
    if (!swept) break;
    removed += swept->removed;
    cursor = swept->cursor;
    more = swept->more;
  }
  for (bool more = true; more;) {
    auto swept = retention.remove_remains(limit);
    EXPECT_TRUE(swept) << swept.error().message;
    more = swept && swept->more;
  }
  return removed;
}

TEST_P(RetentionContract, old_ended_runs_go_and_others_stay) {
  for (auto [id, started, ended] :
       std::vector<std::tuple<const char*, int64_t, std::optional<int64_t>>>{
           {"old", 0, 1}, {"waits", 0, {}}, {"long", 1, 20}, {"other-old", 2, 2}, {"new", 12, 13}})
    ASSERT_EQ(commit(creation(run_of(id, started, ended))), CommitOutcome::done);
  EXPECT_EQ(sweep_runs(retention(), day(10), {}, 2), 2u);
  EXPECT_EQ(listed(reader()), (std::vector<std::string>{"new", "long", "waits"}));
  EXPECT_EQ(load("old").version, 0u);
  EXPECT_EQ(reader().find(RunId("old"))->version, 0u);
  EXPECT_EQ(load("waits").history.size(), 1u);
  auto counts = reader().counts(AccountId("acme"));
  ASSERT_TRUE(counts) << counts.error().message;
  EXPECT_EQ(*counts, (std::vector<std::pair<RunStatus, uint64_t>>{{RunStatus::waiting, 1},
                                                                  {RunStatus::completed, 2}}));
  reopen();
  EXPECT_EQ(listed(reader()), (std::vector<std::string>{"new", "long", "waits"}));
}

TEST_P(RetentionContract, a_run_that_goes_on_later_is_not_what_was_removed) {
  ASSERT_EQ(commit(creation(run_of("r", 0, 1))), CommitOutcome::done);
  EXPECT_EQ(sweep_runs(retention(), day(10), {}, 10), 1u);
  ASSERT_EQ(commit(creation(run_of("r", 20, {}))), CommitOutcome::done);
  EXPECT_EQ(load("r").version, 1u);
  EXPECT_EQ(load("r").history.size(), 1u);
}

TEST_P(RetentionContract, history_of_any_length_goes_in_small_steps) {
  ASSERT_EQ(commit(creation(run_of("long", 0, {}))), CommitOutcome::done);
  for (int i = 0; i < 50; ++i) ASSERT_EQ(commit(next_write(load("long"))), CommitOutcome::done);
  RunWrite last = next_write(load("long"));
  last.summary.status = RunStatus::failed;
  last.summary.completed_at = day(1);
  ASSERT_EQ(commit(last), CommitOutcome::done);
  ASSERT_EQ(commit(creation(run_of("lives", 0, {}))), CommitOutcome::done);
  auto swept = retention().remove_runs(0, day(10), {}, 10);
  ASSERT_TRUE(swept);
  EXPECT_EQ(swept->removed, 1u);
  EXPECT_EQ(load("long").version, 0u) << "gone at once, whatever is left of it";
  for (int steps = 0;; ++steps) {
    ASSERT_LT(steps, 100);
    reopen();
    auto rest = retention().remove_remains(7);
    ASSERT_TRUE(rest) << rest.error().message;
    EXPECT_LE(rest->removed, 7u);
    if (!rest->more) break;
  }
  EXPECT_EQ(load("lives").history.size(), 1u);
}

TEST_P(RetentionContract, what_live_runs_name_is_told_and_kept) {
  RunSummary child = run_of("child", 0, {});
  child.parent = RunId("parent");
  RunSummary retry = run_of("retry", 0, {});
  retry.origin = RunId("failed");
  RunSummary done = run_of("done", 0, 1);
  done.parent = RunId("nobody");
  for (const RunSummary& run : {run_of("parent", 0, 1), run_of("failed", 0, 1), child, retry, done})
    ASSERT_EQ(commit(creation(run)), CommitOutcome::done);
  EXPECT_EQ(load("retry").summary.origin, RunId("failed"));
  std::set<RunId> kept;
  uint64_t cursor = 0;
  for (bool more = true; more;) {
    auto page = retention().referred(cursor, 1);
    ASSERT_TRUE(page);
    kept.merge(page->ids);
    cursor = page->cursor;
    more = page->more;
  }
  EXPECT_EQ(kept, (std::set<RunId>{RunId("parent"), RunId("failed")}));
  EXPECT_EQ(sweep_runs(retention(), day(10), kept, 10), 1u);
  EXPECT_EQ(listed(reader()), (std::vector<std::string>{"retry", "child", "failed", "parent"}));
}

TEST_P(RetentionContract, one_run_is_removed_with_its_audit_line_or_not_at_all) {
  ASSERT_EQ(commit(creation(run_of("ended", 0, 1))), CommitOutcome::done);
  ASSERT_EQ(commit(creation(run_of("lives", 0, {}))), CommitOutcome::done);
  EXPECT_EQ(retention().remove_run(RunId("lives"), sample_line("lives")).error().code,
            ErrorCode::run_not_finished);
  EXPECT_EQ(retention().remove_run(RunId("none"), sample_line("none")).error().code,
            ErrorCode::execution_not_found);
  ASSERT_TRUE(retention().remove_run(RunId("ended"), sample_line("ended")));
  EXPECT_EQ(listed(reader()), (std::vector<std::string>{"lives"}));
  auto lines = audit_of(reader(), "acme");
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0].line.subject, "ended");
  EXPECT_EQ(reader().counts(AccountId("acme"))->size(), 1u);
}

// what is left of a chain is still a chain.
TEST_P(RetentionContract, audit_chain_goes_on_from_the_last_line_that_was_removed) {
  for (int i = 0; i < 10; ++i) {
    RunWrite write = creation(run_of("r" + std::to_string(i), i, i));
    write.audit = {line_of("a" + std::to_string(i), i), line_of("b", i, "other")};
    ASSERT_EQ(commit(std::move(write)), CommitOutcome::done);
  }
  auto before = audit_of(reader(), "acme");
  uint64_t removed = 0;
  for (bool more = true; more;) {
    auto swept = retention().remove_audit(day(6), 5);
    ASSERT_TRUE(swept) << swept.error().message;
    EXPECT_LE(swept->removed, 5u);
    removed += swept->removed;
    more = swept->more;
  }
  EXPECT_EQ(removed, 12u);
  reopen();
  auto left = audit_of(reader(), "acme");
  ASSERT_EQ(left.size(), 4u);
  EXPECT_EQ(left.back().line.subject, "a6");
  auto root = retention().audit_root(AccountId("acme"));
  ASSERT_TRUE(root);
  EXPECT_EQ(root->sequence, 6u);
  EXPECT_EQ(root->hash, before[4].hash);
  EXPECT_EQ(left.back().prev_hash, root->hash);
  EXPECT_EQ(left.back().sequence, 7u);
  EXPECT_EQ(retention().audit_root(AccountId("nobody"))->sequence, 0u);
}

TEST_P(RetentionContract, audit_chain_goes_on_when_all_of_it_was_removed) {
  RunWrite write = creation(run_of("r", 0, 0));
  write.audit = {line_of("first", 0), line_of("second", 0)};
  ASSERT_EQ(commit(std::move(write)), CommitOutcome::done);
  auto second = audit_of(reader(), "acme")[0];
  ASSERT_EQ(retention().remove_audit(day(5), 100)->removed, 2u);
  reopen();
  EXPECT_TRUE(audit_of(reader(), "acme").empty());
  ASSERT_TRUE(retention().remove_run(RunId("r"), line_of("third", 6)));
  auto lines = audit_of(reader(), "acme");
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0].sequence, 3u);
  EXPECT_EQ(lines[0].prev_hash, second.hash);
  EXPECT_EQ(lines[0].hash, audit_hash(second.hash, 3, lines[0].line));
}

TEST_P(RetentionContract, pages_of_the_audit_stay_where_they_are) {
  for (int i = 0; i < 6; ++i) {
    RunWrite write = creation(run_of("r" + std::to_string(i), i, i));
    write.audit = {line_of("a" + std::to_string(i), i)};
    ASSERT_EQ(commit(std::move(write)), CommitOutcome::done);
  }
  AuditFilter filter;
  filter.account = AccountId("acme");
  auto page = reader().audit(filter, 2, "");
  ASSERT_EQ(retention().remove_audit(day(2), 100)->removed, 2u);
  auto next = reader().audit(filter, 10, page->next_cursor);
  ASSERT_TRUE(next);
  ASSERT_EQ(next->items.size(), 2u);
  EXPECT_EQ(next->items[0].line.subject, "a3");
}

TEST_P(RetentionContract, marks_go_when_they_have_expired) {
  for (int i = 0; i < 5; ++i)
    ASSERT_TRUE(
        catalog().put_mark({AccountId("acme"), "k" + std::to_string(i), "", 201, "", day(i)}));
  auto swept = retention().remove_marks(day(2), 2);
  ASSERT_TRUE(swept);
  EXPECT_EQ(swept->removed, 2u);
  EXPECT_TRUE(swept->more);
  EXPECT_EQ(retention().remove_marks(day(2), 2)->removed, 1u);
  EXPECT_TRUE(*catalog().mark(AccountId("acme"), "k3", day(0)));
  EXPECT_FALSE(*catalog().mark(AccountId("acme"), "k2", day(0)));
}

/// Stores a definition as a version of a workflow.
void put(Catalog& catalog, const std::string& workflow, char letter) {
  WorkflowPut wanted;
  wanted.account = AccountId("acme");
  wanted.id = WorkflowId(workflow);
  wanted.hash = DefinitionHash(std::string(64, letter));
  wanted.canonical = std::string("{\"") + letter + "\":1}";
  wanted.at = begin;
  ASSERT_TRUE(catalog.put_workflow(wanted, sample_line(workflow)));
}

bool has(Catalog& catalog, char letter) {
  auto found = catalog.definition(DefinitionHash(std::string(64, letter)));
  EXPECT_TRUE(found) << found.error().message;
  return found && found->has_value();
}

TEST_P(RetentionContract, definitions_that_nothing_names_for_a_while_go) {
  put(catalog(), "used", 'a');
  put(catalog(), "used", 'b');
  put(catalog(), "deleted", 'c');
  put(catalog(), "deleted", 'd');
  put(catalog(), "deleted", 'e');
  RunSummary run = run_of("r", 0, 1);
  run.definition = DefinitionHash(std::string(64, 'd'));
  run.former_definitions = {DefinitionHash(std::string(64, 'c'))};
  ASSERT_EQ(commit(creation(run)), CommitOutcome::done);
  ASSERT_TRUE(catalog().remove_workflow(AccountId("acme"), WorkflowId("deleted"), sample_line("")));
  EXPECT_EQ(retention().remove_definitions(day(3), Duration{day_ms}, 10)->removed, 0u);
  EXPECT_TRUE(has(catalog(), 'e')) << "it has only just gone out of use";
  reopen();
  EXPECT_EQ(retention().remove_definitions(day(4), Duration{day_ms}, 10)->removed, 1u);
  EXPECT_FALSE(has(catalog(), 'e'));
  for (char letter : {'a', 'b', 'c', 'd'}) EXPECT_TRUE(has(catalog(), letter)) << letter;
  EXPECT_EQ(load("r").summary.former_definitions, run.former_definitions);
  // With the last run that used them the others go too.
  EXPECT_EQ(sweep_runs(retention(), day(10), {}, 10), 1u);
  EXPECT_EQ(retention().remove_definitions(day(10), Duration{day_ms}, 1)->removed, 0u);
  auto swept = retention().remove_definitions(day(11), Duration{day_ms}, 1);
  EXPECT_EQ(swept->removed, 1u);
  EXPECT_TRUE(swept->more);
  EXPECT_EQ(retention().remove_definitions(day(11), Duration{day_ms}, 1)->removed, 1u);
  EXPECT_FALSE(has(catalog(), 'c') || has(catalog(), 'd'));
  EXPECT_TRUE(has(catalog(), 'a'));
}

TEST_P(RetentionContract, definition_that_comes_into_use_again_stays) {
  put(catalog(), "w", 'a');
  ASSERT_TRUE(catalog().remove_workflow(AccountId("acme"), WorkflowId("w"), sample_line("")));
  EXPECT_EQ(retention().remove_definitions(day(1), Duration{day_ms}, 10)->removed, 0u);
  put(catalog(), "w", 'a');
  EXPECT_EQ(retention().remove_definitions(day(5), Duration{day_ms}, 10)->removed, 0u);
  ASSERT_TRUE(catalog().remove_workflow(AccountId("acme"), WorkflowId("w"), sample_line("")));
  EXPECT_EQ(retention().remove_definitions(day(6), Duration{day_ms}, 10)->removed, 0u)
      << "the time counts from its last use";
  EXPECT_EQ(retention().remove_definitions(day(7), Duration{day_ms}, 10)->removed, 1u);
}

INSTANTIATE_TEST_SUITE_P(stores, RetentionContract, testing::ValuesIn(store_kinds()), kind_name);

}  // namespace
}  // namespace fermata
