#include "adapters/postgres/asking.h"
#include "adapters/postgres/job_file_rows.h"
#include "adapters/postgres/store_parts.h"
#include "base/hash.h"
#include "ports/cursor.h"
#include "ports/record/record.h"

/// The dead letter queue, the large things of jobs, and registrations of workers.
namespace fermata {

using namespace postgres;

Outcome<std::optional<DeadLetterEntry>> PostgresStore::dead_letter(const std::string& id) {
  return parts_->readers.read([&](Connection& c) { return find_dead_letter(c, id); });
}

Outcome<DeadLetterPage> PostgresStore::dead_letters(const DeadLetterFilter& filter, size_t limit,
                                                    const std::string& cursor) {
  FERMATA_TRY(before, cursor_number(cursor, UINT64_MAX));
  return parts_->readers.read(
      [&](Connection& c) { return list_dead_letters(c, filter, limit, before); });
}

Outcome<std::vector<std::pair<std::string, uint64_t>>> PostgresStore::count_dead_letters(
    const AccountId& account) {
  using Counts = std::vector<std::pair<std::string, uint64_t>>;
  return parts_->readers.read([&](Connection& c) -> Outcome<Counts> {
    Arguments asked;
    std::string sql = "select reason_code, count(*) from dead_letters where open";
    if (!account.empty()) {
      asked.text(account.text());
      sql += " and account = $1";
    }
    FERMATA_TRY(rows, c.ask("counting dead letters", sql + " group by 1 order by 1", asked));
    Counts out;
    while (rows.next()) out.emplace_back(std::string(rows.text(0)), rows.natural(1));
    return out;
  });
}

Outcome<DeadLetterEntry> PostgresStore::resolve_dead_letter(const Resolve& resolve,
                                                            const AuditLine& audit) {
  auto body = [&](Connection& c) -> Outcome<DeadLetterEntry> {
    Arguments asked;
    asked.text(resolve.id);
    // The commit of its job may settle it at the same moment.
    FERMATA_TRY_VOID(order(c, "taking a dead letter",
                           "select 1 from dead_letters where id = $1 for update", asked));
    FERMATA_TRY(found, find_dead_letter(c, resolve.id));
    if (!found) return fail(ErrorCode::value_not_found, "There is no entry `" + resolve.id + "`.");
    if (!found->open())
      return fail(ErrorCode::wrong_state,
                  "The entry was " + std::string(name_of(found->resolution)) + " already.");
    found->resolution = resolve.resolution;
    found->resolved_at = resolve.at;
    found->resolved_by = resolve.by;
    found->retried_as = resolve.retried_as;
    FERMATA_TRY_VOID(write_resolution(c, *found));
    return *std::move(found);
  };
  return transacted<DeadLetterEntry>(parts_->writer, &audit, body);
}

Outcome<BlobRef> PostgresStore::put_blob(const AccountId& account, std::string_view bytes,
                                         Instant now) {
  BlobRef ref{sha256_hex(bytes), bytes.size()};
  FERMATA_TRY_VOID(parts_->writer.transact(
      nullptr, [&](Connection& c) { return put_blob_row(c, account, ref.sha256, bytes, now); }));
  return ref;
}

Outcome<std::optional<std::string>> PostgresStore::blob(const AccountId& account,
                                                        const std::string& sha256) {
  return parts_->readers.read([&](Connection& c) { return find_blob(c, account, sha256); });
}

Outcome<std::optional<uint64_t>> PostgresStore::blob_bytes(const AccountId& account,
                                                           const std::string& sha256) {
  return parts_->readers.read([&](Connection& c) { return find_blob_size(c, account, sha256); });
}

Outcome<std::optional<std::string>> PostgresStore::held_output(const JobId& job) {
  return parts_->readers.read([&](Connection& c) { return find_held(c, job); });
}

Outcome<uint64_t> PostgresStore::count_held() {
  return parts_->readers.read([](Connection& c) -> Outcome<uint64_t> {
    FERMATA_TRY(rows, c.ask("counting held outputs", "select count(*) from held_outputs"));
    return rows.next() ? rows.natural(0) : 0;
  });
}

Outcome<size_t> PostgresStore::append_log(const LogChunk& chunk, uint64_t bytes_max) {
  return transacted<size_t>(parts_->writer, nullptr,
                            [&](Connection& c) { return append_log_rows(c, chunk, bytes_max); });
}

Outcome<LogPage> PostgresStore::log(const JobId& job, size_t limit, const std::string& cursor) {
  FERMATA_TRY(after, cursor_number(cursor, 0));
  return parts_->readers.read([&](Connection& c) { return read_log(c, job, limit, after); });
}

Outcome<std::vector<fleet::RegistrationRecord>> PostgresStore::registrations() {
  using Records = std::vector<fleet::RegistrationRecord>;
  return parts_->load([&](Connection& c) -> Outcome<Records> {
    FERMATA_TRY(rows, c.ask("reading the registrations of workers",
                            "select id, record from workers order by id"));
    Records out;
    while (rows.next()) {
      auto body = record::unseal(rows.blob(1), salt_of("workers", rows.text(0)));
      auto record = fleet::decode_registration(body.value_or(std::string_view()));
      if (body && record && record->id.text() == rows.text(0))
        out.push_back(*std::move(record));
      else if (parts_->options.on_damage)
        parts_->options.on_damage(damaged_row("workers", rows.text(0), "it cannot be read").value);
    }
    return out;
  });
}

}  // namespace fermata
