#include "adapters/sqlite/account_rows.h"

#include "adapters/sqlite/writer.h"
#include "ports/record/account_record.h"

namespace fermata::sqlite {
namespace {

template <class Decode>
auto collect(Database& database, Rows rows, std::string_view table, Decode decode)
    -> Outcome<std::vector<Numbered<typename decltype(decode({}, 0))::value_type>>> {
  std::vector<Numbered<typename decltype(decode({}, 0))::value_type>> out;
  while (rows.next()) {
    uint64_t number = rows.natural(0);
    auto record = decode(rows.blob(1), number);
    if (!record) return damaged(table, number, "its checksum does not match");
    out.push_back({number, *std::move(record)});
  }
  if (rows.failed()) return database.failure("reading settings");
  return out;
}

template <class Record>
std::optional<Numbered<Record>> first_of(std::vector<Numbered<Record>> found) {
  if (found.empty()) return std::nullopt;
  return std::move(found.front());
}
template <class Record>
std::vector<Record> records_of(std::vector<Numbered<Record>> found) {
  std::vector<Record> out;
  for (Numbered<Record>& one : found) out.push_back(std::move(one.record));
  return out;
}

}  // namespace

Outcome<std::optional<Numbered<AccountRecord>>> AccountQueries::account(const AccountId& account) {
  FERMATA_TRY(found, collect(database_, account_.query(account.text()), "account", decode_account));
  return first_of(std::move(found));
}

Outcome<std::vector<AccountRecord>> AccountQueries::accounts() {
  FERMATA_TRY(found, collect(database_, accounts_.query(), "account", decode_account));
  return records_of(std::move(found));
}

Outcome<std::optional<Numbered<WorkflowRules>>> AccountQueries::rules(const AccountId& account,
                                                                      const WorkflowId& workflow) {
  FERMATA_TRY(found, collect(database_, rules_.query(account.text(), workflow.text()),
                             "workflow_rules", decode_rules));
  return first_of(std::move(found));
}

Outcome<std::vector<WorkflowRules>> AccountQueries::all_rules() {
  FERMATA_TRY(found, collect(database_, all_rules_.query(), "workflow_rules", decode_rules));
  return records_of(std::move(found));
}

AccountWriter::AccountWriter(Writer& writer) : writer_(writer), database_(writer.database()) {}

Outcome<void> AccountWriter::put_account(const AccountRecord& record, const AuditLine& audit) {
  return writer_.transact(&audit, [&]() -> Outcome<void> {
    FERMATA_TRY(known, queries_.account(record.account));
    FERMATA_TRY_VOID(
        check_revision(known ? known->record.revision : 0, record.revision, "the settings"));
    uint64_t number = known ? known->number : 0;
    if (!known) {
      FERMATA_TRY(last, database_.number("SELECT max(number) FROM account"));
      number = static_cast<uint64_t>(last) + 1;
    }
    std::string bytes = encode_account(record, number);
    if (!put_account_.execute(number, record.account.text(), Blob{bytes}))
      return database_.failure("writing settings");
    return {};
  });
}

Outcome<void> AccountWriter::put_rules(const WorkflowRules& rules, const AuditLine& audit) {
  return writer_.transact(&audit, [&]() -> Outcome<void> {
    FERMATA_TRY(known, queries_.rules(rules.account, rules.workflow));
    FERMATA_TRY_VOID(
        check_revision(known ? known->record.revision : 0, rules.revision, "the workflow"));
    uint64_t number = known ? known->number : 0;
    if (!known) {
      FERMATA_TRY(last, database_.number("SELECT max(number) FROM workflow_rules"));
      number = static_cast<uint64_t>(last) + 1;
    }
    std::string bytes = encode_rules(rules, number);
    if (!put_rules_.execute(number, rules.account.text(), rules.workflow.text(), Blob{bytes}))
      return database_.failure("writing the rules of a workflow");
    return {};
  });
}

}  // namespace fermata::sqlite
