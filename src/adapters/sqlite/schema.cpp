#include "adapters/sqlite/schema.h"

#include <array>
#include <string>

#include "adapters/sqlite/file_layer.h"
#include "adapters/sqlite/run_tags.h"
#include "adapters/sqlite/schema_approvals.h"
#include "adapters/sqlite/schema_contacts.h"
#include "adapters/sqlite/schema_deliveries.h"
#include "adapters/sqlite/schema_held.h"
#include "adapters/sqlite/schema_job_files.h"
#include "adapters/sqlite/schema_jobs.h"
#include "adapters/sqlite/schema_moved.h"
#include "adapters/sqlite/schema_outbox.h"
#include "adapters/sqlite/schema_policy.h"
#include "adapters/sqlite/schema_pools.h"
#include "adapters/sqlite/schema_schedules.h"
#include "adapters/sqlite/schema_signal_effects.h"
#include "adapters/sqlite/schema_signals.h"
#include "adapters/sqlite/schema_views.h"
#include "adapters/sqlite/schema_wait_tally.h"
#include "adapters/sqlite/schema_waits.h"
#include "adapters/sqlite/wait_tally_rows.h"

namespace fermata::sqlite {
namespace {

/// "Ferm", in the file's header: tells our stores from other databases.
constexpr int64_t application_id = 0x4665726d;

// A migration that was released is never edited; a change is a new one at the end.
//
// The shape keeps the cost of a commit low: rows come at the end of their tables, a run that starts
// and ends in one commit touches two small indexes, and history has none: it is chained backwards
// from the run's record. Timers are not indexed here at all.
constexpr const char* first_schema = R"sql(
CREATE TABLE run (
  number INTEGER PRIMARY KEY,  -- order of creation; the cursor of lists
  id TEXT NOT NULL,
  account TEXT NOT NULL,
  workflow TEXT NOT NULL,
  status INTEGER NOT NULL,
  record BLOB NOT NULL
);
CREATE UNIQUE INDEX run_id ON run (id);
CREATE INDEX run_workflow ON run (account, workflow);
CREATE INDEX run_status ON run (status) WHERE status <> 3;  -- all but completed ones

CREATE TABLE history (
  number INTEGER PRIMARY KEY,
  run INTEGER NOT NULL,
  prev INTEGER NOT NULL,  -- the row of the same run before this one, 0 for the first
  first INTEGER NOT NULL,
  count INTEGER NOT NULL,
  checksum INTEGER NOT NULL,
  bytes BLOB NOT NULL
);

CREATE TABLE tally (
  account TEXT NOT NULL,
  status INTEGER NOT NULL,
  runs INTEGER NOT NULL,
  PRIMARY KEY (account, status)
) WITHOUT ROWID;

CREATE TABLE audit (
  number INTEGER PRIMARY KEY,
  account TEXT NOT NULL,
  record BLOB NOT NULL
);
CREATE INDEX audit_account ON audit (account);

CREATE TABLE definition (
  number INTEGER PRIMARY KEY,
  hash TEXT NOT NULL UNIQUE,
  record BLOB NOT NULL
);

CREATE TABLE workflow (
  number INTEGER PRIMARY KEY,
  account TEXT NOT NULL,
  id TEXT NOT NULL,
  webhook TEXT,
  record BLOB NOT NULL,
  UNIQUE (account, id)
);
CREATE INDEX workflow_webhook ON workflow (webhook) WHERE webhook IS NOT NULL;

CREATE TABLE version (
  number INTEGER PRIMARY KEY,
  workflow INTEGER NOT NULL,
  version INTEGER NOT NULL,
  record BLOB NOT NULL,
  UNIQUE (workflow, version)
);

CREATE TABLE key (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  account TEXT NOT NULL,
  record BLOB NOT NULL
);

CREATE TABLE mark (
  number INTEGER PRIMARY KEY,
  account TEXT NOT NULL,
  key TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  record BLOB NOT NULL,
  UNIQUE (account, key)
);
CREATE INDEX mark_expiry ON mark (expires_at);

-- Written to make an unknown outcome known: see Writer::settle.
CREATE TABLE settlement (number INTEGER PRIMARY KEY, count INTEGER NOT NULL);
INSERT INTO settlement VALUES (1, 0);
)sql";

// Few runs have one, and what is written of those is found by the run's number: the newest at the
// end of its range.
constexpr const char* checkpoint_schema = R"sql(
CREATE TABLE checkpoint (
  run INTEGER NOT NULL,
  sequence INTEGER NOT NULL,  -- of the last event in it
  checksum INTEGER NOT NULL,
  bytes BLOB NOT NULL,
  PRIMARY KEY (run, sequence)
) WITHOUT ROWID;
)sql";

constexpr const char* credentials_schema = R"sql(
CREATE TABLE credential (
  number INTEGER PRIMARY KEY,
  account TEXT NOT NULL,
  id TEXT NOT NULL,
  name TEXT NOT NULL,
  record BLOB NOT NULL,
  UNIQUE (account, id),
  UNIQUE (account, name)
);
)sql";

// What runs are found by that has no column of theirs: see run_tags.h.
constexpr const char* tag_schema = R"sql(
CREATE TABLE tag (
  account TEXT NOT NULL,
  kind INTEGER NOT NULL,
  key TEXT NOT NULL,
  value TEXT NOT NULL,
  run INTEGER NOT NULL,
  PRIMARY KEY (account, kind, key, value, run)
) WITHOUT ROWID;
)sql";

// A selection is written once and may be large, so it stands apart from what grows with it.
constexpr const char* bulk_schema = R"sql(
CREATE TABLE bulk (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  account TEXT NOT NULL,
  running INTEGER NOT NULL,
  record BLOB NOT NULL
);
CREATE INDEX bulk_account ON bulk (account);
CREATE INDEX bulk_running ON bulk (running) WHERE running = 1;

CREATE TABLE bulk_selection (
  number INTEGER PRIMARY KEY,
  items BLOB NOT NULL
);
)sql";

constexpr const char* retention_schema = R"sql(
-- Histories of removed runs, by their newest row: they go bit by bit.
CREATE TABLE garbage (number INTEGER PRIMARY KEY, head INTEGER NOT NULL);
-- The last audit line of each account that was removed.
CREATE TABLE audit_root (
  number INTEGER PRIMARY KEY,
  account TEXT NOT NULL UNIQUE,
  record BLOB NOT NULL
);
-- Definitions that nothing names any more, and since when.
CREATE TABLE orphan (hash TEXT PRIMARY KEY, since INTEGER NOT NULL) WITHOUT ROWID;
)sql";

struct Migration {
  const char* name;
  const char* sql;
  Outcome<void> (*fill)(Database&) = nullptr;  ///< for what SQL alone cannot make of the old rows
};
constexpr std::array migrations = {Migration{"first", first_schema},
                                   Migration{"checkpoints", checkpoint_schema},
                                   Migration{"credentials", credentials_schema},
                                   Migration{"tags", tag_schema, tag_all_runs},
                                   Migration{"bulk", bulk_schema},
                                   Migration{"retention", retention_schema},
                                   Migration{"jobs", jobs_schema},
                                   Migration{"schedules", schedules_schema},
                                   Migration{"waits", waits_schema},
                                   Migration{"job_files", job_files_schema},
                                   Migration{"approvals", approvals_schema},
                                   Migration{"deliveries", deliveries_schema},
                                   Migration{"signals", signals_schema},
                                   Migration{"policy", policy_schema},
                                   Migration{"contacts", contacts_schema},
                                   Migration{"signal_effects", signal_effects_schema},
                                   Migration{"deleted_schedules", deleted_schedules_schema},
                                   Migration{"wait_tally", wait_tally_schema, tally_all_waits},
                                   Migration{"views", views_schema},
                                   Migration{"pools", pools_schema},
                                   Migration{"held_outputs", held_schema},
                                   Migration{"outbox", outbox_schema},
                                   Migration{"moved", moved_schema}};

/// The header says twice whether pages are summed: a flipped bit must not switch the sums off.
Outcome<void> check_page_sums(Database& database) {
  FERMATA_TRY(told, database.number("PRAGMA user_version"));
  if ((told == page_sum_bytes) == has_page_sums(database.handle())) return {};
  return fail(ErrorCode::data_damaged,
              "the header of the database is damaged: it contradicts "
              "itself on whether pages have checksums");
}

/// The newest migration in the file, 0 for a file without a schema.
Outcome<int64_t> schema_of(Database& database) {
  FERMATA_TRY(tables, database.number("SELECT count(*) FROM sqlite_schema"));
  if (tables == 0) return 0;
  FERMATA_TRY(id, database.number("PRAGMA application_id"));
  if (id != application_id) {
    return fail(ErrorCode::data_damaged, "the file is a database, but not one of Fermata");
  }
  FERMATA_TRY_VOID(check_page_sums(database));
  return database.number("SELECT max(number) FROM migration");
}

Outcome<void> refuse_newer(int64_t schema) {
  if (schema <= schema_newest()) return {};
  return fail(ErrorCode::schema_newer, "the data has schema " + std::to_string(schema) +
                                           ", this program knows up to " +
                                           std::to_string(schema_newest()));
}

Outcome<void> apply(Database& database, int64_t number) {
  const Migration& migration = migrations[static_cast<size_t>(number - 1)];
  FERMATA_TRY_VOID(database.run("BEGIN IMMEDIATE"));
  if (number == 1) {
    std::string lead = "PRAGMA application_id = " + std::to_string(application_id) +
                       "; CREATE TABLE migration (number INTEGER PRIMARY KEY, name TEXT NOT NULL)";
    FERMATA_TRY_VOID(database.run(lead.c_str()));
    if (has_page_sums(database.handle())) FERMATA_TRY_VOID(note_page_sums(database));
  }
  FERMATA_TRY_VOID(database.run(migration.sql));
  if (migration.fill) FERMATA_TRY_VOID(migration.fill(database));
  std::string note = "INSERT INTO migration VALUES (" + std::to_string(number) + ", '" +
                     migration.name + "'); COMMIT";
  return database.run(note.c_str());
}

}  // namespace

int64_t schema_newest() { return static_cast<int64_t>(migrations.size()); }

Outcome<void> migrate(Database& database) {
  FERMATA_TRY(schema, schema_of(database));
  FERMATA_TRY_VOID(refuse_newer(schema));
  for (int64_t number = schema + 1; number <= schema_newest(); ++number) {
    FERMATA_TRY_VOID(apply(database, number));
  }
  return {};
}

bool schema_has(Database& database, const std::string& table) {
  std::string question = "SELECT count(*) FROM sqlite_schema WHERE name = '" + table + "'";
  auto found = database.number(question.c_str());
  return found && *found > 0;
}

Outcome<void> note_page_sums(Database& database) {
  std::string sums = "PRAGMA user_version = " + std::to_string(page_sum_bytes);
  return database.run(sums.c_str());
}

Outcome<void> use_log(Database& database) {
  FERMATA_TRY_VOID(database.run("PRAGMA journal_mode = WAL"));
  FERMATA_TRY(on, database.number("SELECT journal_mode = 'wal' FROM pragma_journal_mode"));
  if (on == 1) return {};
  return fail(ErrorCode::io_failed, "the file system cannot hold SQLite's write-ahead log");
}

Outcome<void> check_schema(Database& database) {
  FERMATA_TRY(schema, schema_of(database));
  if (schema == 0) {
    return fail(ErrorCode::data_damaged, "the file is a database without a schema of Fermata");
  }
  return refuse_newer(schema);
}

}  // namespace fermata::sqlite
