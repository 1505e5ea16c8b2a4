#include "test/contract/stores.h"

namespace fermata {
namespace {

const AccountId acme("acme");

CredentialPut sample_put(const std::string& id, const std::string& sealed = "sealed",
                         int64_t at = 1000) {
  CredentialPut put;
  put.account = acme;
  put.id = id;
  put.name = "name of " + id;
  put.type = "token";
  put.sealed = sealed;
  put.at = Instant{at};
  return put;
}

class CredentialContract : public StoreContract {
 protected:
  static AuditLine line(const std::string& action) {
    AuditLine line = sample_line("github");
    line.action = action;
    return line;
  }
  CredentialRecord put(const CredentialPut& put) {
    auto stored = catalog().put_credential(put, line("credential.put"));
    EXPECT_TRUE(stored) << stored.error().message;
    return stored ? *stored : CredentialRecord{};
  }
  ErrorCode refusal(const CredentialPut& put) {
    return catalog().put_credential(put, line("credential.put")).error().code;
  }
  CredentialRecord found(const std::string& id) { return catalog().credential(acme, id)->value(); }
};

// G-4
TEST_P(CredentialContract, is_kept_and_found_by_id_and_by_name) {
  CredentialRecord stored = put(sample_put("github", std::string("\0\x01sealed", 8)));
  reopen();
  CredentialRecord record = found("github");
  EXPECT_EQ(record, stored);
  EXPECT_EQ(record.account, acme);
  EXPECT_EQ(record.id, "github");
  EXPECT_EQ(record.name, "name of github");
  EXPECT_EQ(record.type, "token");
  EXPECT_EQ(record.sealed, std::string("\0\x01sealed", 8));
  EXPECT_EQ(record.created_at, Instant{1000});
  EXPECT_EQ(record.updated_at, Instant{1000});
  EXPECT_EQ(record.last_used_at, std::nullopt);
  EXPECT_EQ(record.revoked_at, std::nullopt);
  EXPECT_EQ(record.revision, 1u);
  EXPECT_EQ(catalog().credential_named(acme, "name of github")->value().id, "github");
  EXPECT_FALSE(catalog().credential(acme, "other")->has_value());
  EXPECT_FALSE(catalog().credential_named(acme, "github")->has_value());
  EXPECT_FALSE(catalog().credential(AccountId("other"), "github")->has_value());
  EXPECT_FALSE(catalog().credential_named(AccountId("other"), "name of github")->has_value());
}

TEST_P(CredentialContract, replacing_keeps_its_creation_and_moves_its_revision) {
  put(sample_put("github"));
  CredentialPut second = sample_put("github", "other", 2000);
  second.name = "renamed";
  second.type = "header";
  second.if_revision = 1;
  EXPECT_EQ(put(second).revision, 2u);
  EXPECT_EQ(refusal(second), ErrorCode::version_conflict);
  second.if_revision = 0;
  EXPECT_EQ(refusal(second), ErrorCode::version_conflict);
  second.if_revision.reset();
  second.is_new = true;
  EXPECT_EQ(refusal(second), ErrorCode::credential_exists);
  reopen();
  CredentialRecord record = found("github");
  EXPECT_EQ(record.name, "renamed");
  EXPECT_EQ(record.type, "header");
  EXPECT_EQ(record.sealed, "other");
  EXPECT_EQ(record.created_at, Instant{1000});
  EXPECT_EQ(record.updated_at, Instant{2000});
  EXPECT_FALSE(catalog().credential_named(acme, "name of github")->has_value());
  EXPECT_EQ(audit_of(reader(), "acme").size(), 2u);
}

TEST_P(CredentialContract, a_name_belongs_to_one_credential_of_an_account) {
  put(sample_put("a"));
  CredentialPut same = sample_put("b");
  same.name = "name of a";
  EXPECT_EQ(refusal(same), ErrorCode::credential_exists);
  EXPECT_FALSE(catalog().credential(acme, "b")->has_value());
  same.account = AccountId("other");
  put(same);
  same = sample_put("b");
  put(same);
  same.name = "name of a";
  EXPECT_EQ(refusal(same), ErrorCode::credential_exists);
  EXPECT_EQ(found("b").name, "name of b");
}

// G-4
TEST_P(CredentialContract, revoking_forgets_the_values_and_new_ones_revive_it) {
  put(sample_put("github"));
  auto revoked = catalog().revoke_credential(acme, "github", Instant{50}, line("revoke"));
  ASSERT_TRUE(revoked);
  EXPECT_EQ(revoked->revoked_at, Instant{50});
  ASSERT_TRUE(catalog().revoke_credential(acme, "github", Instant{60}, line("revoke")));
  EXPECT_EQ(catalog().revoke_credential(acme, "none", Instant{60}, line("x")).error().code,
            ErrorCode::credential_not_found);
  reopen();
  CredentialRecord record = found("github");
  EXPECT_EQ(record.revoked_at, Instant{50});
  EXPECT_EQ(record.updated_at, Instant{50});
  EXPECT_EQ(record.sealed, "");
  EXPECT_EQ(record.revision, 2u);
  EXPECT_EQ(audit_of(reader(), "acme").size(), 2u);
  put(sample_put("github", "fresh"));
  EXPECT_EQ(found("github").revoked_at, std::nullopt);
  EXPECT_EQ(found("github").sealed, "fresh");
}

TEST_P(CredentialContract, removing_frees_id_and_name) {
  put(sample_put("github"));
  catalog().credential_used(acme, "github", Instant{70});
  ASSERT_TRUE(catalog().remove_credential(acme, "github", line("credential.delete")));
  EXPECT_EQ(catalog().remove_credential(acme, "github", line("x")).error().code,
            ErrorCode::credential_not_found);
  EXPECT_FALSE(catalog().credential(acme, "github")->has_value());
  CredentialPut again = sample_put("other");
  again.name = "name of github";
  put(again);
  CredentialPut anew = sample_put("github");
  anew.name = "new name";
  put(anew);
  reopen();
  EXPECT_EQ(found("github").last_used_at, std::nullopt);
}

TEST_P(CredentialContract, the_latest_use_is_remembered) {
  put(sample_put("github"));
  put(sample_put("unused"));
  catalog().credential_used(acme, "github", Instant{70});
  catalog().credential_used(acme, "github", Instant{60});
  catalog().credential_used(acme, "none", Instant{60});
  EXPECT_EQ(found("github").last_used_at, Instant{70});
  put(sample_put("github", "replaced"));
  EXPECT_EQ(found("github").last_used_at, Instant{70});
  catalog().credential_used(acme, "github", Instant{80});
  reopen();
  EXPECT_EQ(found("github").last_used_at, Instant{80});
  EXPECT_EQ(found("github").revision, 2u);
  EXPECT_EQ(found("unused").last_used_at, std::nullopt);
  EXPECT_EQ(catalog().credential_named(acme, "name of github")->value().last_used_at, Instant{80});
  EXPECT_EQ(catalog().credentials(acme, 1, "")->items.at(0).last_used_at, Instant{80});
}

TEST_P(CredentialContract, they_are_paged_by_id_and_account) {
  for (const char* id : {"d", "a", "c", "b", "e"}) put(sample_put(id));
  CredentialPut foreign = sample_put("f");
  foreign.account = AccountId("other");
  put(foreign);
  std::string seen;
  std::string cursor;
  do {
    auto page = catalog().credentials(acme, 2, cursor);
    ASSERT_TRUE(page);
    EXPECT_LE(page->items.size(), 2u);
    for (const CredentialRecord& record : page->items) seen += record.id;
    cursor = page->next_cursor;
  } while (!cursor.empty());
  EXPECT_EQ(seen, "abcde");
  EXPECT_EQ(catalog().credentials(acme, 5, "")->next_cursor, "");
  EXPECT_EQ(*catalog().credential_accounts(), (std::vector{acme, AccountId("other")}));
}

// a key is changed without a change of the credential as its users know it.
TEST_P(CredentialContract, resealing_replaces_exactly_what_was_read) {
  put(sample_put("github", "old seal"));
  EXPECT_FALSE(*catalog().reseal_credential(acme, "github", "another", "new seal", line("reseal")));
  EXPECT_FALSE(*catalog().reseal_credential(acme, "none", "old seal", "new seal", line("reseal")));
  EXPECT_EQ(found("github").sealed, "old seal");
  EXPECT_EQ(audit_of(reader(), "acme").size(), 1u);
  EXPECT_TRUE(*catalog().reseal_credential(acme, "github", "old seal", "new seal", line("reseal")));
  reopen();
  EXPECT_EQ(found("github").sealed, "new seal");
  EXPECT_EQ(found("github").revision, 1u);
  EXPECT_EQ(audit_of(reader(), "acme").size(), 2u);
}

//
TEST_P(CredentialContract, its_mark_is_written_with_it_or_not_at_all) {
  CredentialPut first = sample_put("a");
  first.mark = IdempotencyMark{acme, "key", "print", 201, "{}", Instant{5000}};
  put(first);
  CredentialPut second = sample_put("b");
  second.mark = first.mark;
  EXPECT_EQ(refusal(second), ErrorCode::idempotency_key_reused);
  EXPECT_FALSE(catalog().credential(acme, "b")->has_value());
  CredentialPut refused = sample_put("a");
  refused.is_new = true;
  refused.mark = IdempotencyMark{acme, "other key", "print", 201, "{}", Instant{5000}};
  EXPECT_EQ(refusal(refused), ErrorCode::credential_exists);
  reopen();
  EXPECT_EQ(catalog().mark(acme, "key", Instant{0})->value().body_hash, "print");
  EXPECT_FALSE(catalog().mark(acme, "other key", Instant{0})->has_value());
  // Long after, the key is free again.
  EXPECT_FALSE(catalog().mark(acme, "key", Instant{5000})->has_value());
  put(second);
}

// G-4: values written in a definition become credentials together with it.
TEST_P(CredentialContract, those_of_a_definition_are_stored_with_it_or_not_at_all) {
  WorkflowPut workflow;
  workflow.account = acme;
  workflow.id = WorkflowId("orders");
  workflow.hash = DefinitionHash("h1");
  workflow.canonical = "{}";
  CredentialPut a = sample_put("a");
  a.is_new = true;
  CredentialPut b = sample_put("b");
  b.is_new = true;
  workflow.credentials = {{a, line("credential.create")}, {b, line("credential.create")}};
  put(sample_put("b", "before"));
  EXPECT_EQ(catalog().put_workflow(workflow, line("workflow.put")).error().code,
            ErrorCode::credential_exists);
  reopen();
  EXPECT_FALSE(catalog().credential(acme, "a")->has_value());
  EXPECT_EQ(found("b").sealed, "before");
  EXPECT_FALSE(catalog().workflow(acme, workflow.id)->has_value());
  EXPECT_EQ(audit_of(reader(), "acme").size(), 1u);

  ASSERT_TRUE(catalog().remove_credential(acme, "b", line("credential.delete")));
  ASSERT_TRUE(catalog().put_workflow(workflow, line("workflow.put")));
  reopen();
  EXPECT_EQ(found("a").sealed, "sealed");
  EXPECT_EQ(found("b").sealed, "sealed");
  std::vector<AuditEntry> entries = audit_of(reader(), "acme");
  ASSERT_EQ(entries.size(), 5u);
  EXPECT_EQ(entries.at(0).line.action, "workflow.put");
  EXPECT_EQ(entries.at(1).line.action, "credential.create");
  expect_valid_chain(entries);
}

INSTANTIATE_TEST_SUITE_P(adapters, CredentialContract, testing::ValuesIn(store_kinds()), kind_name);

}  // namespace
}  // namespace fermata
