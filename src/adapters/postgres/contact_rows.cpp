#include <algorithm>
#include <map>

#include "adapters/postgres/asking.h"
#include "adapters/postgres/signal_rows.h"
#include "ports/cursor.h"
#include "ports/record/fields_record.h"

/// What is asked of contacts, deliveries and approvals.
namespace fermata::postgres {
namespace {

constexpr size_t listed_batch_max = 1'024;
constexpr const char* contact_columns =
    "select account || E'\\n' || id, record from contact_records ";

Outcome<std::vector<Contact>> ask_contacts(Connection& connection, const std::string& rest,
                                           const Arguments& asked) {
  FERMATA_TRY(rows, connection.ask("reading contacts", contact_columns + rest, asked));
  return decode_all(std::move(rows), "contact_records", record::decode_fields<Contact>);
}

/// A page of rows `number, id, record` of a list, newest first, that stop when enough match.
template <class Record, class Ask, class Matches>
Outcome<std::pair<std::vector<Record>, std::string>> page_of(std::string_view table, size_t limit,
                                                             uint64_t before, Ask ask,
                                                             Matches wanted) {
  std::pair<std::vector<Record>, std::string> page;
  uint64_t last = 0;
  before = std::min<uint64_t>(before, INT64_MAX);
  size_t size = std::clamp<size_t>(limit + 1, 16, listed_batch_max);
  for (;;) {
    FERMATA_TRY(rows, ask(before, size));
    while (rows.next()) {
      before = rows.natural(0);
      auto record = record::decode_fields<Record>(rows.blob(2), salt_of(table, rows.text(1)));
      if (!record) return damaged_row(table, rows.text(1), "its checksum does not match");
      if (!wanted(*record)) continue;
      if (page.first.size() == limit) {
        page.second = cursor_of(last);
        return page;
      }
      page.first.push_back(*std::move(record));
      last = before;
    }
    if (rows.count() < size) return page;
    size = std::min(size * 2, listed_batch_max);
  }
}

}  // namespace

Outcome<std::vector<Contact>> load_contacts(Connection& connection,
                                            std::span<const ContactKey> keys) {
  std::vector<Contact> out(keys.size());
  if (keys.empty()) return out;
  Column accounts(Type::text), ids(Type::text);
  for (const ContactKey& key : keys) {
    accounts.add(key.account.text());
    ids.add(key.id);
  }
  Arguments asked;
  asked.array(accounts).array(ids);
  FERMATA_TRY(found, ask_contacts(connection,
                                  "where (account, id) in (select * from unnest($1::text[], "
                                  "$2::text[]))",
                                  asked));
  std::map<ContactKey, const Contact*> known;
  for (const Contact& contact : found) known[contact.key()] = &contact;
  for (size_t i = 0; i < keys.size(); ++i)
    if (auto one = known.find(keys[i]); one != known.end()) out[i] = *one->second;
  return out;
}

Outcome<std::vector<Contact>> contacts_at(Connection& connection, const AccountId& account,
                                          ContactAddress address, const std::string& key) {
  if (key.empty()) return std::vector<Contact>{};
  Arguments asked;
  asked.text(account.text()).text(readable(key));
  return ask_contacts(connection,
                      std::string("where account = $1 and ") +
                          (address == ContactAddress::phone ? "phone_key" : "email_key") +
                          " = $2 order by created_at, id",
                      asked);
}

Outcome<ContactPage> list_contacts(Connection& connection, const ContactFilter& filter,
                                   size_t limit, const std::string& cursor) {
  ContactPage page;
  std::string after = cursor;
  size_t size = std::clamp<size_t>(limit + 1, 16, listed_batch_max);
  for (;;) {
    Arguments asked;
    asked.text(filter.account.text()).text(after).number(uint64_t{size});
    FERMATA_TRY(found, ask_contacts(connection,
                                    "where account = $1 and id > $2 order by id limit $3", asked));
    for (Contact& contact : found) {
      after = contact.id;
      if (!matches(filter, contact)) continue;
      if (page.items.size() == limit) {
        if (limit > 0) page.next_cursor = page.items.back().id;
        return page;
      }
      page.items.push_back(std::move(contact));
    }
    if (found.size() < size) return page;
    size = std::min(size * 2, listed_batch_max);
  }
}

Outcome<std::vector<Delivery>> load_deliveries(Connection& connection,
                                               std::span<const std::string> ids) {
  Column wanted(Type::text);
  for (const std::string& id : ids) wanted.add(id);
  Arguments asked;
  asked.array(wanted);
  FERMATA_TRY(rows, connection.ask("reading deliveries",
                                   "select id, record from deliveries where id = any($1) order by "
                                   "number",
                                   asked));
  return decode_all(std::move(rows), "deliveries", record::decode_fields<Delivery>);
}

Outcome<PendingDeliveryPage> pending_deliveries(Connection& connection, uint64_t after,
                                                size_t limit) {
  Arguments asked;
  asked.number(after).number(uint64_t{limit + 1});
  FERMATA_TRY(rows, connection.ask("looking for pending deliveries",
                                   "select number, id, record from deliveries where state = 0 and "
                                   "number > $1 order by number limit $2",
                                   asked));
  PendingDeliveryPage page;
  page.cursor = after;
  for (size_t seen = 0; rows.next(); ++seen) {
    if (seen == limit) {
      page.more = true;
      return page;
    }
    page.cursor = rows.natural(0);
    // What is damaged stays for those who repair it, and holds up nothing.
    auto one = record::decode_fields<Delivery>(rows.blob(2), salt_of("deliveries", rows.text(1)));
    if (one)
      page.deliveries.push_back(
          {one->id, one->run, one->sequence, one->next_at.value_or(one->created_at)});
  }
  return page;
}

Outcome<DeliveryPage> list_deliveries(Connection& connection, const DeliveryFilter& filter,
                                      size_t limit, uint64_t before) {
  auto ask = [&](uint64_t from, size_t size) {
    Arguments asked;
    asked.number(from).number(uint64_t{size});
    std::string sql = "select number, id, record from deliveries where number < $1";
    auto text = [&](const char* lead, const std::string& value) {
      if (value.empty()) return;
      asked.text(value);
      sql += lead + std::to_string(asked.size());
    };
    text(" and account = $", filter.account.text());
    text(" and run = $", filter.run.text());
    if (filter.state) sql += " and state = " + std::to_string(static_cast<int>(*filter.state));
    return connection.ask("listing deliveries", sql + " order by number desc limit $2", asked);
  };
  FERMATA_TRY(page, page_of<Delivery>("deliveries", limit, before, ask,
                                      [&](const Delivery& one) { return matches(filter, one); }));
  return DeliveryPage{std::move(page.first), std::move(page.second)};
}

Outcome<std::optional<ApprovalRecord>> find_approval(Connection& connection,
                                                     const std::string& id) {
  Arguments asked;
  asked.text(id);
  FERMATA_TRY(rows, connection.ask("reading an approval",
                                   "select id, record from approvals where id = $1", asked));
  FERMATA_TRY(found,
              decode_all(std::move(rows), "approvals", record::decode_fields<ApprovalRecord>));
  return first_of(std::move(found));
}

Outcome<ApprovalPage> list_approvals(Connection& connection, const ApprovalFilter& filter,
                                     size_t limit, uint64_t before) {
  auto ask = [&](uint64_t from, size_t size) {
    Arguments asked;
    asked.number(from).number(uint64_t{size});
    std::string sql = "select number, id, record from approvals where number < $1";
    auto text = [&](const char* lead, const std::string& value) {
      if (value.empty()) return;
      asked.text(value);
      sql += lead + std::to_string(asked.size());
    };
    text(" and account = $", filter.account.text());
    text(" and run = $", filter.run.text());
    if (filter.statuses.size() == 1)
      sql += " and status = " + std::to_string(static_cast<int>(filter.statuses.front()));
    return connection.ask("listing approvals", sql + " order by number desc limit $2", asked);
  };
  auto wanted = [&](const ApprovalRecord& one) { return matches(filter, one); };
  FERMATA_TRY(page, page_of<ApprovalRecord>("approvals", limit, before, ask, wanted));
  return ApprovalPage{std::move(page.first), std::move(page.second)};
}

}  // namespace fermata::postgres
