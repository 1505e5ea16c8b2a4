#include "adapters/sqlite/store_parts.h"
#include "ports/cursor.h"

/// What the store keeps of jobs.
namespace fermata {

using sqlite::ReadConnection;

Outcome<std::vector<StoredJob>> SqliteStore::load_jobs(std::span<const JobId> ids) {
  if (!parts_->committing.busy() || !parts_->writer.settled()) return parts_->writer.load_jobs(ids);
  return parts_->loading.read([&](ReadConnection& c) { return c.jobs.load(ids); });
}

Outcome<Store::OpenJobsPage> SqliteStore::open_jobs(uint64_t after, size_t limit) {
  return parts_->loading.read([&](ReadConnection& c) { return c.jobs.open(after, limit); });
}

Outcome<StoredJob> SqliteStore::find_job(const JobId& id) {
  return parts_->readers.read([&](ReadConnection& c) { return c.jobs.find(id); });
}

Outcome<JobPage> SqliteStore::list_jobs(const JobFilter& filter, size_t limit,
                                        const std::string& cursor) {
  FERMATA_TRY(before, cursor_number(cursor, UINT64_MAX));
  return parts_->readers.read(
      [&](ReadConnection& c) { return c.jobs.list(filter, limit, before); });
}

Outcome<std::vector<std::pair<job::State, uint64_t>>> SqliteStore::count_jobs(
    const AccountId& account) {
  return parts_->readers.read([&](ReadConnection& c) { return c.jobs.counts(account); });
}

Outcome<std::vector<fleet::RegistrationRecord>> SqliteStore::registrations() {
  return parts_->loading.read(
      [&](ReadConnection& c) { return c.registrations.all(parts_->on_damage); });
}

Outcome<Retention::RunSweep> SqliteStore::remove_jobs(uint64_t after, Instant before,
                                                      size_t limit) {
  return parts_->jobs.remove_jobs(after, before, limit);
}

Outcome<Retention::Sweep> SqliteStore::remove_dead_letters(Instant before, size_t limit) {
  return parts_->jobs.remove_dead_letters(before, limit);
}

Outcome<Retention::Sweep> SqliteStore::trim_dead_letters(uint64_t most, size_t limit) {
  return parts_->jobs.trim_dead_letters(most, limit);
}

Outcome<Retention::Sweep> SqliteStore::remove_blobs(Instant before, size_t limit) {
  return parts_->jobs.remove_blobs(before, limit);
}

Outcome<std::optional<DeadLetterEntry>> SqliteStore::dead_letter(const std::string& id) {
  FERMATA_TRY(found, parts_->readers.read([&](ReadConnection& c) { return c.letters.find(id); }));
  if (!found) return std::optional<DeadLetterEntry>{};
  return std::optional(std::move(found->entry));
}

Outcome<DeadLetterPage> SqliteStore::dead_letters(const DeadLetterFilter& filter, size_t limit,
                                                  const std::string& cursor) {
  FERMATA_TRY(before, cursor_number(cursor, UINT64_MAX));
  return parts_->readers.read(
      [&](ReadConnection& c) { return c.letters.list(filter, limit, before); });
}

Outcome<std::vector<std::pair<std::string, uint64_t>>> SqliteStore::count_dead_letters(
    const AccountId& account) {
  return parts_->readers.read([&](ReadConnection& c) { return c.letters.counts(account); });
}

Outcome<DeadLetterEntry> SqliteStore::resolve_dead_letter(const Resolve& resolve,
                                                          const AuditLine& audit) {
  return parts_->jobs.resolve(resolve, audit);
}

Outcome<void> SqliteStore::keep_poison(const DeadLetterEntry& entry, const AuditLine& audit) {
  FERMATA_TRY(known, dead_letter(entry.letter.id));
  if (known) return {};
  return parts_->jobs.keep_poison(entry, audit);
}

Outcome<BlobRef> SqliteStore::put_blob(const AccountId& account, std::string_view bytes,
                                       Instant now) {
  return parts_->jobs.put_blob(account, bytes, now);
}

Outcome<std::optional<std::string>> SqliteStore::blob(const AccountId& account,
                                                      const std::string& sha256) {
  return parts_->readers.read([&](ReadConnection& c) { return c.files.blob(account, sha256); });
}

Outcome<std::optional<uint64_t>> SqliteStore::blob_bytes(const AccountId& account,
                                                         const std::string& sha256) {
  return parts_->readers.read(
      [&](ReadConnection& c) { return c.files.blob_bytes(account, sha256); });
}

Outcome<std::optional<std::string>> SqliteStore::held_output(const JobId& job) {
  return parts_->readers.read([&](ReadConnection& c) -> Outcome<std::optional<std::string>> {
    FERMATA_TRY(found, c.jobs.by_id(job));
    if (!found) return std::optional<std::string>{};
    return c.held.find(found->number);
  });
}

Outcome<uint64_t> SqliteStore::count_held() {
  return parts_->readers.read([](ReadConnection& c) { return c.held.count(); });
}

Outcome<size_t> SqliteStore::append_log(const LogChunk& chunk, uint64_t bytes_max) {
  return parts_->jobs.append_log(chunk, bytes_max);
}

Outcome<LogPage> SqliteStore::log(const JobId& job, size_t limit, const std::string& cursor) {
  FERMATA_TRY(after, cursor_number(cursor, 0));
  return parts_->readers.read([&](ReadConnection& c) -> Outcome<LogPage> {
    FERMATA_TRY(found, c.jobs.by_id(job));
    if (!found) return LogPage{};
    return c.files.log(job, found->number, limit, after);
  });
}

}  // namespace fermata
