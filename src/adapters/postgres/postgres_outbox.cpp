#include "adapters/postgres/asking.h"
#include "adapters/postgres/store_parts.h"
#include "ports/record/fields_record.h"

/// What the store keeps for brokers.
namespace fermata {

using namespace postgres;

namespace {

/// Opens an entry that belongs to no commit of a root. False when one with its id is there.
Outcome<bool> open_letter(Connection& c, const DeadLetterEntry& entry) {
  const job::DeadLetter& letter = entry.letter;
  Arguments given;
  given.text(letter.id).text(letter.account.text()).text(letter.job.text());
  given.text(letter.reason_code).number(letter.created_at.ms).flag(entry.open());
  given.integer(static_cast<int32_t>(entry.resolution)).text(entry.resolved_by);
  given.text(entry.retried_as.text());
  given.bytes(record::encode_fields(letter, salt_of("dead_letters", letter.id)));
  FERMATA_TRY(rows, c.ask("writing a dead letter",
                          "insert into dead_letters (id, account, job, reason_code, created_at, "
                          "open, resolution, resolved_by, retried_as, record) values ($1, $2, $3, "
                          "$4, $5, $6, $7, $8, $9, $10) on conflict (id) do nothing returning 1",
                          given));
  return rows.next();
}

}  // namespace

Outcome<std::vector<Outbox::Entry>> PostgresStore::outbox(const std::string& lane, uint64_t after,
                                                          size_t limit) {
  using Entries = std::vector<Outbox::Entry>;
  return parts_->readers.read([&](Connection& c) -> Outcome<Entries> {
    Arguments asked;
    asked.text(lane).number(after).number(static_cast<int64_t>(limit));
    FERMATA_TRY(rows, c.ask("reading the outbox",
                            "select number, id, record from outbox where lane = $1 and number > $2 "
                            "order by number limit $3",
                            asked));
    Entries out;
    while (rows.next()) {
      // What is damaged stays for those who repair it, and holds up nothing.
      auto row = record::decode_fields<OutboxRow>(rows.blob(2), salt_of("outbox", rows.text(1)));
      if (row) out.push_back({rows.natural(0), *std::move(row)});
    }
    return out;
  });
}

Outcome<void> PostgresStore::remove_from_outbox(std::span<const uint64_t> numbers) {
  Column all(Type::number);
  for (uint64_t number : numbers) all.add(number);
  Arguments given;
  given.array(all);
  return parts_->writer.transact(nullptr, [&](Connection& c) {
    return order(c, "writing the outbox", "delete from outbox where number = any($1)", given);
  });
}

Outcome<uint64_t> PostgresStore::outbox_rows(const std::string& lane) {
  return parts_->readers.read([&](Connection& c) -> Outcome<uint64_t> {
    Arguments asked;
    asked.text(lane);
    FERMATA_TRY(rows,
                c.ask("counting the outbox", "select count(*) from outbox where lane = $1", asked));
    return rows.next() ? rows.natural(0) : 0;
  });
}

Outcome<bool> PostgresStore::is_marked(const RunId& run, const std::string& mark) {
  return parts_->readers.read([&](Connection& c) -> Outcome<bool> {
    Arguments asked;
    asked.text(run.text()).text(mark);
    FERMATA_TRY(rows,
                c.ask("looking for a message's mark",
                      "select 1 from message_marks where execution = $1 and mark = $2", asked));
    return rows.next();
  });
}

Outcome<void> PostgresStore::forget_marks(Instant before) {
  Arguments given;
  given.number(before.ms);
  return parts_->writer.transact(nullptr, [&](Connection& c) {
    return order(c, "forgetting marks", "delete from message_marks where at < $1", given);
  });
}

Outcome<void> PostgresStore::bury(const DeadLetterEntry& entry) {
  return parts_->writer.transact(nullptr, [&](Connection& c) -> Outcome<void> {
    FERMATA_TRY_VOID(open_letter(c, entry));
    return {};
  });
}

Outcome<void> PostgresStore::keep_poison(const DeadLetterEntry& entry, const AuditLine& audit) {
  return parts_->writer.transact(nullptr, [&](Connection& c) -> Outcome<void> {
    FERMATA_TRY(opened, open_letter(c, entry));
    return opened ? append_line(c, audit) : Outcome<void>{};
  });
}

}  // namespace fermata
