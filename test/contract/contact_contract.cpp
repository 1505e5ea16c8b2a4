#include "test/contract/stores.h"

/// Contacts are written by commits, together with runs, and found by id, phone and mail (W-25).
namespace fermata {
namespace {

Contact sample_contact(const std::string& id, uint64_t version = 1) {
  Contact contact;
  contact.account = AccountId("acme");
  contact.id = id;
  contact.timezone = "Europe/Berlin";
  contact.fields = Value::object({{"renewal_date", "2026-03-15"}, {"score", 7}});
  contact.labels = Value::object({{"tier", "gold"}});
  contact.created_at = Instant{1'700'000'000'000};
  contact.updated_at = Instant{1'700'000'000'001};
  contact.version = version;
  return contact;
}

class ContactContract : public StoreContract {
 protected:
  CommitOutcome put(const Contact& contact) {
    CommitBatch batch;
    batch.contacts.push_back({contact.version - 1, contact});
    return store().commit(batch).at(0);
  }
  Contact load_contact(const std::string& id, const std::string& account = "acme") {
    ContactKey key{AccountId(account), id};
    auto loaded = contacts().load_contacts(std::span(&key, 1));
    EXPECT_TRUE(loaded) << loaded.error().message;
    return loaded ? loaded->at(0) : Contact{};
  }
  std::string at(ContactAddress address, const std::string& key) {
    auto found = contacts().contacts_at(AccountId("acme"), address, key);
    EXPECT_TRUE(found);
    std::string ids;
    for (const Contact& contact : *found) ids += contact.id + " ";
    return ids;
  }
  std::string listed(ContactFilter filter, size_t limit = 2) {
    filter.account = AccountId("acme");
    std::string ids, cursor;
    do {
      auto page = contacts().list_contacts(filter, limit, cursor);
      EXPECT_TRUE(page) << page.error().message;
      if (!page) return ids;
      for (const Contact& one : page->items) ids += one.id + " ";
      cursor = page->next_cursor;
    } while (!cursor.empty());
    return ids;
  }
};

// W-25, W-90
TEST_P(ContactContract, contact_is_read_as_it_was_written) {
  Contact contact = sample_contact("c-17");
  contact.phone = "+1 212 555 0100";
  contact.email = "Ada@Example.com";
  contact.opted_out_at = Instant{1'700'000'000'500};
  contact.opt_out_reason = "STOP";
  contact.opted_out_of = {"nurture", "sales"};
  ASSERT_EQ(put(contact), CommitOutcome::done);
  reopen();
  EXPECT_EQ(load_contact("c-17"), contact);
  EXPECT_EQ(contacts().find_contact(contact.key())->value(), contact);
  EXPECT_EQ(load_contact("c-17", "other").version, 0u) << "accounts do not see one another";
  EXPECT_FALSE(contacts().find_contact({AccountId("acme"), "nobody"})->has_value());
}

// W-25
TEST_P(ContactContract, write_of_another_version_conflicts) {
  EXPECT_EQ(put(sample_contact("c", 2)), CommitOutcome::conflict) << "there is none yet";
  EXPECT_EQ(put(sample_contact("c", 1)), CommitOutcome::done);
  EXPECT_EQ(put(sample_contact("c", 1)), CommitOutcome::conflict);
  Contact next = sample_contact("c", 2);
  next.timezone = "Asia/Tokyo";
  EXPECT_EQ(put(next), CommitOutcome::done);
  EXPECT_EQ(load_contact("c").timezone, "Asia/Tokyo");
}

// W-26, W-42
TEST_P(ContactContract, contact_and_runs_of_one_group_are_written_together_or_not_at_all) {
  ASSERT_EQ(commit(creation("r1")), CommitOutcome::done);
  auto together = [&](uint64_t run_version) {
    CommitBatch batch;
    RunWrite run = next_write(load("r1"));
    run.expected_version = run_version;
    run.group = 7;
    batch.runs.push_back(std::move(run));
    batch.contacts.push_back({0, sample_contact("c"), {sample_line("c")}, 7});
    return store().commit(batch);
  };
  using Outcomes = std::vector<CommitOutcome>;
  EXPECT_EQ(together(99), (Outcomes{CommitOutcome::conflict, CommitOutcome::conflict}));
  EXPECT_EQ(load_contact("c").version, 0u);
  EXPECT_TRUE(audit_of(reader(), "acme").empty());
  EXPECT_EQ(together(1), (Outcomes{CommitOutcome::done, CommitOutcome::done}));
  EXPECT_EQ(load_contact("c").version, 1u);
  EXPECT_EQ(audit_of(reader(), "acme").size(), 1u);
}

// W-52
TEST_P(ContactContract, contacts_are_found_by_phone_and_mail_in_any_spelling) {
  Contact one = sample_contact("one");
  one.phone = "+1 212 555 0100";
  one.email = "Ada@Example.com";
  Contact two = sample_contact("two");
  two.phone = "0012125550100";
  two.created_at = Instant{1'600'000'000'000};
  ASSERT_EQ(put(one), CommitOutcome::done);
  ASSERT_EQ(put(two), CommitOutcome::done);
  EXPECT_EQ(at(ContactAddress::phone, phone_key("00 1 212 5550100")), "two one ") << "oldest first";
  EXPECT_EQ(at(ContactAddress::email, email_key("ADA@example.com")), "one ");
  EXPECT_EQ(at(ContactAddress::email, ""), "");
  two.version = 2;
  two.phone = "1";
  ASSERT_EQ(put(two), CommitOutcome::done);
  EXPECT_EQ(at(ContactAddress::phone, phone_key(one.phone)), "one ");
}

// W-27
TEST_P(ContactContract, deleted_contact_is_found_by_nothing_but_its_version) {
  Contact contact = sample_contact("c");
  contact.phone = "123456";
  ASSERT_EQ(put(contact), CommitOutcome::done);
  Contact gone;
  gone.account = contact.account;
  gone.id = contact.id;
  gone.version = 2;
  gone.deleted_at = Instant{1'700'000'000'900};
  ASSERT_EQ(put(gone), CommitOutcome::done);
  reopen();
  EXPECT_FALSE(contacts().find_contact(contact.key())->has_value());
  EXPECT_EQ(at(ContactAddress::phone, "123456"), "");
  EXPECT_EQ(listed({}), "");
  EXPECT_EQ(load_contact("c"), gone);
}

// W-25
TEST_P(ContactContract, lists_go_by_id_and_every_filter_narrows) {
  for (const char* id : {"d", "a", "c", "b"}) {
    Contact contact = sample_contact(id);
    contact.phone = std::string("555") + (id[0] < 'c' ? "1" : "2");
    contact.email = std::string(id) + "@example.com";
    if (id[0] == 'c') contact.opted_out_at = Instant{1};
    ASSERT_EQ(put(contact), CommitOutcome::done);
  }
  EXPECT_EQ(listed({}), "a b c d ");
  EXPECT_EQ(listed({.phone = "555-1"}), "a b ");
  EXPECT_EQ(listed({.phone = "5551"}, 1), "a b ");
  EXPECT_EQ(listed({.email = "D@EXAMPLE.COM"}), "d ");
  EXPECT_EQ(listed({.q = "B@"}), "b ");
  EXPECT_EQ(listed({.opted_out = true}), "c ");
  EXPECT_EQ(listed({.opted_out = false}, 1), "a b d ");
}

// W-26
TEST_P(ContactContract, live_runs_of_a_contact_are_found) {
  for (const char* id : {"r1", "r2", "r3", "r4"}) {
    RunSummary run = sample_run(id);
    run.contact_id = id[1] == '4' ? "other" : "c-17";
    if (id[1] == '2') run.status = RunStatus::completed;
    if (id[1] == '3') run.status = RunStatus::paused;
    ASSERT_EQ(commit(creation(run)), CommitOutcome::done);
  }
  auto runs = contacts().live_runs_of({AccountId("acme"), "c-17"});
  ASSERT_TRUE(runs);
  EXPECT_EQ(*runs, (std::vector<RunId>{RunId("r1"), RunId("r3")}));
}

class AccountContract : public StoreContract {};

// W-29, W-81
TEST_P(AccountContract, settings_are_kept_by_revision_with_their_audit) {
  AccountRecord record{AccountId("acme"), Value::object({{"timezone", "UTC"}}), "sealed", 1,
                       Instant{1'700'000'000'000}};
  EXPECT_FALSE(accounts().account(record.account)->has_value());
  ASSERT_TRUE(accounts().put_account(record, sample_line("acme")));
  auto again = accounts().put_account(record, sample_line("acme"));
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, ErrorCode::version_conflict);
  reopen();
  EXPECT_EQ(accounts().account(record.account)->value(), record);
  record.revision = 2;
  record.settings = Value::object({{"timezone", "Asia/Tokyo"}});
  ASSERT_TRUE(accounts().put_account(record, sample_line("acme")));
  EXPECT_EQ(accounts().accounts()->size(), 1u);
  EXPECT_EQ(accounts().accounts()->front(), record);
  EXPECT_EQ(audit_of(reader(), "acme").size(), 2u) << "one for each that was written";
}

// W-30, W-31
TEST_P(AccountContract, rules_of_workflows_are_kept_by_revision) {
  WorkflowRules rules{AccountId("acme"),
                      WorkflowId("nurture"),
                      OnInactive::hold,
                      Value::object({{"mode", "any"}}),
                      Value::array(),
                      1,
                      Instant{1'700'000'000'000}};
  EXPECT_FALSE(accounts().rules(rules.account, rules.workflow)->has_value());
  ASSERT_TRUE(accounts().put_rules(rules, sample_line("nurture")));
  EXPECT_FALSE(accounts().put_rules(rules, sample_line("nurture")));
  reopen();
  EXPECT_EQ(accounts().rules(rules.account, rules.workflow)->value(), rules);
  rules.revision = 2;
  rules.inactive = OnInactive::active;
  ASSERT_TRUE(accounts().put_rules(rules, sample_line("nurture")));
  EXPECT_EQ(accounts().all_rules()->front(), rules);
}

INSTANTIATE_TEST_SUITE_P(Stores, ContactContract, testing::ValuesIn(store_kinds()), kind_name);
INSTANTIATE_TEST_SUITE_P(Stores, AccountContract, testing::ValuesIn(store_kinds()), kind_name);

}  // namespace
}  // namespace fermata
