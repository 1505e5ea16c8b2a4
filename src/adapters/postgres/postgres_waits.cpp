#include <algorithm>

#include "adapters/postgres/root_queries.h"
#include "adapters/postgres/signal_rows.h"
#include "adapters/postgres/store_parts.h"
#include "adapters/postgres/wait_rows.h"
#include "ports/cursor.h"

/// Waits, signals, approvals, deliveries and contacts.
namespace fermata {

using postgres::Connection;

Outcome<std::optional<WaitRecord>> PostgresStore::find_wait(const std::string& id) {
  return parts_->readers.read([&](Connection& c) { return postgres::find_wait(c, id); });
}

Outcome<std::vector<WaitRecord>> PostgresStore::waits_of(const RunId& run,
                                                         const std::string& step) {
  return parts_->readers.read([&](Connection& c) { return postgres::waits_of_run(c, run, step); });
}

Outcome<WaitPage> PostgresStore::list_waits(const WaitFilter& filter, size_t limit,
                                            const WaitStart& start) {
  return parts_->readers.read(
      [&](Connection& c) { return postgres::list_waits(c, filter, limit, start); });
}

Outcome<std::vector<WaitSlot>> PostgresStore::wait_slots(const WaitFilter& filter) {
  return parts_->readers.read([&](Connection& c) { return postgres::wait_slots(c, filter); });
}

Outcome<std::vector<OverdueWaits>> PostgresStore::overdue_waits(const AccountId& account,
                                                                Instant now) {
  return parts_->readers.read(
      [&](Connection& c) { return postgres::overdue_waits(c, account, now); });
}

Outcome<std::vector<AccountId>> PostgresStore::wait_accounts() {
  return parts_->readers.read(
      [](Connection& c) { return postgres::tallied_accounts(c, tally::total); });
}

Outcome<WaitTally> PostgresStore::wait_tally(const AccountId& account, const WorkflowId& workflow,
                                             Instant now) {
  return parts_->readers.read([&](Connection& c) -> Outcome<WaitTally> {
    FERMATA_TRY(total, postgres::tally_of_waits(c, account, workflow, now));
    std::vector<AccountId> accounts{account};
    if (account.empty()) {
      FERMATA_TRY(all, postgres::tallied_accounts(c, tally::pending));
      accounts = std::move(all);
    }
    for (const AccountId& one : accounts) {
      FERMATA_TRY(hour, postgres::due_within(c, one, workflow, now, Duration{3'600'000}));
      FERMATA_TRY(day, postgres::due_within(c, one, workflow, now, Duration{86'400'000}));
      total.due_next_hour += hour;
      total.due_next_day += day;
    }
    return total;
  });
}

Outcome<std::vector<std::pair<AccountId, uint64_t>>> PostgresStore::counted_waits() {
  return parts_->load([](Connection& c) { return postgres::counted_waits(c); });
}

Outcome<std::vector<WaitRecord>> PostgresStore::limited_waits(size_t after, size_t limit) {
  return parts_->load([&](Connection& c) { return postgres::limited_waits(c, after, limit); });
}

Outcome<std::vector<RunId>> PostgresStore::runs_of_other_zones(const std::string& version,
                                                               const RunId& after, size_t limit) {
  return parts_->load(
      [&](Connection& c) { return postgres::runs_of_other_zones(c, version, after, limit); });
}

Outcome<std::vector<std::optional<SignalRecord>>> PostgresStore::load_signals(
    std::span<const SignalKey> keys) {
  return parts_->load([&](Connection& c) { return postgres::load_signals(c, keys); });
}

Outcome<SignalStore::Windowed> PostgresStore::signals_in(const SignalWindow& window, uint64_t after,
                                                         size_t limit) {
  return parts_->load(
      [&](Connection& c) { return postgres::signals_in_window(c, window, after, limit); });
}

Outcome<SignalStore::OpenSignals> PostgresStore::open_signals(uint64_t after, size_t limit) {
  return parts_->load([&](Connection& c) { return postgres::open_signals(c, after, limit); });
}

Outcome<std::vector<WaitRecord>> PostgresStore::listening_waits(size_t after, size_t limit) {
  return parts_->load([&](Connection& c) { return postgres::listening_waits(c, after, limit); });
}

Outcome<std::vector<WaitRecord>> PostgresStore::ended_listeners(const Signal& signal, Instant since,
                                                                size_t limit) {
  return parts_->load(
      [&](Connection& c) { return postgres::heard_waits(c, signal, since, limit); });
}

Outcome<std::optional<SignalRecord>> PostgresStore::find_signal(const SignalKey& key) {
  return parts_->readers.read([&](Connection& c) -> Outcome<std::optional<SignalRecord>> {
    FERMATA_TRY(found, postgres::load_signals(c, std::span(&key, 1)));
    return std::move(found.front());
  });
}

Outcome<SignalPage> PostgresStore::list_signals(const SignalFilter& filter, size_t limit,
                                                const std::string& cursor) {
  FERMATA_TRY(before, cursor_number(cursor, UINT64_MAX));
  return parts_->readers.read(
      [&](Connection& c) { return postgres::list_signals(c, filter, limit, before); });
}

Outcome<std::optional<ApprovalRecord>> PostgresStore::find_approval(const std::string& id) {
  return parts_->readers.read([&](Connection& c) { return postgres::find_approval(c, id); });
}

Outcome<ApprovalPage> PostgresStore::list_approvals(const ApprovalFilter& filter, size_t limit,
                                                    const std::string& cursor) {
  FERMATA_TRY(before, cursor_number(cursor, UINT64_MAX));
  return parts_->readers.read(
      [&](Connection& c) { return postgres::list_approvals(c, filter, limit, before); });
}

Outcome<PendingDeliveryPage> PostgresStore::pending_deliveries(uint64_t after, size_t limit) {
  return parts_->load([&](Connection& c) { return postgres::pending_deliveries(c, after, limit); });
}

Outcome<std::vector<Delivery>> PostgresStore::load_deliveries(std::span<const std::string> ids) {
  return parts_->load([&](Connection& c) { return postgres::load_deliveries(c, ids); });
}

Outcome<std::optional<Delivery>> PostgresStore::find_delivery(const std::string& id) {
  return parts_->readers.read([&](Connection& c) -> Outcome<std::optional<Delivery>> {
    FERMATA_TRY(found, postgres::load_deliveries(c, std::span(&id, 1)));
    if (found.empty()) return std::optional<Delivery>{};
    return std::optional(std::move(found.front()));
  });
}

Outcome<DeliveryPage> PostgresStore::list_deliveries(const DeliveryFilter& filter, size_t limit,
                                                     const std::string& cursor) {
  FERMATA_TRY(before, cursor_number(cursor, UINT64_MAX));
  return parts_->readers.read(
      [&](Connection& c) { return postgres::list_deliveries(c, filter, limit, before); });
}

Outcome<std::vector<Contact>> PostgresStore::load_contacts(std::span<const ContactKey> keys) {
  return parts_->load([&](Connection& c) { return postgres::load_contacts(c, keys); });
}

Outcome<std::vector<RunId>> PostgresStore::live_runs_of(const ContactKey& key) {
  constexpr size_t runs_page = 1'000;
  RunFilter filter;
  filter.account = key.account;
  filter.contact_id = key.id;
  filter.statuses = {RunStatus::running, RunStatus::waiting, RunStatus::paused};
  return parts_->load([&](Connection& c) -> Outcome<std::vector<RunId>> {
    std::vector<RunId> out;
    uint64_t before = UINT64_MAX;
    for (;;) {
      FERMATA_TRY(page, postgres::list_runs(c, filter, runs_page, before));
      for (const RunSummary& run : page.items) out.push_back(run.id);
      if (page.next_cursor.empty()) break;
      FERMATA_TRY(next, cursor_number(page.next_cursor, 0));
      before = next;
    }
    std::reverse(out.begin(), out.end());
    return out;
  });
}

Outcome<std::vector<Contact>> PostgresStore::contacts_at(const AccountId& account,
                                                         ContactAddress address,
                                                         const std::string& key) {
  return parts_->load(
      [&](Connection& c) { return postgres::contacts_at(c, account, address, key); });
}

Outcome<std::optional<Contact>> PostgresStore::find_contact(const ContactKey& key) {
  return parts_->readers.read([&](Connection& c) -> Outcome<std::optional<Contact>> {
    FERMATA_TRY(found, postgres::load_contacts(c, std::span(&key, 1)));
    if (!found.front().exists()) return std::optional<Contact>{};
    return std::optional(std::move(found.front()));
  });
}

Outcome<ContactPage> PostgresStore::list_contacts(const ContactFilter& filter, size_t limit,
                                                  const std::string& cursor) {
  return parts_->readers.read([&](Connection& c) -> Outcome<ContactPage> {
    bool by_phone = !filter.phone.empty(), by_email = !filter.email.empty();
    if (!by_phone && !by_email) return postgres::list_contacts(c, filter, limit, cursor);
    ContactAddress address = by_phone ? ContactAddress::phone : ContactAddress::email;
    std::string key = by_phone ? phone_key(filter.phone) : email_key(filter.email);
    FERMATA_TRY(found, postgres::contacts_at(c, filter.account, address, key));
    std::sort(found.begin(), found.end(),
              [](const Contact& a, const Contact& b) { return a.id < b.id; });
    ContactPage page;
    for (Contact& contact : found) {
      if (contact.id <= cursor || !matches(filter, contact)) continue;
      if (page.items.size() == limit) {
        if (limit > 0) page.next_cursor = page.items.back().id;
        break;
      }
      page.items.push_back(std::move(contact));
    }
    return page;
  });
}

}  // namespace fermata
