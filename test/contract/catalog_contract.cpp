#include "test/contract/stores.h"

namespace fermata {
namespace {

const AccountId acme("acme");
const WorkflowId orders("orders");

WorkflowPut sample_put(const std::string& hash, int64_t at = 1000) {
  WorkflowPut put;
  put.account = acme;
  put.id = orders;
  put.hash = DefinitionHash(hash);
  put.canonical = "{\"hash\":\"" + hash + "\"}";
  put.at = Instant{at};
  put.actor = "ann";
  return put;
}

KeyRecord sample_key(const std::string& id, const std::string& account = "acme") {
  KeyRecord key;
  key.id = id;
  key.account = AccountId(account);
  key.name = "for tests";
  key.role = Role::operator_;
  key.secret_hash = "salted";
  key.created_at = Instant{5};
  key.expires_at = Instant{500};
  return key;
}

IdempotencyMark sample_mark(const std::string& answer, int64_t expires_at = 100) {
  return {acme, "key", "body", 201, answer, Instant{expires_at}};
}

class CatalogContract : public StoreContract {
 protected:
  WorkflowStored put(const WorkflowPut& put) {
    auto stored = catalog().put_workflow(put, line("workflow.put"));
    EXPECT_TRUE(stored) << stored.error().message;
    return stored ? *stored : WorkflowStored{};
  }
  static AuditLine line(const std::string& action, int64_t at = 2000) {
    AuditLine line = sample_line("orders");
    line.action = action;
    line.at = Instant{at};
    return line;
  }
  WorkflowRecord orders_now() { return catalog().workflow(acme, orders)->value(); }
};

TEST_P(CatalogContract, first_put_makes_version_one) {
  WorkflowPut first = sample_put("h1");
  first.layout = Value::object({{"x", Value(1)}});
  first.webhook_guid = "guid";
  WorkflowStored stored = put(first);
  EXPECT_TRUE(stored.created_version);
  EXPECT_EQ(stored.version, 1u);
  reopen();
  WorkflowRecord record = orders_now();
  EXPECT_EQ(record.account, acme);
  EXPECT_EQ(record.id, orders);
  EXPECT_TRUE(record.active);
  EXPECT_EQ(record.current_version, 1u);
  EXPECT_EQ(record.latest_version, 1u);
  EXPECT_EQ(record.current_hash, DefinitionHash("h1"));
  EXPECT_EQ(record.layout, first.layout);
  EXPECT_EQ(record.webhook_guid, "guid");
  EXPECT_EQ(record.created_at, Instant{1000});
  EXPECT_EQ(record.updated_at, Instant{1000});
  EXPECT_EQ(record.revision, 1u);
  EXPECT_EQ(*catalog().definition(DefinitionHash("h1")), "{\"hash\":\"h1\"}");
  EXPECT_EQ(*catalog().definition(DefinitionHash("h2")), std::nullopt);
  EXPECT_EQ(*catalog().workflow(AccountId("other"), orders) == std::nullopt, true);
}

TEST_P(CatalogContract, version_grows_only_with_another_hash) {
  put(sample_put("h1"));
  WorkflowPut moved = sample_put("h1", 3000);
  moved.layout = Value::object({{"x", Value(2)}});
  WorkflowStored stored = put(moved);
  EXPECT_FALSE(stored.created_version);
  EXPECT_EQ(stored.version, 1u);
  EXPECT_EQ(stored.record.layout, moved.layout);
  EXPECT_EQ(stored.record.revision, 2u);
  EXPECT_EQ(stored.record.updated_at, Instant{3000});
  EXPECT_EQ(put(moved).record.revision, 2u);

  EXPECT_EQ(put(sample_put("h2")).version, 2u);
  reopen();
  auto versions = catalog().versions(acme, orders);
  ASSERT_TRUE(versions);
  ASSERT_EQ(versions->size(), 2u);
  EXPECT_EQ(versions->at(0).version, 1u);
  EXPECT_EQ(versions->at(1).hash, DefinitionHash("h2"));
  EXPECT_EQ(versions->at(1).created_by, "ann");
  EXPECT_EQ(versions->at(1).created_at, Instant{1000});
  EXPECT_TRUE(catalog().versions(acme, WorkflowId("none"))->empty());
}

// F-54
TEST_P(CatalogContract, content_of_an_older_version_makes_that_one_current_again) {
  put(sample_put("h1"));
  put(sample_put("h2"));
  WorkflowStored back = put(sample_put("h1", 5000));
  EXPECT_FALSE(back.created_version);
  EXPECT_EQ(back.version, 1u);
  EXPECT_EQ(back.record.current_version, 1u);
  EXPECT_EQ(back.record.latest_version, 2u);
  EXPECT_EQ(back.record.revision, 3u);
  reopen();
  EXPECT_EQ(orders_now().current_hash, DefinitionHash("h1"));
  EXPECT_EQ(orders_now().updated_at, Instant{5000});
  EXPECT_EQ(put(sample_put("h3")).version, 3u);
  EXPECT_EQ(catalog().versions(acme, orders)->size(), 3u);
}

// F-54
TEST_P(CatalogContract, version_can_be_stored_without_becoming_current) {
  WorkflowPut first = sample_put("h1");
  first.make_current = false;
  EXPECT_EQ(put(first).record.current_version, 1u);
  WorkflowPut second = sample_put("h2");
  second.make_current = false;
  second.layout = Value::object({{"x", Value(2)}});
  WorkflowStored stored = put(second);
  EXPECT_TRUE(stored.created_version);
  EXPECT_EQ(stored.version, 2u);
  EXPECT_EQ(stored.record.current_version, 1u);
  EXPECT_EQ(stored.record.current_hash, DefinitionHash("h1"));
  EXPECT_EQ(stored.record.latest_version, 2u);
  EXPECT_EQ(stored.record.layout, first.layout);
  reopen();
  EXPECT_EQ(orders_now().current_version, 1u);
  EXPECT_EQ(*catalog().definition(DefinitionHash("h2")), "{\"hash\":\"h2\"}");
}

TEST_P(CatalogContract, put_with_another_revision_is_a_conflict) {
  WorkflowPut first = sample_put("h1");
  first.if_revision = 1;
  EXPECT_EQ(catalog().put_workflow(first, line("put")).error().code, ErrorCode::version_conflict);
  first.if_revision = 0;
  put(first);
  EXPECT_EQ(catalog().put_workflow(first, line("put")).error().code, ErrorCode::version_conflict);
  WorkflowPut second = sample_put("h2");
  second.if_revision = 1;
  EXPECT_EQ(put(second).version, 2u);
  EXPECT_EQ(audit_of(reader(), "acme").size(), 2u);
}

TEST_P(CatalogContract, current_version_can_be_set_back) {
  put(sample_put("h1"));
  put(sample_put("h2"));
  auto record = catalog().set_current(acme, orders, 1, line("workflow.rollback"));
  ASSERT_TRUE(record);
  EXPECT_EQ(record->current_version, 1u);
  EXPECT_EQ(record->latest_version, 2u);
  EXPECT_EQ(record->current_hash, DefinitionHash("h1"));
  EXPECT_EQ(record->updated_at, Instant{2000});
  EXPECT_EQ(record->revision, 3u);
  EXPECT_EQ(orders_now().current_version, 1u);
  EXPECT_EQ(catalog().set_current(acme, orders, 3, line("x")).error().code,
            ErrorCode::version_not_found);
  EXPECT_EQ(catalog().set_current(acme, orders, 0, line("x")).error().code,
            ErrorCode::version_not_found);
  EXPECT_EQ(catalog().set_current(acme, WorkflowId("none"), 1, line("x")).error().code,
            ErrorCode::workflow_not_found);
  EXPECT_EQ(put(sample_put("h3")).version, 3u);
}

TEST_P(CatalogContract, workflow_is_switched_off_and_on) {
  put(sample_put("h1"));
  EXPECT_FALSE(catalog().set_active(acme, orders, false, line("workflow.deactivate"))->active);
  EXPECT_FALSE(orders_now().active);
  EXPECT_FALSE(put(sample_put("h2")).record.active);
  EXPECT_TRUE(catalog().set_active(acme, orders, true, line("workflow.activate"))->active);
  EXPECT_EQ(catalog().set_active(acme, WorkflowId("none"), true, line("x")).error().code,
            ErrorCode::workflow_not_found);
}

// G-3: a run keeps the definition it started with, by hash.
TEST_P(CatalogContract, definition_outlives_its_workflow) {
  WorkflowPut first = sample_put("h1");
  first.webhook_guid = "guid";
  put(first);
  ASSERT_TRUE(catalog().remove_workflow(acme, orders, line("workflow.delete")));
  EXPECT_EQ(catalog().remove_workflow(acme, orders, line("x")).error().code,
            ErrorCode::workflow_not_found);
  EXPECT_FALSE(catalog().workflow(acme, orders)->has_value());
  EXPECT_FALSE(catalog().workflow_by_webhook("guid")->has_value());
  EXPECT_TRUE(catalog().versions(acme, orders)->empty());
  EXPECT_EQ(*catalog().definition(DefinitionHash("h1")), first.canonical);
  WorkflowStored again = put(sample_put("h1"));
  EXPECT_TRUE(again.created_version);
  EXPECT_EQ(again.version, 1u);
}

// F-55
TEST_P(CatalogContract, version_is_removed_unless_it_is_the_current_one) {
  for (const char* hash : {"h1", "h2", "h3"}) put(sample_put(hash));
  auto remove = [&](uint32_t version) {
    auto removed = catalog().remove_version(acme, orders, version, line("workflow.version.delete"));
    return removed ? std::string() : std::string(name_of(removed.error().code));
  };
  EXPECT_EQ(remove(3), "version_in_use");
  EXPECT_EQ(remove(4), "version_not_found");
  EXPECT_EQ(remove(2), "");
  EXPECT_EQ(remove(2), "version_not_found");
  reopen();
  std::vector<uint32_t> left;
  for (const WorkflowVersion& version : *catalog().versions(acme, orders))
    left.push_back(version.version);
  EXPECT_EQ(left, (std::vector<uint32_t>{1, 3}));
  EXPECT_EQ(catalog().set_current(acme, orders, 2, line("x")).error().code,
            ErrorCode::version_not_found);
  EXPECT_EQ(catalog().set_current(acme, orders, 1, line("x"))->current_hash, DefinitionHash("h1"));
  // Its content makes a new version; its number is gone for good.
  EXPECT_EQ(put(sample_put("h2")).version, 4u);
}

TEST_P(CatalogContract, webhook_names_its_workflow_for_good) {
  put(sample_put("h0"));
  WorkflowPut first = sample_put("h1");
  first.webhook_guid = "guid1";
  put(first);
  WorkflowPut second = sample_put("h2");
  second.webhook_guid = "guid2";
  EXPECT_EQ(put(second).record.webhook_guid, "guid1");
  EXPECT_EQ(catalog().workflow_by_webhook("guid1")->value().id, orders);
  EXPECT_FALSE(catalog().workflow_by_webhook("guid2")->has_value());
  EXPECT_FALSE(catalog().workflow_by_webhook("")->has_value());
}

TEST_P(CatalogContract, workflows_are_paged_by_id) {
  for (const char* id : {"d", "a", "c", "b", "e"}) {
    WorkflowPut one = sample_put("h");
    one.id = WorkflowId(id);
    put(one);
  }
  WorkflowPut foreign = sample_put("h");
  foreign.account = AccountId("other");
  put(foreign);
  std::string seen;
  std::string cursor;
  do {
    auto page = catalog().workflows(acme, 2, cursor);
    ASSERT_TRUE(page);
    EXPECT_LE(page->items.size(), 2u);
    for (const WorkflowRecord& record : page->items) seen += record.id.text();
    cursor = page->next_cursor;
  } while (!cursor.empty());
  EXPECT_EQ(seen, "abcde");
  EXPECT_EQ(catalog().workflows(acme, 5, "")->next_cursor, "");
}

TEST_P(CatalogContract, every_write_is_audited_in_the_accounts_chain) {
  put(sample_put("h1"));
  put(sample_put("h2"));
  ASSERT_TRUE(catalog().set_current(acme, orders, 1, line("workflow.rollback")));
  ASSERT_TRUE(catalog().set_active(acme, orders, false, line("workflow.deactivate")));
  ASSERT_TRUE(catalog().remove_workflow(acme, orders, line("workflow.delete")));
  ASSERT_TRUE(catalog().put_key(sample_key("k1"), line("key.create")));
  ASSERT_TRUE(catalog().revoke_key("k1", Instant{9}, line("key.revoke")));
  CommitBatch batch;
  batch.runs = {creation("r1")};
  batch.runs.front().audit = {sample_line("r1")};
  ASSERT_EQ(store().commit(batch).at(0), CommitOutcome::done);
  reopen();
  std::vector<AuditEntry> entries = audit_of(reader(), "acme");
  EXPECT_EQ(entries.size(), 8u);
  EXPECT_EQ(entries.at(1).line.action, "key.revoke");
  expect_valid_chain(entries);
}

TEST_P(CatalogContract, keys_are_kept_used_and_revoked) {
  EXPECT_FALSE(*catalog().any_key());
  ASSERT_TRUE(catalog().put_key(sample_key("k2"), line("key.create")));
  ASSERT_TRUE(catalog().put_key(sample_key("k1"), line("key.create")));
  ASSERT_TRUE(catalog().put_key(sample_key("k3", "other"), line("key.create")));
  catalog().key_used("k1", Instant{70});
  catalog().key_used("k1", Instant{60});
  catalog().key_used("none", Instant{60});
  ASSERT_TRUE(catalog().revoke_key("k1", Instant{80}, line("key.revoke")));
  ASSERT_TRUE(catalog().revoke_key("k1", Instant{90}, line("key.revoke")));
  EXPECT_EQ(catalog().revoke_key("none", Instant{80}, line("x")).error().code,
            ErrorCode::key_not_found);
  reopen();
  EXPECT_TRUE(*catalog().any_key());
  KeyRecord key = catalog().key("k1")->value();
  EXPECT_EQ(key.account, acme);
  EXPECT_EQ(key.name, "for tests");
  EXPECT_EQ(key.role, Role::operator_);
  EXPECT_EQ(key.secret_hash, "salted");
  EXPECT_EQ(key.created_at, Instant{5});
  EXPECT_EQ(key.expires_at, Instant{500});
  EXPECT_EQ(key.last_used_at, Instant{70});
  EXPECT_EQ(key.revoked_at, Instant{80});
  EXPECT_FALSE(catalog().key("none")->has_value());
  auto keys = catalog().keys(acme);
  ASSERT_EQ(keys->size(), 2u);
  EXPECT_EQ(keys->at(0).id, "k1");
  EXPECT_EQ(keys->at(1).last_used_at, std::nullopt);
  EXPECT_EQ(catalog().keys({})->size(), 3u);
}

// the first answer to an Idempotency-Key is the one that is repeated.
TEST_P(CatalogContract, first_mark_of_a_key_is_kept) {
  EXPECT_FALSE(catalog().mark(acme, "key", Instant{0})->has_value());
  EXPECT_EQ(catalog().put_mark(sample_mark("first"))->answer, "first");
  EXPECT_EQ(catalog().put_mark(sample_mark("second"))->answer, "first");
  reopen();
  auto mark = catalog().mark(acme, "key", Instant{99});
  ASSERT_TRUE(mark->has_value());
  EXPECT_EQ((*mark)->answer, "first");
  EXPECT_EQ((*mark)->status, 201);
  EXPECT_EQ((*mark)->body_hash, "body");
  EXPECT_EQ((*mark)->expires_at, Instant{100});
  EXPECT_FALSE(catalog().mark(AccountId("other"), "key", Instant{0})->has_value());
}

TEST_P(CatalogContract, mark_that_has_expired_makes_room_for_another) {
  ASSERT_TRUE(catalog().put_mark(sample_mark("first")));
  EXPECT_FALSE(catalog().mark(acme, "key", Instant{100})->has_value());
  EXPECT_EQ(catalog().put_mark(sample_mark("second", 200))->answer, "second");
  EXPECT_EQ(catalog().mark(acme, "key", Instant{100})->value().answer, "second");
}

INSTANTIATE_TEST_SUITE_P(adapters, CatalogContract, testing::ValuesIn(store_kinds()), kind_name);

}  // namespace
}  // namespace fermata
