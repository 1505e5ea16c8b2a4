#include "test/contract/stores.h"

/// Callbacks in every store (W-72, W-33).
namespace fermata {
namespace {

class DeliveryContract : public StoreContract {
 protected:
  static Delivery sample(const std::string& run, uint64_t sequence) {
    Delivery out;
    out.id = run + "-" + std::to_string(sequence);
    out.account = AccountId("acme");
    out.workflow = WorkflowId("orders");
    out.run = RunId(run);
    out.sequence = sequence;
    out.type = "wait.resumed";
    out.key = "key " + out.id;
    out.callback = Value::object({{"url", "https://crm.example/hook"}});
    out.body = Value::object({{"type", "wait.resumed"}});
    out.created_at = Instant{1'000};
    out.next_at = Instant{1'000 + static_cast<int64_t>(sequence)};
    out.give_up_at = Instant{9'000};
    return out;
  }
  void create(const std::string& run, uint64_t count) {
    RunWrite write = creation(run);
    for (uint64_t i = 1; i <= count; ++i) write.deliveries.push_back(sample(run, i));
    ASSERT_EQ(commit(std::move(write)), CommitOutcome::done);
  }
  CommitOutcome change(Delivery delivery, uint64_t expected) {
    CommitBatch batch;
    DeliveryWrite& write = batch.deliveries.emplace_back();
    write.expected_version = expected;
    write.delivery = std::move(delivery);
    write.audit = {sample_line("callback")};
    return store().commit(batch).at(0);
  }
  Delivery stored(const std::string& id) {
    auto found = reader().find_delivery(id);
    return found && *found ? **found : Delivery{};
  }
};

TEST_P(DeliveryContract, delivery_is_written_with_its_run_or_not_at_all) {
  create("r1", 1);
  Delivery kept = stored("r1-1");
  Delivery expected = sample("r1", 1);
  expected.version = 1;
  EXPECT_EQ(kept, expected);
  RunWrite late = creation("r1");
  late.deliveries.push_back(sample("r1", 2));
  EXPECT_EQ(commit(std::move(late)), CommitOutcome::conflict);
  EXPECT_EQ(stored("r1-2").id, "");
  reopen();
  EXPECT_EQ(stored("r1-1"), expected);
}

TEST_P(DeliveryContract, change_takes_effect_for_the_expected_version_only) {
  create("r1", 1);
  Delivery next = stored("r1-1");
  next.state = DeliveryState::done;
  next.next_at.reset();
  next.attempts = 1;
  next.latest.push_back({Instant{5}, 1, 200, "", "", 12});
  EXPECT_EQ(change(next, 2), CommitOutcome::conflict);
  EXPECT_EQ(change(next, 1), CommitOutcome::done);
  EXPECT_EQ(change(next, 1), CommitOutcome::conflict);
  next.version = 2;
  EXPECT_EQ(stored("r1-1"), next);
  EXPECT_EQ(audit_of(reader(), "acme").size(), 1u);
  EXPECT_EQ(change(sample("r9", 1), 1), CommitOutcome::conflict);
}

TEST_P(DeliveryContract, change_and_a_run_stand_or_fall_together) {
  create("r1", 1);
  CommitBatch batch;
  batch.runs.push_back(next_write(load("r1")));
  batch.runs.back().expected_version = 7;
  batch.runs.back().group = 1;
  DeliveryWrite& write = batch.deliveries.emplace_back();
  write.expected_version = 1;
  write.delivery = stored("r1-1");
  write.delivery.attempts = 5;
  write.group = 1;
  EXPECT_EQ(store().commit(batch), (std::vector{CommitOutcome::conflict, CommitOutcome::conflict}));
  EXPECT_EQ(stored("r1-1").attempts, 0u);
  batch.runs.back().expected_version = 1;
  EXPECT_EQ(store().commit(batch), (std::vector{CommitOutcome::done, CommitOutcome::done}));
  EXPECT_EQ(stored("r1-1").attempts, 5u);
}

TEST_P(DeliveryContract, pending_ones_are_paged_in_the_order_they_were_written) {
  create("r1", 3);
  create("r2", 2);
  Delivery done = stored("r1-2");
  done.state = DeliveryState::gone;
  EXPECT_EQ(change(done, 1), CommitOutcome::done);
  std::vector<std::string> ids;
  uint64_t cursor = 0;
  for (bool more = true; more;) {
    auto page = store().pending_deliveries(cursor, 2);
    ASSERT_TRUE(page);
    for (const PendingDelivery& one : page->deliveries) ids.push_back(one.id);
    cursor = page->cursor;
    more = page->more;
  }
  EXPECT_EQ(ids, (std::vector<std::string>{"r1-1", "r1-3", "r2-1", "r2-2"}));
  std::vector<std::string> wanted{"r2-2", "none"};
  auto loaded = store().load_deliveries(wanted);
  ASSERT_TRUE(loaded);
  ASSERT_EQ(loaded->size(), 1u);
  EXPECT_EQ(loaded->front().next_at, Instant{1'002});
}

TEST_P(DeliveryContract, lists_are_filtered_and_newest_first) {
  create("r1", 2);
  create("r2", 2);
  Delivery dead = stored("r2-1");
  dead.state = DeliveryState::dead;
  EXPECT_EQ(change(dead, 1), CommitOutcome::done);
  auto ids = [&](const DeliveryFilter& filter) {
    std::string out, cursor;
    do {
      auto page = reader().list_deliveries(filter, 1, cursor);
      if (!page) return page.error().message;
      for (const Delivery& one : page->items) out += one.id + " ";
      cursor = page->next_cursor;
    } while (!cursor.empty());
    return out;
  };
  EXPECT_EQ(ids({AccountId("acme"), {}, {}}), "r2-2 r2-1 r1-2 r1-1 ");
  EXPECT_EQ(ids({AccountId("acme"), DeliveryState::dead, {}}), "r2-1 ");
  EXPECT_EQ(ids({AccountId("acme"), {}, RunId("r1")}), "r1-2 r1-1 ");
  EXPECT_EQ(ids({AccountId("other"), {}, {}}), "");
}

TEST_P(DeliveryContract, what_is_to_be_told_outlives_its_run) {
  RunWrite write = creation("r1");
  write.summary.status = RunStatus::completed;
  write.summary.completed_at = Instant{2'000};
  write.deliveries = {sample("r1", 1), sample("r1", 2)};
  ASSERT_EQ(commit(std::move(write)), CommitOutcome::done);
  Delivery done = stored("r1-1");
  done.state = DeliveryState::done;
  EXPECT_EQ(change(done, 1), CommitOutcome::done);
  ASSERT_TRUE(retention().remove_run(RunId("r1"), sample_line("r1")));
  EXPECT_EQ(stored("r1-1").id, "");
  EXPECT_EQ(stored("r1-2").id, "r1-2");
}

INSTANTIATE_TEST_SUITE_P(adapters, DeliveryContract, testing::ValuesIn(store_kinds()), kind_name);

}  // namespace
}  // namespace fermata
