#include "front/definitions.h"

#include <gtest/gtest.h>

namespace fermata::front {
namespace {

/// Knows no definition and counts how often it is asked.
class EmptyCatalog : public Catalog {
 public:
  int asked = 0;
  Outcome<std::optional<std::string>> definition(const DefinitionHash&) override {
    ++asked;
    return std::optional<std::string>{};
  }
  Outcome<std::optional<WorkflowRecord>> workflow(const AccountId&, const WorkflowId& id) override {
    if (id.text() != "w") return std::optional<WorkflowRecord>{};
    WorkflowRecord record;
    record.current_version = record.latest_version = 2;
    record.current_hash = DefinitionHash("h2");
    return std::optional<WorkflowRecord>(record);
  }
  Outcome<std::vector<WorkflowVersion>> versions(const AccountId&, const WorkflowId&) override {
    return std::vector<WorkflowVersion>{{1, DefinitionHash("h1"), {}, ""},
                                        {2, DefinitionHash("h2"), {}, ""}};
  }
  static Failure<Error> none() { return fail(ErrorCode::internal, "not asked for here"); }
  Outcome<WorkflowStored> put_workflow(const WorkflowPut&, const AuditLine&) override {
    return none();
  }
  Outcome<WorkflowPage> workflows(const AccountId&, size_t, const std::string&) override {
    return none();
  }
  Outcome<WorkflowRecord> set_current(const AccountId&, const WorkflowId&, uint32_t,
                                      const AuditLine&) override {
    return none();
  }
  Outcome<WorkflowRecord> set_active(const AccountId&, const WorkflowId&, bool,
                                     const AuditLine&) override {
    return none();
  }
  Outcome<void> remove_version(const AccountId&, const WorkflowId&, uint32_t,
                               const AuditLine&) override {
    return none();
  }
  Outcome<void> remove_workflow(const AccountId&, const WorkflowId&, const AuditLine&) override {
    return none();
  }
  Outcome<std::optional<WorkflowRecord>> workflow_by_webhook(const std::string&) override {
    return none();
  }
  Outcome<void> put_key(const KeyRecord&, const AuditLine&) override { return none(); }
  Outcome<std::optional<KeyRecord>> key(const std::string&) override { return none(); }
  Outcome<std::vector<KeyRecord>> keys(const AccountId&) override { return none(); }
  Outcome<void> revoke_key(const std::string&, Instant, const AuditLine&) override {
    return none();
  }
  void key_used(const std::string&, Instant) override {}
  Outcome<bool> any_key() override { return none(); }
  Outcome<CredentialRecord> put_credential(const CredentialPut&, const AuditLine&) override {
    return none();
  }
  Outcome<std::optional<CredentialRecord>> credential(const AccountId&,
                                                      const std::string&) override {
    return none();
  }
  Outcome<std::optional<CredentialRecord>> credential_named(const AccountId&,
                                                            const std::string&) override {
    return none();
  }
  Outcome<CredentialPage> credentials(const AccountId&, size_t, const std::string&) override {
    return none();
  }
  Outcome<std::vector<AccountId>> credential_accounts() override { return none(); }
  Outcome<CredentialRecord> revoke_credential(const AccountId&, const std::string&, Instant,
                                              const AuditLine&) override {
    return none();
  }
  Outcome<void> remove_credential(const AccountId&, const std::string&, const AuditLine&) override {
    return none();
  }
  Outcome<bool> reseal_credential(const AccountId&, const std::string&, const std::string&,
                                  const std::string&, const AuditLine&) override {
    return none();
  }
  void credential_used(const AccountId&, const std::string&, Instant) override {}
  Outcome<std::optional<IdempotencyMark>> mark(const AccountId&, const std::string&,
                                               Instant) override {
    return none();
  }
  Outcome<IdempotencyMark> put_mark(const IdempotencyMark&) override { return none(); }
};

graph::DefinitionRef definition(const std::string& hash) {
  auto out = std::make_shared<graph::Definition>();
  out->hash = DefinitionHash(hash);
  return out;
}

TEST(Definitions, one_that_is_missing_is_damage) {
  EmptyCatalog catalog;
  Definitions definitions(catalog);
  auto missing = definitions.load(DefinitionHash("h"));
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::data_damaged);
}

TEST(Definitions, what_is_kept_is_not_asked_for_again) {
  EmptyCatalog catalog;
  Definitions definitions(catalog);
  auto kept = definitions.keep(definition("h"));
  EXPECT_EQ(*definitions.load(DefinitionHash("h")), kept);
  EXPECT_EQ(definitions.keep(definition("h")), kept);
  EXPECT_EQ(catalog.asked, 0);
}

TEST(Definitions, one_in_use_stays_the_same_object_after_it_has_left_the_cache) {
  EmptyCatalog catalog;
  Definitions definitions(catalog, 2);
  auto used = definitions.keep(definition("used"));
  for (int i = 0; i < 50; ++i) definitions.keep(definition(std::to_string(i)));
  EXPECT_EQ(*definitions.load(DefinitionHash("used")), used);
  EXPECT_FALSE(definitions.load(DefinitionHash("0")));
}

TEST(ResolveWorkflow, finds_the_current_or_the_named_version) {
  EmptyCatalog catalog;
  Definitions definitions(catalog);
  auto one = definitions.keep(definition("h1"));
  auto two = definitions.keep(definition("h2"));
  auto resolve = [&](const char* id, std::optional<uint32_t> version) {
    return resolve_workflow(catalog, definitions, AccountId("a"), WorkflowId(id), version);
  };
  EXPECT_EQ(resolve("w", std::nullopt)->definition, two);
  EXPECT_EQ(resolve("w", 1)->definition, one);
  EXPECT_EQ(resolve("w", 3).error().code, ErrorCode::version_not_found);
  EXPECT_EQ(resolve("x", 1).error().code, ErrorCode::workflow_not_found);
}

}  // namespace
}  // namespace fermata::front
