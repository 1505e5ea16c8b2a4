#include "test/contract/stores.h"

namespace fermata {
namespace {

BulkRecord sample_bulk(const std::string& id, const std::string& account = "acme") {
  BulkRecord record;
  record.id = id;
  record.account = AccountId(account);
  record.kind = "executions";
  record.action = "cancel";
  record.parameters = Value::object({{"name", "go"}});
  record.actor = "ann";
  record.reason = "enough";
  record.request_hash = "hash";
  record.created_at = Instant{1000};
  record.per_minute = 7;
  record.matched = 3;
  return record;
}

class BulkContract : public StoreContract {
 protected:
  bool put(const BulkRecord& record) {
    auto stored = bulks().put_bulk(record, {"r1", "r2", "r3"}, sample_line(record.id));
    EXPECT_TRUE(stored) << stored.error().message;
    return stored && *stored;
  }
  std::vector<std::string> listed(const std::string& account, size_t limit = 100) {
    std::vector<std::string> out;
    std::string cursor;
    do {
      auto page = bulks().bulks(AccountId(account), limit, cursor);
      EXPECT_TRUE(page);
      if (!page) return out;
      EXPECT_LE(page->items.size(), limit);
      for (const BulkRecord& record : page->items) out.push_back(record.id);
      cursor = page->next_cursor;
    } while (!cursor.empty());
    return out;
  }
  using Texts = std::vector<std::string>;
};

TEST_P(BulkContract, operation_is_kept_whole_with_its_selection_and_audit_line) {
  ASSERT_TRUE(put(sample_bulk("b1")));
  for (int round = 0; round < 2; ++round) {
    auto found = bulks().bulk("b1");
    ASSERT_TRUE(found);
    ASSERT_TRUE(*found);
    const BulkRecord& record = **found;
    EXPECT_EQ(record.account, AccountId("acme"));
    EXPECT_EQ(record.kind, "executions");
    EXPECT_EQ(record.action, "cancel");
    EXPECT_EQ(record.parameters.get("name"), Value("go"));
    EXPECT_EQ(record.actor, "ann");
    EXPECT_EQ(record.reason, "enough");
    EXPECT_EQ(record.request_hash, "hash");
    EXPECT_EQ(record.state, BulkState::running);
    EXPECT_EQ(record.created_at, Instant{1000});
    EXPECT_EQ(record.ended_at, std::nullopt);
    EXPECT_EQ(record.per_minute, 7u);
    EXPECT_EQ(record.matched, 3u);
    EXPECT_EQ(*bulks().bulk_items("b1", 0, SIZE_MAX), (Texts{"r1", "r2", "r3"}));
    EXPECT_EQ(*bulks().bulk_items("b1", 1, 1), (Texts{"r2"}));
    EXPECT_EQ(*bulks().bulk_items("b1", 3, 5), (Texts{}));
    EXPECT_EQ(audit_of(reader(), "acme").size(), 1u);
    reopen();
  }
  EXPECT_EQ(*bulks().bulk("nobody"), std::nullopt);
  EXPECT_EQ(bulks().bulk_items("nobody", 0, 1).error().code, ErrorCode::bulk_not_found);
}

TEST_P(BulkContract, rate_is_kept_by_the_minute) {
  for (uint32_t rate : {0u, 1u, 59u, 60u, 61u, 420u, 6'000'000u}) {
    BulkRecord record = sample_bulk("b" + std::to_string(rate));
    record.per_minute = rate;
    record.results = {{0, "r1", true, "code", "message"}};
    ASSERT_TRUE(put(record));
    EXPECT_EQ((*bulks().bulk(record.id))->per_minute, rate);
  }
  reopen();
  EXPECT_EQ((*bulks().bulk("b59"))->per_minute, 59u);
  EXPECT_EQ((*bulks().bulk("b60"))->results.size(), 1u);
}

TEST_P(BulkContract, those_that_ended_long_ago_go_and_running_ones_stay) {
  for (int i = 0; i < 5; ++i) {
    BulkRecord record = sample_bulk("b" + std::to_string(i));
    ASSERT_TRUE(put(record));
    if (i == 1) continue;
    record.state = BulkState::done;
    record.ended_at = Instant{2000 + i};
    ASSERT_TRUE(bulks().set_bulk(record, nullptr));
  }
  auto swept = retention().remove_bulks(Instant{2004}, 2);
  ASSERT_TRUE(swept) << swept.error().message;
  EXPECT_EQ(swept->removed, 2u);
  EXPECT_TRUE(swept->more);
  EXPECT_EQ(retention().remove_bulks(Instant{2004}, 2)->removed, 1u);
  EXPECT_EQ(retention().remove_bulks(Instant{2004}, 2)->removed, 0u);
  reopen();
  EXPECT_EQ(listed("acme", 1), (Texts{"b4", "b1"}));
  EXPECT_EQ(bulks().bulk_items("b0", 0, 1).error().code, ErrorCode::bulk_not_found);
  EXPECT_EQ(*bulks().bulk_items("b1", 0, 1), (Texts{"r1"}));
}

TEST_P(BulkContract, id_that_is_taken_changes_nothing) {
  ASSERT_TRUE(put(sample_bulk("b1")));
  BulkRecord other = sample_bulk("b1", "other");
  EXPECT_FALSE(put(other));
  EXPECT_EQ((*bulks().bulk("b1"))->account, AccountId("acme"));
  EXPECT_EQ(audit_of(reader(), "other").size(), 0u);
}

TEST_P(BulkContract, progress_and_end_are_kept) {
  ASSERT_TRUE(put(sample_bulk("b1")));
  BulkRecord record = sample_bulk("b1");
  record.position = 3;
  record.done = 1;
  record.refused = 1;
  record.failed = 1;
  record.results = {{1, "r2", false, "run_finished", "it has ended"},
                    {2, "r3", true, "internal", "it broke"}};
  ASSERT_TRUE(bulks().set_bulk(record, nullptr));
  EXPECT_EQ(bulks().running_bulks()->size(), 1u);
  record.state = BulkState::stopped;
  record.ended_at = Instant{2000};
  AuditLine line = sample_line("stopped");
  ASSERT_TRUE(bulks().set_bulk(record, &line));
  reopen();
  auto found = bulks().bulk("b1");
  ASSERT_TRUE(found && *found);
  EXPECT_EQ((*found)->position, 3u);
  EXPECT_EQ((*found)->done, 1u);
  EXPECT_EQ((*found)->state, BulkState::stopped);
  EXPECT_EQ((*found)->ended_at, Instant{2000});
  ASSERT_EQ((*found)->results.size(), 2u);
  EXPECT_EQ((*found)->results[1].item, "r3");
  EXPECT_TRUE((*found)->results[1].failed);
  EXPECT_EQ((*found)->results[1].message, "it broke");
  EXPECT_EQ(bulks().running_bulks()->size(), 0u);
  EXPECT_EQ(audit_of(reader(), "acme").size(), 2u);
  EXPECT_EQ(bulks().set_bulk(sample_bulk("nobody"), nullptr).error().code,
            ErrorCode::bulk_not_found);
}

TEST_P(BulkContract, operations_are_listed_by_account_and_those_under_way_in_order) {
  for (const char* id : {"b1", "b2", "b3", "b4"}) ASSERT_TRUE(put(sample_bulk(id)));
  ASSERT_TRUE(put(sample_bulk("o1", "other")));
  EXPECT_EQ(listed("acme", 3), (Texts{"b4", "b3", "b2", "b1"}));
  EXPECT_EQ(listed("acme", 4), (Texts{"b4", "b3", "b2", "b1"}));
  EXPECT_EQ(listed("other"), (Texts{"o1"}));
  EXPECT_EQ(bulks().bulks(AccountId("acme"), 1, "x").error().code, ErrorCode::invalid_query);
  BulkRecord done = sample_bulk("b2");
  done.state = BulkState::done;
  ASSERT_TRUE(bulks().set_bulk(done, nullptr));
  Texts running;
  auto under_way = bulks().running_bulks();
  ASSERT_TRUE(under_way);
  for (const BulkRecord& record : *under_way) running.push_back(record.id);
  EXPECT_EQ(running, (Texts{"b1", "b3", "b4", "o1"}));
}

INSTANTIATE_TEST_SUITE_P(adapters, BulkContract, testing::ValuesIn(store_kinds()), kind_name);

}  // namespace
}  // namespace fermata
