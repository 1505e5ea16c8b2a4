#include <algorithm>

#include "adapters/sqlite/store_parts.h"
#include "ports/cursor.h"

/// What the store keeps of contacts, accounts and rules of workflows.
namespace fermata {

using sqlite::ReadConnection;

namespace {

/// More live runs of one contact than this are found in several pages.
constexpr size_t runs_page = 1'000;

RunFilter live_runs(const ContactKey& key) {
  RunFilter filter;
  filter.account = key.account;
  filter.contact_id = key.id;
  filter.statuses = {RunStatus::running, RunStatus::waiting, RunStatus::paused};
  return filter;
}

}  // namespace

Outcome<std::vector<Contact>> SqliteStore::load_contacts(std::span<const ContactKey> keys) {
  if (!parts_->committing.busy() || !parts_->writer.settled())
    return parts_->writer.load_contacts(keys);
  return parts_->loading.read([&](ReadConnection& c) { return c.contacts.load(keys); });
}

Outcome<std::vector<RunId>> SqliteStore::live_runs_of(const ContactKey& key) {
  return parts_->loading.read([&](ReadConnection& c) -> Outcome<std::vector<RunId>> {
    std::vector<RunId> out;
    uint64_t before = UINT64_MAX;
    for (;;) {
      FERMATA_TRY(page, c.runs.list(live_runs(key), runs_page, before));
      for (const RunSummary& run : page.items) out.push_back(run.id);
      if (page.next_cursor.empty()) break;
      FERMATA_TRY(next, cursor_number(page.next_cursor, 0));
      before = next;
    }
    std::reverse(out.begin(), out.end());
    return out;
  });
}

Outcome<std::vector<Contact>> SqliteStore::contacts_at(const AccountId& account,
                                                       ContactAddress address,
                                                       const std::string& key) {
  return parts_->loading.read(
      [&](ReadConnection& c) { return c.contacts.at(account, address, key); });
}

Outcome<std::optional<Contact>> SqliteStore::find_contact(const ContactKey& key) {
  return parts_->readers.read([&](ReadConnection& c) -> Outcome<std::optional<Contact>> {
    FERMATA_TRY(found, c.contacts.load(std::span(&key, 1)));
    if (!found.front().exists()) return std::optional<Contact>{};
    return std::optional(std::move(found.front()));
  });
}

Outcome<ContactPage> SqliteStore::list_contacts(const ContactFilter& filter, size_t limit,
                                                const std::string& cursor) {
  return parts_->readers.read([&](ReadConnection& c) -> Outcome<ContactPage> {
    bool by_phone = !filter.phone.empty(), by_email = !filter.email.empty();
    if (!by_phone && !by_email) return c.contacts.list(filter, limit, cursor);
    ContactAddress address = by_phone ? ContactAddress::phone : ContactAddress::email;
    FERMATA_TRY(found, c.contacts.at(filter.account, address,
                                     by_phone ? phone_key(filter.phone) : email_key(filter.email)));
    std::sort(found.begin(), found.end(),
              [](const Contact& a, const Contact& b) { return a.id < b.id; });
    ContactPage page;
    for (Contact& contact : found) {
      if (contact.id <= cursor || !matches(filter, contact)) continue;
      if (page.items.size() == limit) {
        page.next_cursor = page.items.back().id;
        break;
      }
      page.items.push_back(std::move(contact));
    }
    return page;
  });
}

Outcome<void> SqliteStore::put_account(const AccountRecord& record, const AuditLine& audit) {
  return parts_->accounts.put_account(record, audit);
}

Outcome<std::optional<AccountRecord>> SqliteStore::account(const AccountId& account) {
  return parts_->readers.read([&](ReadConnection& c) -> Outcome<std::optional<AccountRecord>> {
    FERMATA_TRY(found, c.accounts.account(account));
    return found ? std::optional(std::move(found->record)) : std::nullopt;
  });
}

Outcome<std::vector<AccountRecord>> SqliteStore::accounts() {
  return parts_->readers.read([&](ReadConnection& c) { return c.accounts.accounts(); });
}

Outcome<void> SqliteStore::put_rules(const WorkflowRules& rules, const AuditLine& audit) {
  return parts_->accounts.put_rules(rules, audit);
}

Outcome<std::optional<WorkflowRules>> SqliteStore::rules(const AccountId& account,
                                                         const WorkflowId& workflow) {
  return parts_->readers.read([&](ReadConnection& c) -> Outcome<std::optional<WorkflowRules>> {
    FERMATA_TRY(found, c.accounts.rules(account, workflow));
    return found ? std::optional(std::move(found->record)) : std::nullopt;
  });
}

Outcome<std::vector<WorkflowRules>> SqliteStore::all_rules() {
  return parts_->readers.read([&](ReadConnection& c) { return c.accounts.all_rules(); });
}

Outcome<void> SqliteStore::put_view(const SavedView& view, const AuditLine& audit) {
  return parts_->views.put(view, audit);
}

Outcome<std::optional<SavedView>> SqliteStore::view(const AccountId& account,
                                                    const std::string& id) {
  return parts_->readers.read([&](ReadConnection& c) -> Outcome<std::optional<SavedView>> {
    FERMATA_TRY(found, c.views.view(account, id));
    return found ? std::optional(std::move(found->record)) : std::nullopt;
  });
}

Outcome<std::vector<SavedView>> SqliteStore::views(const AccountId& account) {
  return parts_->readers.read([&](ReadConnection& c) -> Outcome<std::vector<SavedView>> {
    FERMATA_TRY(found, c.views.views(account));
    std::vector<SavedView> out;
    for (auto& one : found) out.push_back(std::move(one.record));
    return out;
  });
}

Outcome<void> SqliteStore::remove_view(const AccountId& account, const std::string& id,
                                       const AuditLine& audit) {
  return parts_->views.remove(account, id, audit);
}

}  // namespace fermata
