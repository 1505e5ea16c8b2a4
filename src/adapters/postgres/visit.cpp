#include <map>

#include "adapters/postgres/asking.h"
#include "adapters/postgres/audit_rows.h"
#include "adapters/postgres/opening.h"
#include "adapters/postgres/root_queries.h"
#include "adapters/postgres/schema.h"
#include "ports/record/fields_record.h"
#include "ports/record/record.h"

namespace fermata {
namespace {

using postgres::Arguments;
using postgres::Column;
using postgres::Connection;
using postgres::FoundRoot;
using postgres::RootKind;
using postgres::Rows;
using postgres::salt_of;
using postgres::Type;

constexpr size_t visited_at_once = 200;  // rows that are in memory at a time

/// Tables whose rows are a key and a record sealed with it; what they mean is not looked at.
struct Sealed {
  const char* table;
  const char* key;
};
constexpr Sealed sealed_tables[] = {
    {"workflow_records", "account || E'\\n' || id"},
    {"workflow_versions", "account || E'\\n' || workflow || E'\\n' || version"},
    {"workflow_rules", "account || E'\\n' || workflow"},
    {"api_keys", "id"},
    {"credentials", "account || E'\\n' || id"},
    {"marks", "account || E'\\n' || key"},
    {"accounts", "id"},
    {"saved_views", "account || E'\\n' || id"},
    {"waits", "id"},
    {"approvals", "id"},
    {"deliveries", "id"},
    {"dead_letters", "id"},
    {"contact_records", "account || E'\\n' || id"},
    {"workers", "id"},
    {"bulks", "id"},
    {"policy_snapshots", "hash"},
    {"policy_decisions", "job"},
    {"policy_versions", "account"},
    {"outbox", "id"}};

class PostgresVisit {
 public:
  PostgresVisit(Connection& connection, StoreVisitor& visitor)
      : connection_(connection), visitor_(visitor) {}

  Outcome<void> definitions() {
    return each("select hash, record from definitions order by hash", [&](const Rows& row) {
      std::string hash(row.text(0));
      auto body = record::unseal(row.blob(1), salt_of("definitions", hash));
      if (body)
        visitor_.definition(DefinitionHash(hash), std::string(*body));
      else
        damage("definitions", hash, "its checksum does not match");
    });
  }

  Outcome<void> records() {
    for (const Sealed& sealed : sealed_tables) {
      std::string sql = std::string("select ") + sealed.key + ", record from " + sealed.table;
      FERMATA_TRY_VOID(each(sql, [&](const Rows& row) {
        if (!record::unseal(row.blob(1), salt_of(sealed.table, row.text(0))))
          damage(sealed.table, row.text(0), "its checksum does not match");
      }));
    }
    return {};
  }

  Outcome<void> roots() {
    for (RootKind kind : {RootKind::run, RootKind::job, RootKind::schedule}) {
      uint64_t after = 0;
      for (bool more = true; more;) {
        Arguments page;
        page.integer(static_cast<int>(kind)).number(after).number(uint64_t{visited_at_once});
        FERMATA_TRY(rows, connection_.ask("verifying",
                                          "select number, id, account, version, status, shard from "
                                          "roots where kind = $1 and number > $2 order by number "
                                          "limit $3",
                                          page));
        more = rows.count() == visited_at_once;
        while (rows.next()) {
          after = rows.natural(0);
          FERMATA_TRY_VOID(root(kind, rows));
        }
      }
    }
    return {};
  }

  Outcome<void> audit() {
    FERMATA_TRY(kept, ask("select account, sequence, hash from audit_roots"));
    AuditRoots removed;
    while (kept.next())
      removed[std::string(kept.text(0))] = {kept.natural(1), std::string(kept.text(2))};
    AuditPlace at;
    return each("select account, sequence, record from audit order by account, sequence",
                [&](const Rows& row) { line(row, removed, at); });
  }

 private:
  /// How far the chain of an account has been followed.
  struct AuditPlace {
    std::string account, hash;
    uint64_t sequence = 0;
    bool first = true;
  };
  using AuditRoots = std::map<std::string, AuditRoot>;

  void line(const Rows& row, const AuditRoots& removed, AuditPlace& at) {
    if (at.first || row.text(0) != at.account) {
      at.account = row.text(0);
      auto root = removed.find(at.account);
      at.hash = root == removed.end() ? audit_hash_start() : root->second.hash;
      at.sequence = root == removed.end() ? 0 : root->second.sequence;
      at.first = false;
    }
    std::string place = at.account + " " + std::to_string(row.natural(1));
    auto entry = record::decode_audit(row.blob(2),
                                      postgres::audit_salt(AccountId(at.account), row.natural(1)));
    if (!entry) {
      damage("audit", place, "its checksum does not match");
      at.hash.clear();
      at.sequence = row.natural(1);
      return;
    }
    // After a line that cannot be read the chain is taken up again at the next one.
    bool follows =
        entry->sequence == at.sequence + 1 && (at.hash.empty() || entry->prev_hash == at.hash);
    if (!follows || entry->line.account.text() != at.account ||
        entry->hash != audit_hash(entry->prev_hash, entry->sequence, entry->line))
      damage("audit", place, "the chain is broken here");
    at.hash = entry->hash;
    at.sequence = entry->sequence;
    visitor_.audit(*entry);
  }

  /// Shows `use` one row after another, of any number: few are in memory at once.
  template <class Use>
  Outcome<void> each(const std::string& sql, Use use) {
    std::string cursor = "visited_" + std::to_string(++cursors_);
    postgres::Reply begun = connection_.script("declare " + cursor + " cursor for " + sql);
    if (begun.trouble != postgres::Trouble::none) return connection_.failure("verifying", begun);
    const std::string next = "fetch " + std::to_string(visited_at_once) + " from " + cursor;
    for (bool more = true; more;) {
      FERMATA_TRY(rows, ask(next));
      more = rows.count() == visited_at_once;
      while (rows.next()) use(rows);
    }
    return {};
  }
  Outcome<Rows> ask(const std::string& sql) { return connection_.ask("verifying", sql); }
  void damage(std::string_view table, std::string_view key, std::string_view what) {
    visitor_.damage(postgres::damaged_row(table, key, what).value);
  }
  /// What cannot be read is shown; only a connection that is gone ends the visit.
  Outcome<void> told(const Error& error) {
    if (!connection_.alive()) return Failure{error};
    visitor_.damage(error);
    return {};
  }

  Outcome<void> root(RootKind kind, const Rows& row) {
    std::string id(row.text(1)), account(row.text(2));
    uint64_t version = row.natural(3);
    int64_t status = row.integer(4);
    auto agrees = [&](bool same) {
      if (!same) damage("roots", id, "its columns do not match its record");
    };
    if (kind == RootKind::run) {
      RunId run(id);
      auto loaded = postgres::load_runs(connection_, std::span(&run, 1), 0);
      if (!loaded) return told(loaded.error());
      const StoredRun& stored = loaded->at(0);
      agrees(stored.version == version && stored.summary.account.text() == account &&
             static_cast<int64_t>(stored.summary.status) == status);
      visitor_.run(stored);
      return checkpoints(row.natural(0), stored);
    }
    if (kind == RootKind::job) {
      JobId job(id);
      auto loaded = postgres::load_jobs(connection_, std::span(&job, 1));
      if (!loaded) return told(loaded.error());
      const StoredJob& stored = loaded->at(0);
      agrees(stored.version == version && stored.summary.account.text() == account &&
             static_cast<int64_t>(stored.summary.state) == status);
      return {};
    }
    size_t line = id.find('\n');
    schedule::Key key{AccountId(id.substr(0, line)), ScheduleId(id.substr(line + 1))};
    auto loaded = postgres::load_schedules(connection_, std::span(&key, 1));
    if (!loaded) return told(loaded.error());
    const StoredSchedule& stored = loaded->at(0);
    agrees(stored.version == version && stored.summary.account.text() == account &&
           static_cast<int64_t>(stored.summary.status) == status);
    return {};
  }

  Outcome<void> checkpoints(uint64_t number, const StoredRun& stored) {
    Arguments asked;
    asked.number(number);
    FERMATA_TRY(rows, connection_.ask("verifying",
                                      "select sequence, checksum, bytes from checkpoints where "
                                      "root = $1 order by sequence",
                                      asked));
    uint64_t salt = postgres::root_salt(RootKind::run, stored.summary.id.text());
    while (rows.next()) {
      Checkpoint one{rows.natural(0), std::string(rows.blob(2))};
      if (record::checkpoint_checksum(salt, one) != rows.natural(1))
        damage("checkpoints", stored.summary.id.text(), "its checksum does not match");
      else if (one.sequence > stored.summary.last_sequence)
        damage("checkpoints", stored.summary.id.text(), "it is later than the run");
      else
        visitor_.checkpoint(stored, one);
    }
    return {};
  }

  Connection& connection_;
  StoreVisitor& visitor_;
  int cursors_ = 0;
};

}  // namespace

Outcome<void> visit_postgres(PostgresOptions options, StoreVisitor& visitor) {
  postgres::Server server = postgres::server_of(options);
  Connection connection(server);
  FERMATA_TRY_VOID(postgres::reach(connection, options.reach_for));
  FERMATA_TRY_VOID(postgres::expect_schema(connection, options.schema));
  FERMATA_TRY_VOID(postgres::refuse_unfinished(connection, options.schema));
  postgres::Reply begun = connection.script(
      "set statement_timeout = 0; set idle_in_transaction_session_timeout = 0; begin isolation "
      "level repeatable read read only");
  if (begun.trouble != postgres::Trouble::none) return connection.failure("verifying", begun);
  PostgresVisit visit(connection, visitor);
  FERMATA_TRY_VOID(visit.definitions());
  FERMATA_TRY_VOID(visit.records());
  FERMATA_TRY_VOID(visit.roots());
  return visit.audit();
}

}  // namespace fermata
