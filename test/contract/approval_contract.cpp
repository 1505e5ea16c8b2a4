#include "test/contract/stores.h"

/// Approvals are written with their run and read beside it (F-37, G-49).
namespace fermata {
namespace {

ApprovalRecord sample(const std::string& run, const std::string& id,
                      const std::string& account = "acme") {
  ApprovalRecord record{AccountId(account), WorkflowId("orders"), RunId(run), "c-17", "key-1", {}};
  Approval& approval = record.approval;
  approval.id = id;
  approval.number = 3;
  approval.step = "ask";
  approval.title = "Pay " + id;
  approval.message = "large";
  approval.payload = Value::object({{"amount", 900}});
  approval.approvers = {"admin", "key:anna"};
  approval.hash = "abc";
  approval.unblocks = Value::object({{"approve", Value::array()}});
  approval.on_timeout = "reject";
  approval.expires_at = Instant{1'700'000'000'000};
  approval.asked_at = Instant{1'600'000'000'000};
  approval.updated_at = Instant{1'600'000'000'001};
  return record;
}

class ApprovalContract : public StoreContract {
 protected:
  /// A run with these approvals, or its next commit.
  CommitOutcome put(const std::string& run, std::vector<ApprovalRecord> approvals) {
    StoredRun stored = load(run);
    RunWrite write = stored.version == 0 ? creation(run) : next_write(stored);
    write.approvals = std::move(approvals);
    return commit(std::move(write));
  }
  using Ids = std::vector<std::string>;
  Ids listed(const ApprovalFilter& filter, size_t limit = 2) {
    Ids ids;
    std::string cursor;
    do {
      auto page = reader().list_approvals(filter, limit, cursor);
      EXPECT_TRUE(page) << page.error().message;
      if (!page) return ids;
      for (const ApprovalRecord& record : page->items) ids.push_back(record.approval.id);
      cursor = page->next_cursor;
    } while (!cursor.empty());
    return ids;
  }
};

TEST_P(ApprovalContract, approval_is_read_as_it_was_last_written) {
  ApprovalRecord record = sample("r1", "r1.3");
  ASSERT_EQ(put("r1", {record}), CommitOutcome::done);
  EXPECT_EQ(reader().find_approval("r1.3")->value(), record);
  record.approval.status = ApprovalStatus::rejected;
  record.approval.by = "anna";
  record.approval.comment = "no";
  record.approval.ended_at = Instant{1'650'000'000'000};
  ASSERT_EQ(put("r1", {record}), CommitOutcome::done);
  reopen();
  EXPECT_EQ(reader().find_approval("r1.3")->value(), record);
  EXPECT_FALSE(reader().find_approval("nobody")->has_value());
}

TEST_P(ApprovalContract, lists_are_newest_first_and_filtered) {
  ASSERT_EQ(put("r1", {sample("r1", "a"), sample("r1", "b")}), CommitOutcome::done);
  ApprovalRecord done = sample("r2", "c");
  done.approval.status = ApprovalStatus::approved;
  ASSERT_EQ(put("r2", {done, sample("r2", "d"), sample("r2", "e", "other")}), CommitOutcome::done);
  AccountId acme("acme");
  EXPECT_EQ(listed({.account = acme}), (Ids{"d", "c", "b", "a"}));
  EXPECT_EQ(listed({.account = acme, .statuses = {ApprovalStatus::pending}}), (Ids{"d", "b", "a"}));
  EXPECT_EQ(
      listed({.account = acme, .statuses = {ApprovalStatus::approved, ApprovalStatus::rejected}}),
      (Ids{"c"}));
  EXPECT_EQ(listed({.account = acme, .run = RunId("r1")}), (Ids{"b", "a"}));
  EXPECT_EQ(listed({.account = acme, .workflow = WorkflowId("none")}), Ids{});
  EXPECT_EQ(listed({.account = acme, .q = "pay B"}), (Ids{"b"}));
  EXPECT_EQ(reader().list_approvals({}, 2, "nonsense").error().code, ErrorCode::invalid_query);
}

TEST_P(ApprovalContract, write_that_conflicts_leaves_the_row_alone) {
  ASSERT_EQ(put("r1", {sample("r1", "a")}), CommitOutcome::done);
  RunWrite late = creation("r1");
  ApprovalRecord changed = sample("r1", "a");
  changed.approval.status = ApprovalStatus::approved;
  late.approvals = {changed};
  EXPECT_EQ(commit(std::move(late)), CommitOutcome::conflict);
  EXPECT_EQ(reader().find_approval("a")->value().approval.status, ApprovalStatus::pending);
}

TEST_P(ApprovalContract, approvals_go_with_their_run) {
  RunSummary run = sample_run("r1");
  run.status = RunStatus::completed;
  run.completed_at = Instant{1'000};
  RunWrite write = creation(run);
  write.approvals = {sample("r1", "a")};
  ASSERT_EQ(commit(std::move(write)), CommitOutcome::done);
  ASSERT_EQ(put("r2", {sample("r2", "b")}), CommitOutcome::done);
  ASSERT_TRUE(retention().remove_run(RunId("r1"), sample_line("r1")));
  EXPECT_EQ(listed({}), Ids{"b"});
  EXPECT_FALSE(reader().find_approval("a")->has_value());
}

INSTANTIATE_TEST_SUITE_P(adapters, ApprovalContract, testing::ValuesIn(store_kinds()), kind_name);

}  // namespace
}  // namespace fermata
