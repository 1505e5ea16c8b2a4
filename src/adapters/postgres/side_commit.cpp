#include "adapters/postgres/asking.h"
#include "adapters/postgres/commit_statement.h"
#include "base/check.h"
#include "ports/record/fields_record.h"

/// What commits change of deliveries, contacts and registrations.
namespace fermata::postgres {
void add_deliveries(CommitStatement& statement, Writes writes) {
  Column places(Type::integer), ids(Type::text), expected(Type::number), states(Type::integer);
  Column records(Type::bytes);
  for (size_t n = 0; n < writes.size(); ++n) {
    const DeliveryWrite* write = writes[n].delivery;
    if (!write) continue;
    Delivery next = write->delivery;
    next.version = write->expected_version + 1;
    places.add(static_cast<int64_t>(n));
    ids.add(next.id);
    expected.add(write->expected_version);
    states.add(static_cast<int>(next.state));
    records.add(record::encode_fields(next, salt_of("deliveries", next.id)));
  }
  if (places.empty()) return;
  std::string arrays = statement.array(places);
  for (const Column* column : {&ids, &expected, &states, &records})
    arrays += ", " + statement.array(*column);
  statement.let("delivery_want",
                "select * from unnest(" + arrays + ") w(n, id, expected, state, record)");
  statement.fit("delivery_rows",
                "select w.n, d.number from deliveries d join delivery_want w using (id) where "
                "d.version = w.expected order by d.id for update of d");
  statement.then("deliveries_moved",
                 "update deliveries d set version = w.expected + 1, state = w.state, record = "
                 "w.record from delivery_want w join won using (n) join delivery_rows f using (n) "
                 "where d.number = f.number");
}

void add_new_deliveries(CommitStatement& statement, Writes writes) {
  Column places(Type::integer), ids(Type::text), accounts(Type::text), runs(Type::text);
  Column states(Type::integer), records(Type::bytes);
  for (size_t n = 0; n < writes.size(); ++n) {
    if (!writes[n].run) continue;
    for (Delivery first : writes[n].run->deliveries) {
      first.version = 1;
      places.add(static_cast<int64_t>(n));
      ids.add(first.id);
      accounts.add(first.account.text());
      runs.add(first.run.text());
      states.add(static_cast<int>(first.state));
      records.add(record::encode_fields(first, salt_of("deliveries", first.id)));
    }
  }
  if (places.empty()) return;
  std::string arrays = statement.array(places);
  for (const Column* column : {&ids, &accounts, &runs, &states, &records})
    arrays += ", " + statement.array(*column);
  statement.then("deliveries_born",
                 "insert into deliveries (id, account, run, state, version, record) select w.id, "
                 "w.account, w.run, w.state, 1, w.record from unnest(" +
                     arrays +
                     ") with ordinality w(n, id, account, run, state, record, place) join won "
                     "using (n) order by w.place on conflict do nothing");
}

void add_contacts(CommitStatement& statement, Writes writes) {
  Column places(Type::integer), accounts(Type::text), ids(Type::text), expected(Type::number);
  Column timezones(Type::text), phones(Type::text), emails(Type::text), out(Type::flag);
  Column fields(Type::text), labels(Type::text), deleted(Type::number), created(Type::number);
  Column updated(Type::number), phone_keys(Type::text), email_keys(Type::text);
  Column records(Type::bytes);
  for (size_t n = 0; n < writes.size(); ++n) {
    if (!writes[n].contact) continue;
    const Contact& contact = writes[n].contact->contact;
    check(contact.version == writes[n].contact->expected_version + 1);
    places.add(static_cast<int64_t>(n));
    accounts.add(contact.account.text());
    ids.add(contact.id);
    expected.add(writes[n].contact->expected_version);
    add_readable(timezones, contact.timezone);
    add_readable(phones, contact.phone);
    add_readable(emails, contact.email);
    out.add(contact.opted_out_at.has_value());
    add_or_none(fields, json_or_nothing(contact.fields));
    add_or_none(labels, json_or_nothing(contact.labels));
    add_or_none(deleted, contact.deleted_at);
    created.add(contact.created_at.ms);
    updated.add(contact.updated_at.ms);
    add_readable(phone_keys, phone_key(contact.phone));
    add_readable(email_keys, email_key(contact.email));
    std::string key = joined_key(contact.account.text(), contact.id);
    records.add(record::encode_fields(contact, salt_of("contact_records", key)));
  }
  if (places.empty()) return;
  std::string arrays = statement.array(places);
  for (const Column* column :
       {&accounts, &ids, &expected, &timezones, &phones, &emails, &out, &fields, &labels, &deleted,
        &created, &updated, &phone_keys, &email_keys, &records})
    arrays += ", " + statement.array(*column);
  constexpr const char* names =
      "account, id, timezone, phone, email, opted_out, fields, labels, deleted_at, created_at, "
      "updated_at, phone_key, email_key, record";
  statement.let("contact_want", "select * from unnest(" + arrays +
                                    ") w(n, account, id, expected, timezone, phone, email, "
                                    "opted_out, fields, labels, deleted_at, created_at, "
                                    "updated_at, phone_key, email_key, record)");
  statement.let("contact_held",
                "select r.account, r.id, r.version from contact_records r join contact_want w on "
                "r.account = w.account and r.id = w.id order by r.account, r.id for update of r");
  statement.fit("contact_rows",
                "select w.n from contact_want w left join contact_held h on h.account = w.account "
                "and h.id = w.id where (w.expected = 0 and h.id is null) or h.version = "
                "w.expected");
  statement.then("contacts_born",
                 std::string("insert into contact_records (") + names + ", version) select " +
                     names +
                     ", 1 from contact_want join won using (n) where expected = 0 order by "
                     "account, id");
  statement.then("contacts_moved",
                 "update contact_records r set timezone = w.timezone, phone = w.phone, email = "
                 "w.email, opted_out = w.opted_out, fields = w.fields, labels = w.labels, "
                 "deleted_at = w.deleted_at, created_at = w.created_at, updated_at = "
                 "w.updated_at, phone_key = w.phone_key, email_key = w.email_key, record = "
                 "w.record, version = w.expected + 1 from contact_want w join won using (n) where "
                 "w.expected > 0 and r.account = w.account and r.id = w.id");
}

void add_roll(CommitStatement& statement, Writes writes) {
  Column places(Type::integer), ids(Type::text), records(Type::bytes);
  Column gone_places(Type::integer), gone(Type::text);
  for (size_t n = 0; n < writes.size(); ++n) {
    if (!writes[n].roll) continue;
    for (const fleet::RegistrationRecord& one : writes[n].roll->written) {
      places.add(static_cast<int64_t>(n));
      ids.add(one.id.text());
      records.add(record::seal(fleet::encode(one), salt_of("workers", one.id.text())));
    }
    for (const RegistrationId& id : writes[n].roll->forgotten) {
      gone_places.add(static_cast<int64_t>(n));
      gone.add(id.text());
    }
  }
  if (!places.empty()) {
    std::string arrays = statement.array(places) + ", " + statement.array(ids);
    arrays += ", " + statement.array(records);
    statement.then("workers_written",
                   "insert into workers (id, record) select w.id, w.record from unnest(" + arrays +
                       ") w(n, id, record) join won using (n) order by w.id on conflict (id) do "
                       "update set record = excluded.record");
  }
  if (!gone.empty()) {
    std::string arrays = statement.array(gone_places) + ", " + statement.array(gone);
    statement.then("workers_gone", "delete from workers k using unnest(" + arrays +
                                       ") w(n, id) join won using (n) where k.id = w.id");
  }
}

}  // namespace fermata::postgres
