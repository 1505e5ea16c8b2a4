#include "adapters/postgres/asking.h"
#include "adapters/postgres/store_parts.h"
#include "ports/record/account_record.h"
#include "ports/record/fields_record.h"

/// Settings of accounts, rules of workflows, and views that people have saved.
namespace fermata {

using namespace postgres;

namespace {

constexpr const char* rules_columns =
    "select account || E'\\n' || workflow, record from workflow_rules ";
constexpr const char* view_columns = "select account || E'\\n' || id, record from saved_views ";

Outcome<std::optional<AccountRecord>> find_account(Connection& c, const AccountId& account) {
  Arguments asked;
  asked.text(account.text());
  FERMATA_TRY(rows,
              c.ask("reading settings", "select id, record from accounts where id = $1", asked));
  FERMATA_TRY(found, decode_all(std::move(rows), "accounts", record::decode_account));
  return first_of(std::move(found));
}

Outcome<std::optional<WorkflowRules>> find_rules(Connection& c, const AccountId& account,
                                                 const WorkflowId& workflow) {
  Arguments asked;
  asked.text(account.text()).text(workflow.text());
  FERMATA_TRY(rows,
              c.ask("reading the rules of a workflow",
                    std::string(rules_columns) + "where account = $1 and workflow = $2", asked));
  FERMATA_TRY(found, decode_all(std::move(rows), "workflow_rules", record::decode_rules));
  return first_of(std::move(found));
}

Outcome<std::optional<SavedView>> find_view(Connection& c, const AccountId& account,
                                            const std::string& id) {
  Arguments asked;
  asked.text(account.text()).text(id);
  FERMATA_TRY(rows, c.ask("reading a view",
                          std::string(view_columns) + "where account = $1 and id = $2", asked));
  FERMATA_TRY(found, decode_all(std::move(rows), "saved_views", record::decode_fields<SavedView>));
  return first_of(std::move(found));
}

}  // namespace

Outcome<void> PostgresStore::put_account(const AccountRecord& record, const AuditLine& audit) {
  return parts_->writer.transact(&audit, [&](Connection& c) -> Outcome<void> {
    FERMATA_TRY(known, find_account(c, record.account));
    FERMATA_TRY_VOID(check_revision(known ? known->revision : 0, record.revision, "the settings"));
    Arguments put;
    put.text(record.account.text());
    put.bytes(record::encode_account(record, salt_of("accounts", record.account.text())));
    return order(c, "writing settings",
                 "insert into accounts (id, record) values ($1, $2) on conflict (id) do update "
                 "set record = excluded.record",
                 put);
  });
}

Outcome<std::optional<AccountRecord>> PostgresStore::account(const AccountId& account) {
  return parts_->readers.read([&](Connection& c) { return find_account(c, account); });
}

Outcome<std::vector<AccountRecord>> PostgresStore::accounts() {
  return parts_->readers.read([](Connection& c) -> Outcome<std::vector<AccountRecord>> {
    FERMATA_TRY(rows, c.ask("reading settings", "select id, record from accounts order by id"));
    return decode_all(std::move(rows), "accounts", record::decode_account);
  });
}

Outcome<void> PostgresStore::put_rules(const WorkflowRules& rules, const AuditLine& audit) {
  return parts_->writer.transact(&audit, [&](Connection& c) -> Outcome<void> {
    FERMATA_TRY(known, find_rules(c, rules.account, rules.workflow));
    FERMATA_TRY_VOID(check_revision(known ? known->revision : 0, rules.revision, "the workflow"));
    std::string key = joined_key(rules.account.text(), rules.workflow.text());
    Arguments put;
    put.text(rules.account.text()).text(rules.workflow.text());
    put.bytes(record::encode_rules(rules, salt_of("workflow_rules", key)));
    return order(c, "writing the rules of a workflow",
                 "insert into workflow_rules (account, workflow, record) values ($1, $2, $3) on "
                 "conflict (account, workflow) do update set record = excluded.record",
                 put);
  });
}

Outcome<std::optional<WorkflowRules>> PostgresStore::rules(const AccountId& account,
                                                           const WorkflowId& workflow) {
  return parts_->readers.read([&](Connection& c) { return find_rules(c, account, workflow); });
}

Outcome<std::vector<WorkflowRules>> PostgresStore::all_rules() {
  return parts_->readers.read([](Connection& c) -> Outcome<std::vector<WorkflowRules>> {
    FERMATA_TRY(rows, c.ask("reading the rules of workflows",
                            std::string(rules_columns) + "order by account, workflow"));
    return decode_all(std::move(rows), "workflow_rules", record::decode_rules);
  });
}

Outcome<void> PostgresStore::put_view(const SavedView& view, const AuditLine& audit) {
  return parts_->writer.transact(&audit, [&](Connection& c) -> Outcome<void> {
    FERMATA_TRY(known, find_view(c, view.account, view.id));
    FERMATA_TRY_VOID(check_revision(known ? known->revision : 0, view.revision, "the view"));
    std::string key = joined_key(view.account.text(), view.id);
    Arguments put;
    put.text(view.account.text()).text(view.id);
    put.bytes(record::encode_fields(view, salt_of("saved_views", key)));
    // Not by ON CONFLICT, which would take a number for a view that has one.
    return order(c, "writing a view",
                 known ? "update saved_views set record = $3 where account = $1 and id = $2"
                       : "insert into saved_views (account, id, record) values ($1, $2, $3)",
                 put);
  });
}

Outcome<std::optional<SavedView>> PostgresStore::view(const AccountId& account,
                                                      const std::string& id) {
  return parts_->readers.read([&](Connection& c) { return find_view(c, account, id); });
}

Outcome<std::vector<SavedView>> PostgresStore::views(const AccountId& account) {
  return parts_->readers.read([&](Connection& c) -> Outcome<std::vector<SavedView>> {
    Arguments asked;
    asked.text(account.text());
    FERMATA_TRY(rows,
                c.ask("reading views",
                      std::string(view_columns) + "where account = $1 order by number", asked));
    return decode_all(std::move(rows), "saved_views", record::decode_fields<SavedView>);
  });
}

Outcome<void> PostgresStore::remove_view(const AccountId& account, const std::string& id,
                                         const AuditLine& audit) {
  return parts_->writer.transact(&audit, [&](Connection& c) -> Outcome<void> {
    Arguments asked;
    asked.text(account.text()).text(id);
    FERMATA_TRY(gone,
                c.ask("removing a view",
                      "delete from saved_views where account = $1 and id = $2 returning 1", asked));
    if (gone.count() == 0)
      return fail(ErrorCode::value_not_found, "There is no view `" + id + "`.");
    return {};
  });
}

}  // namespace fermata
