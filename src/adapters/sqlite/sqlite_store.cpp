#include "adapters/sqlite/sqlite_store.h"

#include <array>
#include <fstream>

#include "adapters/sqlite/file_layer.h"
#include "adapters/sqlite/log_check.h"
#include "adapters/sqlite/schema.h"
#include "adapters/sqlite/store_parts.h"
#include "ports/cursor.h"

namespace fermata {

using sqlite::CatalogQueries;
using sqlite::Database;
using sqlite::ReadConnection;

namespace {

Outcome<void> tune(Database& database, const SqliteOptions& options) {
  std::string cache = "PRAGMA cache_size = -" + std::to_string(options.cache_bytes >> 10);
  FERMATA_TRY_VOID(database.run(cache.c_str()));
  // Debian builds SQLite so that deleted content is overwritten, which doubles what is written.
  FERMATA_TRY_VOID(database.run("PRAGMA secure_delete = OFF"));
  FERMATA_TRY_VOID(database.run("PRAGMA synchronous = FULL"));
  FERMATA_TRY_VOID(database.run("PRAGMA wal_autocheckpoint = 0"));
  return database.run("PRAGMA journal_size_limit = 268435456");
}

/// A new file gets its name only when it is whole, so that an empty one is known to be damaged.
Outcome<void> create_database(const std::filesystem::path& file) {
  std::filesystem::path unfinished = file;
  unfinished += ".new";
  std::error_code ignored;
  std::filesystem::remove(unfinished, ignored);
  {
    FERMATA_TRY(database, Database::open(unfinished, Database::Mode::create));
    sqlite::begin_page_sums(database->handle());
    // No journal beside it: the file is whole when the connection is closed, or thrown away.
    FERMATA_TRY_VOID(database->run("PRAGMA journal_mode = MEMORY"));
    FERMATA_TRY_VOID(sqlite::migrate(*database));
    FERMATA_TRY_VOID(sqlite::use_log(*database));
  }
  return sqlite::publish_file(unfinished, file);
}

/// True when the file does not end with a page. SQLite would read what is missing as zeros.
Outcome<bool> ends_within_page(const std::filesystem::path& file) {
  std::array<unsigned char, 18> header{};
  std::ifstream in(file, std::ios::binary);
  if (!in) return sqlite::io_failure(file, "opening it");
  if (!in.read(reinterpret_cast<char*>(header.data()), header.size())) return true;
  size_t page_bytes = header[16] << 8 | header[17];
  if (page_bytes == 1) page_bytes = 65536;
  std::error_code error;
  return page_bytes != 0 && std::filesystem::file_size(file, error) % page_bytes != 0;
}

Outcome<void> prepare_file(const std::filesystem::path& file) {
  std::error_code error;
  std::filesystem::path log = sqlite::log_of(file);
  if (!std::filesystem::exists(file, error)) {
    if (std::filesystem::exists(log, error)) {
      return fail(ErrorCode::data_damaged, file.string() + " is missing, but its log is there");
    }
    return create_database(file);
  }
  // With a log beside it a crash may have cut a checkpoint short, which is then made again.
  bool no_log = !std::filesystem::exists(log, error) || std::filesystem::is_empty(log, error);
  if (no_log) {
    FERMATA_TRY(cut_off, ends_within_page(file));
    if (cut_off) return fail(ErrorCode::data_damaged, file.string() + " was cut off");
  }
  return sqlite::check_log(file);
}

/// Two stores that both go on would be two truths.
Outcome<void> refuse_moved(Database& database, const std::filesystem::path& directory) {
  if (!sqlite::schema_has(database, "moved")) return {};
  sqlite::Statement place(database, "SELECT place FROM moved WHERE place IS NOT NULL");
  sqlite::Rows rows = place.query();
  if (!rows.next()) {
    if (rows.failed()) return database.failure("looking whether the store has moved");
    return {};
  }
  std::string to(rows.text(0));
  return fail(ErrorCode::data_locked, directory.string() + " has moved to " + to +
                                          " and serves no more; start the server with --store '" +
                                          to + "'");
}

}  // namespace

SqliteStore::SqliteStore(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
SqliteStore::~SqliteStore() = default;

Outcome<std::unique_ptr<SqliteStore>> open_sqlite(const std::filesystem::path& directory,
                                                  SqliteOptions options) {
  FERMATA_TRY_VOID(sqlite::make_directory(directory));
  FERMATA_TRY(lock, sqlite::DirectoryLock::take(directory));
  std::filesystem::path file = sqlite::database_file(directory);
  FERMATA_TRY_VOID(prepare_file(file));
  {
    // A connection that may write would move the log into the file when it is closed again.
    FERMATA_TRY(reading, Database::open(file, Database::Mode::read));
    FERMATA_TRY_VOID(sqlite::check_schema(*reading));
    FERMATA_TRY_VOID(refuse_moved(*reading, directory));
  }
  FERMATA_TRY(writing, Database::open(file, Database::Mode::write));
  FERMATA_TRY_VOID(sqlite::use_log(*writing));
  FERMATA_TRY_VOID(tune(*writing, options));
  FERMATA_TRY_VOID(sqlite::migrate(*writing));
  FERMATA_TRY(checkpointing, Database::open(file, Database::Mode::write));
  FERMATA_TRY_VOID(tune(*checkpointing, SqliteOptions{.cache_bytes = 1 << 20}));
  auto parts = std::make_unique<SqliteStore::Parts>(directory, std::move(lock), std::move(writing),
                                                    std::move(checkpointing), std::move(options));
  FERMATA_TRY_VOID(parts->writer.start());
  return std::unique_ptr<SqliteStore>(new SqliteStore(std::move(parts)));
}

Outcome<std::vector<StoredRun>> SqliteStore::load(std::span<const RunId> ids,
                                                  uint64_t checkpoint_before) {
  // The writing connection knows its pages by heart, but not while it writes.
  if (!parts_->committing.busy() || !parts_->writer.settled())
    return parts_->writer.load(ids, checkpoint_before);
  return parts_->loading.read(
      [&](ReadConnection& c) { return c.runs.load(ids, checkpoint_before); });
}

Outcome<std::vector<StoredSchedule>> SqliteStore::load_schedules(
    std::span<const schedule::Key> keys) {
  if (!parts_->committing.busy() || !parts_->writer.settled())
    return parts_->writer.load_schedules(keys);
  return parts_->loading.read([&](ReadConnection& c) { return c.schedules.load(keys); });
}

Outcome<Store::OpenSchedulesPage> SqliteStore::open_schedules(uint64_t after, size_t limit) {
  return parts_->loading.read([&](ReadConnection& c) { return c.schedules.open(after, limit); });
}

Outcome<StoredSchedule> SqliteStore::find_schedule(const schedule::Key& key) {
  return parts_->readers.read([&](ReadConnection& c) { return c.schedules.find(key); });
}

Outcome<SchedulePage> SqliteStore::list_schedules(const ScheduleFilter& filter, size_t limit,
                                                  const std::string& cursor) {
  FERMATA_TRY(before, cursor_number(cursor, UINT64_MAX));
  return parts_->readers.read(
      [&](ReadConnection& c) { return c.schedules.list(filter, limit, before); });
}

Outcome<std::vector<HistoryChunk>> SqliteStore::schedule_history(const schedule::Key& key,
                                                                 uint64_t before,
                                                                 size_t events_max) {
  return parts_->readers.read(
      [&](ReadConnection& c) { return c.schedules.newest(key, before, events_max); });
}

Outcome<std::optional<WaitRecord>> SqliteStore::find_wait(const std::string& id) {
  return parts_->readers.read([&](ReadConnection& c) { return c.waits.find(id); });
}

Outcome<std::vector<WaitRecord>> SqliteStore::waits_of(const RunId& run, const std::string& step) {
  return parts_->readers.read([&](ReadConnection& c) { return c.waits.of_run(run, step); });
}

Outcome<WaitPage> SqliteStore::list_waits(const WaitFilter& filter, size_t limit,
                                          const WaitStart& start) {
  return parts_->readers.read(
      [&](ReadConnection& c) { return c.waits.list(filter, limit, start); });
}

Outcome<std::vector<WaitSlot>> SqliteStore::wait_slots(const WaitFilter& filter) {
  return parts_->readers.read([&](ReadConnection& c) { return c.waits.slots(filter); });
}

std::vector<CommitOutcome> SqliteStore::commit(const CommitBatch& batch) {
  return parts_->writer.commit(batch);
}

void SqliteStore::submit(CommitBatch batch) { parts_->committing.submit(std::move(batch)); }

std::optional<CommitAnswer> SqliteStore::harvest() { return parts_->committing.harvest(); }

void SqliteStore::on_answer(std::function<void()> ring) {
  parts_->committing.on_answer(std::move(ring));
}

Outcome<std::vector<RunId>> SqliteStore::live_runs_with(const AccountId& account,
                                                        const std::string& label_key,
                                                        const std::string& label_value,
                                                        size_t limit) {
  RunFilter filter;
  filter.account = account;
  filter.label_key = label_key;
  filter.label_value = label_value;
  filter.statuses = {RunStatus::running, RunStatus::waiting, RunStatus::paused};
  return parts_->loading.read([&](ReadConnection& c) -> Outcome<std::vector<RunId>> {
    FERMATA_TRY(page, c.runs.list(filter, limit, UINT64_MAX));
    std::vector<RunId> out;
    for (const RunSummary& run : page.items) out.push_back(run.id);
    return out;
  });
}

Outcome<Store::PendingPage> SqliteStore::pending(uint64_t after, size_t limit) {
  FERMATA_TRY(
      found, parts_->loading.read([&](ReadConnection& c) { return c.runs.pending(after, limit); }));
  for (const Error& damage : found.damages) {
    if (parts_->on_damage) parts_->on_damage(damage);
  }
  return std::move(found.page);
}

std::string SqliteStore::trouble() const { return std::string(parts_->writer.trouble()); }

Outcome<StoredRun> SqliteStore::find(const RunId& id, uint64_t first_sequence, size_t events_max) {
  return parts_->readers.read(
      [&](ReadConnection& c) { return c.runs.find(id, first_sequence, events_max); });
}

Outcome<StoredRun> SqliteStore::latest(const RunId& id) {
  FERMATA_TRY(loaded, parts_->readers.read([&](ReadConnection& c) {
    return c.runs.load(std::span(&id, 1), UINT64_MAX);
  }));
  return std::move(loaded.front());
}

Outcome<std::optional<RunSummary>> SqliteStore::summary(const RunId& id) {
  FERMATA_TRY(found, parts_->readers.read([&](ReadConnection& c) { return c.runs.by_id(id); }));
  if (!found) return std::optional<RunSummary>{};
  return std::optional(std::move(found->record.summary));
}

Outcome<RunPage> SqliteStore::list(const RunFilter& filter, size_t limit, const std::string& cursor,
                                   RunOrder order) {
  FERMATA_TRY(place, run_place(cursor, order));
  return parts_->readers.read(
      [&](ReadConnection& c) { return c.runs.list(filter, limit, place, order); });
}

Outcome<std::vector<std::pair<RunStatus, uint64_t>>> SqliteStore::counts(const AccountId& account) {
  return parts_->readers.read([&](ReadConnection& c) { return c.runs.counts(account); });
}

Outcome<AuditPage> SqliteStore::audit(const AuditFilter& filter, size_t limit,
                                      const std::string& cursor) {
  FERMATA_TRY(before, cursor_number(cursor, UINT64_MAX));
  return parts_->readers.read(
      [&](ReadConnection& c) { return c.runs.audit(filter, limit, before); });
}

Outcome<WorkflowStored> SqliteStore::put_workflow(const WorkflowPut& put, const AuditLine& line) {
  return parts_->catalog.put_workflow(put, line);
}

Outcome<std::optional<WorkflowRecord>> SqliteStore::workflow(const AccountId& account,
                                                             const WorkflowId& id) {
  FERMATA_TRY(found, parts_->readers.read(
                         [&](ReadConnection& c) { return c.catalog.workflow(account, id); }));
  if (!found) return std::optional<WorkflowRecord>{};
  return std::optional(std::move(found->record));
}

Outcome<WorkflowPage> SqliteStore::workflows(const AccountId& account, size_t limit,
                                             const std::string& cursor) {
  return parts_->readers.read(
      [&](ReadConnection& c) { return c.catalog.workflows(account, limit, cursor); });
}

Outcome<std::vector<WorkflowVersion>> SqliteStore::versions(const AccountId& account,
                                                            const WorkflowId& id) {
  return parts_->readers.read([&](ReadConnection& c) -> Outcome<std::vector<WorkflowVersion>> {
    FERMATA_TRY(found, c.catalog.workflow(account, id));
    if (!found) return std::vector<WorkflowVersion>{};
    return c.catalog.versions(found->number);
  });
}

Outcome<WorkflowRecord> SqliteStore::set_current(const AccountId& account, const WorkflowId& id,
                                                 uint32_t version, const AuditLine& line) {
  return parts_->catalog.set_current(account, id, version, line);
}

Outcome<WorkflowRecord> SqliteStore::set_active(const AccountId& account, const WorkflowId& id,
                                                bool active, const AuditLine& line) {
  return parts_->catalog.set_active(account, id, active, line);
}

Outcome<void> SqliteStore::remove_version(const AccountId& account, const WorkflowId& id,
                                          uint32_t version, const AuditLine& line) {
  return parts_->catalog.remove_version(account, id, version, line);
}

Outcome<void> SqliteStore::remove_workflow(const AccountId& account, const WorkflowId& id,
                                           const AuditLine& line) {
  return parts_->catalog.remove_workflow(account, id, line);
}

Outcome<std::optional<WorkflowRecord>> SqliteStore::workflow_by_webhook(const std::string& guid) {
  FERMATA_TRY(found, parts_->readers.read(
                         [&](ReadConnection& c) { return c.catalog.workflow_by_webhook(guid); }));
  if (!found) return std::optional<WorkflowRecord>{};
  return std::optional(std::move(found->record));
}

Outcome<std::optional<std::string>> SqliteStore::definition(const DefinitionHash& hash) {
  return parts_->readers.read([&](ReadConnection& c) { return c.catalog.definition(hash); });
}

Outcome<void> SqliteStore::put_key(const KeyRecord& record, const AuditLine& line) {
  return parts_->catalog.put_key(record, line);
}

Outcome<std::optional<KeyRecord>> SqliteStore::key(const std::string& id) {
  FERMATA_TRY(found, parts_->readers.read([&](ReadConnection& c) { return c.catalog.key(id); }));
  if (!found) return std::optional<KeyRecord>{};
  parts_->catalog.add_last_use(found->record);
  return std::optional(std::move(found->record));
}

Outcome<std::vector<KeyRecord>> SqliteStore::keys(const AccountId& account) {
  FERMATA_TRY(found,
              parts_->readers.read([&](ReadConnection& c) { return c.catalog.keys(account); }));
  for (KeyRecord& record : found) parts_->catalog.add_last_use(record);
  return found;
}

Outcome<void> SqliteStore::revoke_key(const std::string& id, Instant at, const AuditLine& line) {
  return parts_->catalog.revoke_key(id, at, line);
}

void SqliteStore::key_used(const std::string& id, Instant at) { parts_->catalog.key_used(id, at); }

Outcome<bool> SqliteStore::any_key() {
  return parts_->readers.read([&](ReadConnection& c) { return c.catalog.any_key(); });
}

Outcome<CredentialRecord> SqliteStore::put_credential(const CredentialPut& put,
                                                      const AuditLine& line) {
  return parts_->catalog.put_credential(put, line);
}

Outcome<std::optional<CredentialRecord>> SqliteStore::credential(const AccountId& account,
                                                                 const std::string& id) {
  FERMATA_TRY(found, parts_->readers.read(
                         [&](ReadConnection& c) { return c.catalog.credential(account, id); }));
  if (!found) return std::optional<CredentialRecord>{};
  parts_->catalog.add_last_use(found->record);
  return std::optional(std::move(found->record));
}

Outcome<std::optional<CredentialRecord>> SqliteStore::credential_named(const AccountId& account,
                                                                       const std::string& name) {
  FERMATA_TRY(found, parts_->readers.read([&](ReadConnection& c) {
    return c.catalog.credential_named(account, name);
  }));
  if (!found) return std::optional<CredentialRecord>{};
  parts_->catalog.add_last_use(found->record);
  return std::optional(std::move(found->record));
}

Outcome<CredentialPage> SqliteStore::credentials(const AccountId& account, size_t limit,
                                                 const std::string& cursor) {
  FERMATA_TRY(page, parts_->readers.read([&](ReadConnection& c) {
    return c.catalog.credentials(account, limit, cursor);
  }));
  for (CredentialRecord& record : page.items) parts_->catalog.add_last_use(record);
  return page;
}

Outcome<std::vector<AccountId>> SqliteStore::credential_accounts() {
  return parts_->readers.read([&](ReadConnection& c) { return c.catalog.credential_accounts(); });
}

Outcome<CredentialRecord> SqliteStore::revoke_credential(const AccountId& account,
                                                         const std::string& id, Instant at,
                                                         const AuditLine& line) {
  return parts_->catalog.revoke_credential(account, id, at, line);
}

Outcome<void> SqliteStore::remove_credential(const AccountId& account, const std::string& id,
                                             const AuditLine& line) {
  return parts_->catalog.remove_credential(account, id, line);
}

Outcome<bool> SqliteStore::reseal_credential(const AccountId& account, const std::string& id,
                                             const std::string& from, const std::string& to,
                                             const AuditLine& line) {
  return parts_->catalog.reseal_credential(account, id, from, to, line);
}

void SqliteStore::credential_used(const AccountId& account, const std::string& id, Instant at) {
  parts_->catalog.credential_used(account, id, at);
}

Outcome<std::optional<IdempotencyMark>> SqliteStore::mark(const AccountId& account,
                                                          const std::string& name, Instant now) {
  parts_->catalog.marks_seen_at(now);
  FERMATA_TRY(found, parts_->readers.read(
                         [&](ReadConnection& c) { return c.catalog.mark(account, name); }));
  if (!found || found->record.expires_at <= now) return std::optional<IdempotencyMark>{};
  return std::optional(std::move(found->record));
}

Outcome<IdempotencyMark> SqliteStore::put_mark(const IdempotencyMark& mark) {
  return parts_->catalog.put_mark(mark);
}

Outcome<bool> SqliteStore::put_bulk(const BulkRecord& record, const std::vector<std::string>& items,
                                    const AuditLine& line) {
  return parts_->bulks.put(record, items, line);
}

Outcome<void> SqliteStore::set_bulk(const BulkRecord& record, const AuditLine* line) {
  return parts_->bulks.set(record, line);
}

Outcome<std::optional<BulkRecord>> SqliteStore::bulk(const std::string& id) {
  FERMATA_TRY(found, parts_->readers.read([&](ReadConnection& c) { return c.bulks.find(id); }));
  if (!found) return std::optional<BulkRecord>{};
  return std::optional(std::move(found->record));
}

Outcome<std::vector<std::string>> SqliteStore::bulk_items(const std::string& id, uint64_t from,
                                                          size_t limit) {
  return parts_->readers.read([&](ReadConnection& c) { return c.bulks.items(id, from, limit); });
}

Outcome<BulkPage> SqliteStore::bulks(const AccountId& account, size_t limit,
                                     const std::string& cursor) {
  FERMATA_TRY(before, cursor_number(cursor, UINT64_MAX));
  return parts_->readers.read(
      [&](ReadConnection& c) { return c.bulks.list(account, limit, before); });
}

Outcome<std::vector<BulkRecord>> SqliteStore::running_bulks() {
  return parts_->readers.read([&](ReadConnection& c) { return c.bulks.running(); });
}

Outcome<Retention::Referred> SqliteStore::referred(uint64_t after, size_t limit) {
  return parts_->retention.referred(after, limit);
}

Outcome<Retention::RunSweep> SqliteStore::remove_runs(uint64_t after, Instant before,
                                                      const std::set<RunId>& kept, size_t limit) {
  return parts_->retention.remove_runs(after, before, kept, limit);
}

Outcome<void> SqliteStore::remove_run(const RunId& id, const AuditLine& line) {
  return parts_->retention.remove_run(id, line);
}

Outcome<Retention::Sweep> SqliteStore::remove_remains(size_t limit) {
  FERMATA_TRY(of_runs, parts_->retention.remove_remains(limit));
  if (of_runs.more) return of_runs;
  FERMATA_TRY(of_jobs, parts_->jobs.remove_remains(limit));
  return Sweep{of_runs.removed + of_jobs.removed, of_jobs.more};
}

Outcome<Retention::Sweep> SqliteStore::remove_audit(Instant before, size_t limit) {
  return parts_->retention.remove_audit(before, limit);
}

Outcome<AuditRoot> SqliteStore::audit_root(const AccountId& account) {
  return parts_->retention.audit_root(account);
}

Outcome<Retention::Sweep> SqliteStore::remove_bulks(Instant before, size_t limit) {
  return parts_->bulks.remove_ended(before, limit);
}

Outcome<Retention::Sweep> SqliteStore::remove_schedules(Instant now, Duration deleted_for,
                                                        size_t limit) {
  return parts_->retention.remove_schedules(now, deleted_for, limit);
}

Outcome<Retention::Sweep> SqliteStore::remove_marks(Instant now, size_t limit) {
  return parts_->retention.remove_marks(now, limit);
}

Outcome<Retention::Sweep> SqliteStore::remove_definitions(Instant now, Duration unused_for,
                                                          size_t limit) {
  return parts_->retention.remove_definitions(now, unused_for, limit);
}

Outcome<void> SqliteStore::backup(const std::filesystem::path& file) {
  return backup_sqlite(parts_->directory, file);
}

}  // namespace fermata
