#include "front/account_book.h"

namespace fermata::front {
namespace {

/// What was stored was checked then; a zone that has gone since counts as missing (R10).
std::shared_ptr<const AccountSettings> settings_in(const AccountRecord& record) {
  auto read = read_account_settings(record.settings, nullptr);
  auto settings = std::make_shared<AccountSettings>(read ? *std::move(read) : AccountSettings{});
  settings->callbacks.sealed_secret = record.sealed_secret;
  return settings;
}

}  // namespace

Outcome<void> AccountBook::load() {
  FERMATA_TRY(records, store_.accounts());
  FERMATA_TRY(rules, store_.all_rules());
  auto table = std::make_shared<AccountTable>();
  for (const AccountRecord& record : records) table->settings[record.account] = settings_in(record);
  for (WorkflowRules& one : rules) {
    std::pair key(one.account, one.workflow);
    table->rules[std::move(key)] = std::move(one);
  }
  index_rules(*table);
  std::lock_guard lock(mutex_);
  table_ = std::move(table);
  return {};
}

std::shared_ptr<const AccountTable> AccountBook::accounts() {
  std::lock_guard lock(mutex_);
  return table_;
}

template <class Write, class Change>
Outcome<void> AccountBook::write(Write write, Change change) {
  std::lock_guard one_at_a_time(writing_);
  FERMATA_TRY_VOID(write());
  auto table = std::make_shared<AccountTable>(*accounts());
  change(*table);
  std::lock_guard lock(mutex_);
  table_ = std::move(table);
  return {};
}

Outcome<void> AccountBook::put(const AccountRecord& record, const AuditLine& audit) {
  return write([&] { return store_.put_account(record, audit); },
               [&](AccountTable& table) { table.settings[record.account] = settings_in(record); });
}

Outcome<void> AccountBook::put(const WorkflowRules& rules, const AuditLine& audit) {
  return write([&] { return store_.put_rules(rules, audit); },
               [&](AccountTable& table) {
                 table.rules[{rules.account, rules.workflow}] = rules;
                 index_rules(table);
               });
}

}  // namespace fermata::front
