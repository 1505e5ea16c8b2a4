#include "test/contract/stores.h"

/// What every store keeps for brokers (ADR 0055).
namespace fermata {
namespace {

class OutboxContract : public StoreContract {
 protected:
  static OutboxRow row(const std::string& run, uint64_t sequence, const std::string& lane) {
    OutboxRow out;
    out.run = RunId(run);
    out.sequence = sequence;
    out.lane = lane;
    out.target = "workflow.node.status";
    out.id = run + ":" + std::to_string(sequence);
    out.body = "{\"n\":" + std::to_string(sequence) + "}";
    out.last = sequence == 2;
    out.traceparent = "00-trace";
    return out;
  }
  void create(const std::string& run) {
    RunWrite write = creation(run);
    write.outbox = {row(run, 1, "rabbit"), row(run, 2, "rabbit"), row(run, 3, "other")};
    write.marks = {{"id:m-" + run, Instant{1'000}}};
    ASSERT_EQ(commit(std::move(write)), CommitOutcome::done);
  }
  bool marked(const RunId& run, const std::string& mark) {
    auto found = outbox().is_marked(run, mark);
    EXPECT_TRUE(found);
    return found && *found;
  }
  std::vector<std::string> ids(uint64_t after = 0, size_t limit = 100) {
    std::vector<std::string> out;
    auto page = outbox().outbox("rabbit", after, limit);
    EXPECT_TRUE(page);
    for (const Outbox::Entry& entry : *page) out.push_back(entry.row.id);
    return out;
  }
};

// C-52
TEST_P(OutboxContract, rows_are_written_with_their_run_or_not_at_all) {
  create("r1");
  RunWrite late = creation("r1");
  late.outbox = {row("r1", 9, "rabbit")};
  late.marks = {{"id:late", Instant{1}}};
  EXPECT_EQ(commit(std::move(late)), CommitOutcome::conflict);
  EXPECT_EQ(ids(), (std::vector<std::string>{"r1:1", "r1:2"}));
  EXPECT_EQ(marked(RunId("r1"), "id:late"), false);
  reopen();
  auto page = outbox().outbox("rabbit", 0, 10);
  ASSERT_TRUE(page);
  ASSERT_EQ(page->size(), 2u);
  EXPECT_EQ((*page)[1].row, row("r1", 2, "rabbit"));
}

// C-66
TEST_P(OutboxContract, rows_of_a_lane_are_paged_in_the_order_of_commits) {
  for (const char* run : {"r1", "r2", "r3"}) create(run);
  EXPECT_EQ(ids(), (std::vector<std::string>{"r1:1", "r1:2", "r2:1", "r2:2", "r3:1", "r3:2"}));
  auto first = outbox().outbox("rabbit", 0, 3);
  ASSERT_TRUE(first);
  ASSERT_EQ(first->size(), 3u);
  EXPECT_EQ(ids(first->back().number, 2), (std::vector<std::string>{"r2:2", "r3:1"}));
  EXPECT_EQ(*outbox().outbox_rows("rabbit"), 6u);
  EXPECT_EQ(*outbox().outbox_rows("other"), 3u);
}

// C-52
TEST_P(OutboxContract, row_that_was_removed_does_not_come_back) {
  create("r1");
  auto page = outbox().outbox("rabbit", 0, 1);
  ASSERT_TRUE(page);
  uint64_t number = page->at(0).number;
  ASSERT_TRUE(outbox().remove_from_outbox(std::span(&number, 1)));
  ASSERT_TRUE(outbox().remove_from_outbox(std::span(&number, 1))) << "again is fine";
  reopen();
  EXPECT_EQ(ids(), (std::vector<std::string>{"r1:2"}));
  create("r2");
  EXPECT_EQ(ids(), (std::vector<std::string>{"r1:2", "r2:1", "r2:2"})) << "new ones come last";
}

// C-53
TEST_P(OutboxContract, mark_is_known_to_its_run_until_it_is_old) {
  create("r1");
  EXPECT_EQ(marked(RunId("r1"), "id:m-r1"), true);
  EXPECT_EQ(marked(RunId("r2"), "id:m-r1"), false);
  reopen();
  EXPECT_EQ(marked(RunId("r1"), "id:m-r1"), true);
  ASSERT_TRUE(outbox().forget_marks(Instant{1'000}));
  EXPECT_EQ(marked(RunId("r1"), "id:m-r1"), true);
  ASSERT_TRUE(outbox().forget_marks(Instant{1'001}));
  EXPECT_EQ(marked(RunId("r1"), "id:m-r1"), false);
}

// C-53
TEST_P(OutboxContract, message_is_buried_once) {
  DeadLetterEntry entry;
  entry.letter.id = "message-1";
  entry.letter.account = AccountId("acme");
  entry.letter.topic = "workflow.execution";
  entry.letter.reason_code = "not_json";
  entry.letter.created_at = Instant{5};
  ASSERT_TRUE(outbox().bury(entry));
  DeadLetterEntry again = entry;
  again.letter.created_at = Instant{9};
  ASSERT_TRUE(outbox().bury(again));
  reopen();
  auto page = dead_letters().dead_letters({.account = AccountId("acme")}, 10, "");
  ASSERT_TRUE(page);
  ASSERT_EQ(page->items.size(), 1u);
  EXPECT_EQ(page->items[0], entry);
}

INSTANTIATE_TEST_SUITE_P(adapters, OutboxContract, testing::ValuesIn(store_kinds()), kind_name);

}  // namespace
}  // namespace fermata
