#include "adapters/postgres/passage_rows.h"

#include <algorithm>
#include <set>

#include "adapters/postgres/asking.h"
#include "base/hash.h"

namespace fermata::postgres {

std::string passage_channel(std::string_view schema, std::string_view receiver) {
  return "fermata_" + sha256_hex(joined_key(schema, receiver)).substr(0, 32);
}

/// The notice is part of this small statement and of no commit (C-18): who commits together with it
/// has nothing to flush.
Outcome<void> put_passage_rows(Connection& connection, std::string_view schema,
                               const std::vector<PassageRow>& rows) {
  Column receivers(Type::text), senders(Type::text), numbers(Type::number);
  Column sequences(Type::number), kinds(Type::integer), bytes(Type::bytes), channels(Type::text);
  std::set<std::string> woken;
  for (const PassageRow& row : rows) {
    receivers.add(row.receiver);
    senders.add(row.sender);
    numbers.add(row.number);
    sequences.add(row.sequence);
    kinds.add(static_cast<int64_t>(row.kind));
    bytes.add(row.bytes);
    if (woken.insert(row.receiver).second) channels.add(passage_channel(schema, row.receiver));
  }
  Arguments given;
  given.array(receivers).array(senders).array(numbers).array(sequences).array(kinds).array(bytes);
  given.array(channels);
  return order(
      connection, "passing bytes on",
      "with put as (insert into passages (receiver, sender, number, sequence, kind, bytes) "
      "select * from unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::int[], "
      "$6::bytea[]) on conflict do nothing) select pg_notify(channel, '') from "
      "unnest($7::text[]) c(channel)",
      given);
}

Outcome<std::vector<PassageRow>> take_passage_rows(Connection& connection,
                                                   std::string_view receiver, size_t most) {
  Arguments asked;
  asked.text(receiver).number(uint64_t{most});
  FERMATA_TRY(rows, connection.ask("taking bytes that were passed on",
                                   "delete from passages where ctid = any(array(select ctid from "
                                   "passages where receiver = $1 order by receiver, sender, "
                                   "number, sequence limit $2)) returning sender, number, "
                                   "sequence, kind, bytes",
                                   asked));
  std::vector<PassageRow> out;
  while (rows.next())
    out.push_back({std::string(receiver), std::string(rows.text(0)), rows.natural(1),
                   rows.natural(2), static_cast<PassageRow::Kind>(rows.integer(3)),
                   std::string(rows.blob(4))});
  std::sort(out.begin(), out.end(), [](const PassageRow& a, const PassageRow& b) {
    return std::tie(a.sender, a.number, a.sequence) < std::tie(b.sender, b.number, b.sequence);
  });
  return out;
}

Outcome<std::set<uint64_t>> withdraw_passage_rows(Connection& connection, std::string_view receiver,
                                                  std::string_view sender) {
  Arguments own;
  own.text(receiver).text(sender);
  FERMATA_TRY(rows, connection.ask("taking requests back",
                                   "delete from passages where receiver = $1 and sender = $2 "
                                   "returning number, kind",
                                   own));
  std::set<uint64_t> untaken;
  while (rows.next())
    if (static_cast<PassageRow::Kind>(rows.integer(1)) == PassageRow::Kind::open)
      untaken.insert(rows.natural(0));
  return untaken;
}

Outcome<void> sweep_passage_rows(Connection& connection) {
  return order(connection, "removing what nobody will read",
               "delete from passages where at < now() - interval '30 seconds' and receiver not in "
               "(select id from replicas where seen_at > now() - interval '30 seconds') and "
               "receiver not in (select 'lead ' || fence from leases where name = 'lead')");
}

}  // namespace fermata::postgres
