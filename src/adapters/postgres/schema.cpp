#include "adapters/postgres/schema.h"

#include <array>

#include "adapters/postgres/schema_bulks.h"
#include "adapters/postgres/schema_catalog.h"
#include "adapters/postgres/schema_job_files.h"
#include "adapters/postgres/schema_outbox.h"
#include "adapters/postgres/schema_policy.h"
#include "adapters/postgres/schema_replicas.h"
#include "adapters/postgres/schema_roots.h"
#include "adapters/postgres/schema_seeds.h"
#include "adapters/postgres/schema_settings.h"
#include "adapters/postgres/schema_signals.h"
#include "adapters/postgres/schema_waits.h"
#include "base/hash.h"

namespace fermata::postgres {
namespace {

struct Migration {
  const char* name;
  const char* sql;
};
// A migration that was released is never edited; a change is a new one at the end.
constexpr std::array migrations = {
    Migration{"roots", roots_schema},         Migration{"catalog", catalog_schema},
    Migration{"waits", waits_schema},         Migration{"signals", signals_schema},
    Migration{"job_files", job_files_schema}, Migration{"policy", policy_schema},
    Migration{"bulks", bulks_schema},         Migration{"seeds", seeds_schema},
    Migration{"outbox", outbox_schema},       Migration{"settings", settings_schema},
    Migration{"replicas", replicas_schema}};

std::string quoted(std::string_view text, char mark) {
  std::string out(1, mark);
  for (char c : text) out += c == mark ? std::string(2, mark) : std::string(1, c);
  return out + mark;
}

Outcome<void> run(Connection& connection, const std::string& sql) {
  Reply reply = connection.script(sql);
  if (reply.trouble == Trouble::none) return {};
  return connection.failure("bringing the schema up to date", reply);
}

/// Of those that are recorded, each must be the one that this program knows.
Outcome<size_t> applied(Connection& connection) {
  FERMATA_TRY(rows, connection.ask("reading the schema's version",
                                   "select number, name, sha256 from schema_migrations "
                                   "order by number"));
  size_t known = 0;
  while (rows.next()) {
    size_t number = rows.natural(0);
    if (number > migrations.size())
      return fail(ErrorCode::schema_newer, "the data has schema " + std::to_string(number) +
                                               ", this program knows up to " +
                                               std::to_string(migrations.size()));
    if (number != ++known)
      return fail(ErrorCode::data_damaged,
                  "migration " + std::to_string(known) + " is not recorded in schema_migrations");
    const Migration& migration = migrations[number - 1];
    if (rows.text(2) != sha256_hex(migration.sql))
      return fail(ErrorCode::data_damaged, "migration " + std::to_string(number) + " (" +
                                               std::string(rows.text(1)) +
                                               ") was another when it was applied");
  }
  return known;
}

Outcome<void> apply(Connection& connection, size_t number) {
  const Migration& migration = migrations[number - 1];
  return run(connection, std::string(migration.sql) +
                             "insert into schema_migrations (number, name, sha256) values (" +
                             std::to_string(number) + ", " + quoted(migration.name, '\'') + ", " +
                             quoted(sha256_hex(migration.sql), '\'') + ")");
}

/// Under the lock, within a transaction. True when there is nothing left to do.
Outcome<bool> next(Connection& connection, const std::string& lock) {
  // Another process may be at it for longer than a commit waits for a row.
  FERMATA_TRY_VOID(run(connection, "set local lock_timeout to 60000; " + lock));
  FERMATA_TRY(done, applied(connection));
  if (done < migrations.size()) FERMATA_TRY_VOID(apply(connection, done + 1));
  return done + 1 >= migrations.size();
}

}  // namespace

size_t schema_newest() { return migrations.size(); }

Outcome<std::vector<std::string>> pending_migrations(Connection& connection,
                                                     const std::string& schema) {
  Arguments named;
  named.text(schema);
  FERMATA_TRY(there, connection.ask("reading the schema's version",
                                    "select 1 from pg_tables where schemaname = $1 and tablename "
                                    "= 'schema_migrations'",
                                    named));
  size_t done = 0;
  if (there.count() > 0) {
    FERMATA_TRY(known, applied(connection));
    done = known;
  }
  std::vector<std::string> out;
  for (size_t i = done; i < migrations.size(); ++i) out.emplace_back(migrations[i].name);
  return out;
}

Outcome<void> expect_schema(Connection& connection, const std::string& schema) {
  FERMATA_TRY(pending, pending_migrations(connection, schema));
  if (pending.empty()) return {};
  std::string names;
  for (const std::string& name : pending) (names += names.empty() ? "" : ", ") += name;
  return fail(ErrorCode::invalid_setting, "schema `" + schema + "` lacks " +
                                              std::to_string(pending.size()) + " migrations (" +
                                              names +
                                              "); `fermata migrate` applies them, as does a server "
                                              "with migrate = auto");
}

Outcome<void> migrate(Connection& connection, const std::string& schema) {
  std::string lock =
      "select pg_advisory_xact_lock(hashtext(" + quoted("fermata " + schema, '\'') + "))";
  FERMATA_TRY_VOID(run(connection, "begin; " + lock + "; create schema if not exists " +
                                       quoted(schema, '"') +
                                       "; create table if not exists schema_migrations (number int "
                                       "primary key, name text not null, sha256 text not null, "
                                       "applied_at timestamptz not null default now()); commit"));
  for (bool ready = false; !ready;) {
    FERMATA_TRY_VOID(run(connection, "begin"));
    Outcome<bool> made = next(connection, lock);
    FERMATA_TRY_VOID(run(connection, made ? "commit" : "rollback"));
    if (!made) return Failure{std::move(made).error()};
    ready = *made;
  }
  return {};
}

}  // namespace fermata::postgres
