#include <sqlite3.h>

#include <map>

#include "adapters/sqlite/approval_rows.h"
#include "adapters/sqlite/dead_letter_rows.h"
#include "adapters/sqlite/file_layer.h"
#include "adapters/sqlite/job_file_rows.h"
#include "adapters/sqlite/job_queries.h"
#include "adapters/sqlite/looking.h"
#include "adapters/sqlite/registration_rows.h"
#include "adapters/sqlite/run_queries.h"
#include "adapters/sqlite/schedule_queries.h"
#include "adapters/sqlite/schema.h"
#include "adapters/sqlite/sqlite_store.h"

namespace fermata {
namespace {

using sqlite::Database;
using sqlite::FoundRun;
using sqlite::JobQueries;
using sqlite::Rows;
using sqlite::RunQueries;
using sqlite::ScheduleQueries;
using sqlite::Statement;

class Visit {
 public:
  Visit(Database& database, StoreVisitor& visitor) : database_(database), visitor_(visitor) {
    // A store that no server has opened since there are checkpoints has no table for them.
    auto tables = database.number("SELECT count(*) FROM sqlite_schema WHERE name = 'checkpoint'");
    has_checkpoints_ = tables && *tables == 1;
  }

  void structure() {
    Statement check(database_, "PRAGMA integrity_check(100)");
    Rows rows = check.query();
    while (rows.next()) {
      if (rows.text(0) != "ok") damage("the file is damaged: " + std::string(rows.text(0)));
    }
    note_failure(rows);
    if (sqlite::damaged_page(database_.handle()) != 0) name_damaged_pages();
  }

  void runs() {
    Statement numbers(database_, "SELECT number, account, workflow FROM run ORDER BY number");
    Rows rows = numbers.query();
    while (rows.next()) {
      Outcome<std::optional<FoundRun>> found = queries_.by_number(rows.natural(0));
      if (!found) {
        visitor_.damage(found.error());
        all_read_ = false;
        continue;
      }
      if (*found) run(**found, rows);
    }
    note_failure(rows);
    tally();
    tag_total();
    if (!has_checkpoints_) return;
    auto strays = database_.number(
        "SELECT count(*) FROM checkpoint WHERE run NOT IN (SELECT number FROM run)");
    if (!strays) return visitor_.damage(strays.error());
    if (*strays > 0) damage(std::to_string(*strays) + " checkpoints are of no run");
  }

  /// Rows and chains of history; what they mean is the engine's affair.
  void jobs() {
    auto tables = database_.number("SELECT count(*) FROM sqlite_schema WHERE name = 'job'");
    if (!tables || *tables == 0) return;
    JobQueries queries(database_);
    Statement numbers(database_, "SELECT number, account, run FROM job ORDER BY number");
    Rows rows = numbers.query();
    while (rows.next()) {
      auto found = queries.by_number(rows.natural(0));
      if (!found) {
        visitor_.damage(found.error());
        continue;
      }
      if (!*found) continue;
      const job::Summary& summary = (*found)->record.summary;
      if (summary.account.text() != rows.text(1) || summary.run.text() != rows.text(2)) {
        visitor_.damage(
            sqlite::damaged("job", (*found)->number, "its columns do not match its record").value);
      }
      auto history = queries.history(**found);
      if (!history) visitor_.damage(history.error());
    }
    note_failure(rows);
  }

  void schedules() {
    if (!sqlite::schema_has(database_, "schedule")) return;
    ScheduleQueries queries(database_);
    Statement numbers(database_, "SELECT number FROM schedule ORDER BY number");
    Rows rows = numbers.query();
    while (rows.next()) {
      auto found = queries.by_number(rows.natural(0));
      if (!found) {
        visitor_.damage(found.error());
        continue;
      }
      if (!*found) continue;
      auto history = queries.history(**found);
      if (!history) visitor_.damage(history.error());
    }
    note_failure(rows);
  }

  void approvals() {
    if (!sqlite::schema_has(database_, "approval")) return;
    sqlite::ApprovalQueries queries(database_);
    Statement numbers(database_, "SELECT number FROM approval ORDER BY number");
    Rows rows = numbers.query();
    while (rows.next())
      if (auto found = queries.by_number(rows.natural(0)); !found) visitor_.damage(found.error());
    note_failure(rows);
  }

  /// What jobs leave beside their records.
  void job_files() {
    if (!sqlite::schema_has(database_, "dead_letter")) return;
    sqlite::DeadLetterQueries letters(database_);
    Statement numbers(database_, "SELECT number FROM dead_letter ORDER BY number");
    Rows entries = numbers.query();
    while (entries.next())
      if (auto found = letters.by_number(entries.natural(0)); !found)
        visitor_.damage(found.error());
    note_failure(entries);
    sqlite::RegistrationRows registrations(database_);
    auto read = registrations.all([&](const Error& error) { visitor_.damage(error); });
    if (!read) visitor_.damage(read.error());
    blobs();
  }

  void blobs() {
    sqlite::JobFileQueries files(database_);
    Statement kept(database_, "SELECT account, sha256 FROM blob ORDER BY number");
    Rows rows = kept.query();
    while (rows.next()) {
      auto found = files.blob(AccountId(std::string(rows.text(0))), std::string(rows.text(1)));
      if (!found) visitor_.damage(found.error());
    }
    note_failure(rows);
    auto miscounted = database_.number(
        "SELECT count(*) FROM blob b WHERE jobs <> "
        "(SELECT count(*) FROM job_blob r WHERE r.blob = b.number)");
    if (!miscounted) return visitor_.damage(miscounted.error());
    if (*miscounted > 0)
      damage(std::to_string(*miscounted) + " blobs do not count the jobs that refer to them");
  }

  void audit() {
    std::map<std::string, AuditRoot> roots = audit_roots();
    Statement lines(database_,
                    "SELECT number, account, record FROM audit ORDER BY account, number");
    Rows rows = lines.query();
    std::string account;
    std::string hash = audit_hash_start();
    uint64_t sequence = 0;
    while (rows.next()) {
      uint64_t number = rows.natural(0);
      if (rows.text(1) != account) {
        account = rows.text(1);
        auto root = roots.find(account);
        hash = root == roots.end() ? audit_hash_start() : root->second.hash;
        sequence = root == roots.end() ? 0 : root->second.sequence;
      }
      std::optional<AuditEntry> entry = sqlite::decode_audit(rows.blob(2), number);
      if (!entry) {
        visitor_.damage(sqlite::damaged("audit", number, "its checksum does not match").value);
        hash.clear();
        continue;
      }
      // After a line that cannot be read the chain is taken up again at the next one.
      bool follows = hash.empty() || (entry->prev_hash == hash && entry->sequence == sequence + 1);
      if (!follows || entry->line.account.text() != account ||
          entry->hash != audit_hash(entry->prev_hash, entry->sequence, entry->line)) {
        visitor_.damage(sqlite::damaged("audit", number, "the chain is broken here").value);
      }
      hash = entry->hash;
      sequence = entry->sequence;
      visitor_.audit(*entry);
    }
    note_failure(rows);
  }

  void definitions() {
    Statement all(database_, "SELECT number, hash, record FROM definition ORDER BY number");
    Rows rows = all.query();
    while (rows.next()) {
      std::optional<std::string_view> body = sqlite::unseal(rows.blob(2), rows.natural(0));
      if (body) {
        visitor_.definition(DefinitionHash(std::string(rows.text(1))), std::string(*body));
      } else {
        visitor_.damage(
            sqlite::damaged("definition", rows.natural(0), "its checksum does not match").value);
      }
    }
    note_failure(rows);
  }

  /// Workflows, versions, keys, credentials and marks: only their checksums can be checked here.
  void records(const char* table, const char* sql) {
    Statement all(database_, sql);
    Rows rows = all.query();
    while (rows.next()) {
      if (sqlite::unseal(rows.blob(1), rows.natural(0))) continue;
      visitor_.damage(sqlite::damaged(table, rows.natural(0), "its checksum does not match").value);
    }
    note_failure(rows);
  }

 private:
  /// Where chains begin of which old lines were removed.
  std::map<std::string, AuditRoot> audit_roots() {
    std::map<std::string, AuditRoot> roots;
    if (!sqlite::schema_has(database_, "audit_root")) return roots;
    Statement all(database_, "SELECT number, account, record FROM audit_root");
    Rows rows = all.query();
    while (rows.next()) {
      auto root = sqlite::decode_audit_root(rows.blob(2), rows.natural(0));
      if (root) {
        roots[std::string(rows.text(1))] = *std::move(root);
      } else {
        visitor_.damage(
            sqlite::damaged("audit_root", rows.natural(0), "its checksum does not match").value);
      }
    }
    note_failure(rows);
    return roots;
  }

  /// Walks through each table and index alone: a page that fails its checksum is named with them.
  void name_damaged_pages() {
    Statement names(database_, "SELECT type, name FROM sqlite_schema WHERE rootpage > 0");
    Statement walk(database_, "SELECT count(*) FROM dbstat WHERE name = ?");
    Rows rows = names.query();
    while (rows.next()) {
      Rows pages = walk.query(rows.text(1));
      if (pages.next() || !pages.failed()) continue;
      damage("page " + std::to_string(sqlite::damaged_page(database_.handle())) + " of the " +
             std::string(rows.text(0)) + " `" + std::string(rows.text(1)) + "` fails its checksum");
    }
    note_failure(rows);
  }

  void run(const FoundRun& found, const Rows& rows) {
    const RunSummary& summary = found.record.summary;
    if (summary.account.text() != rows.text(1) || summary.workflow.text() != rows.text(2)) {
      visitor_.damage(
          sqlite::damaged("run", found.number, "its columns do not match its record").value);
    }
    ++counted_[{summary.account.text(), summary.status}];
    tags(found);
    Outcome<std::vector<HistoryChunk>> history = queries_.history(found, 1, SIZE_MAX);
    if (!history) return visitor_.damage(history.error());
    StoredRun stored{found.record.version, summary, *std::move(history)};
    visitor_.run(stored);
    checkpoints(found, stored);
  }

  void checkpoints(const FoundRun& found, const StoredRun& stored) {
    if (!has_checkpoints_) return;
    auto kept = queries_.checkpoints(found, UINT64_MAX, SIZE_MAX >> 1);
    if (!kept) return visitor_.damage(kept.error());
    for (const Checkpoint& checkpoint : *kept) {
      std::string place = "the checkpoint of run " + stored.summary.id.text() + " at sequence " +
                          std::to_string(checkpoint.sequence);
      if (checkpoint.bytes.empty()) {
        damage(place + " is damaged: its checksum does not match");
      } else if (checkpoint.sequence > stored.summary.last_sequence) {
        damage(place + " is later than the run");
      } else {
        visitor_.checkpoint(stored, checkpoint);
      }
    }
  }

  void tags(const FoundRun& found) {
    if (!tagged_) return;
    for (const sqlite::Tag& tag : sqlite::tags_of(found.record.summary)) {
      ++tags_counted_;
      Rows rows = tag_.query(found.record.summary.account.text(), static_cast<int64_t>(tag.kind),
                             tag.key, tag.value, found.number);
      if (!rows.next() && !rows.failed())
        visitor_.damage(sqlite::damaged("run", found.number, "one of its tags is missing").value);
      note_failure(rows);
    }
  }

  void tag_total() {
    if (!tagged_ || !all_read_) return;
    Outcome<int64_t> kept = database_.number("SELECT count(*) FROM tag");
    if (!kept) return visitor_.damage(kept.error());
    if (*kept > tags_counted_) damage("there are tags of runs that do not have them");
  }

  void tally() {
    Statement kept(database_, "SELECT account, status, runs FROM tally WHERE runs <> 0");
    std::map<std::pair<std::string, RunStatus>, int64_t> told;
    Rows rows = kept.query();
    while (rows.next()) {
      told[{std::string(rows.text(0)), static_cast<RunStatus>(rows.integer(1))}] = rows.integer(2);
    }
    if (!rows.failed() && told != counted_) damage("the tally of runs does not match the runs");
    note_failure(rows);
  }

  void note_failure(const Rows& rows) {
    if (rows.failed()) visitor_.damage(database_.failure("verifying").value);
  }
  void damage(std::string message) {
    visitor_.damage(Error{ErrorCode::data_damaged, std::move(message), {}});
  }

  Database& database_;
  StoreVisitor& visitor_;
  RunQueries queries_{database_};
  bool has_checkpoints_ = false;
  std::map<std::pair<std::string, RunStatus>, int64_t> counted_;
  const bool tagged_ = sqlite::schema_has(database_, "tag");
  Statement tag_{database_,
                 "SELECT 1 FROM tag WHERE account = ? AND kind = ? AND key = ? AND value = ? AND "
                 "run = ?"};
  int64_t tags_counted_ = 0;
  bool all_read_ = true;
};

}  // namespace

Outcome<void> visit_sqlite(const std::filesystem::path& directory, StoreVisitor& visitor) {
  FERMATA_TRY(database, sqlite::open_to_look(directory));
  FERMATA_TRY_VOID(database->run("BEGIN"));
  Visit visit(*database, visitor);
  visit.structure();
  visit.definitions();
  visit.records("workflow", "SELECT number, record FROM workflow");
  visit.records("version", "SELECT number, record FROM version");
  visit.records("key", "SELECT number, record FROM key");
  visit.records("mark", "SELECT number, record FROM mark");
  if (sqlite::schema_has(*database, "credential"))
    visit.records("credential", "SELECT number, record FROM credential");
  if (sqlite::schema_has(*database, "bulk")) {
    visit.records("bulk", "SELECT number, record FROM bulk");
    visit.records("bulk_selection", "SELECT number, items FROM bulk_selection");
  }
  if (sqlite::schema_has(*database, "view"))
    visit.records("view", "SELECT number, record FROM view");
  visit.runs();
  visit.jobs();
  visit.schedules();
  visit.job_files();
  visit.approvals();
  visit.audit();
  // A page that could not be read may have ended the transaction. It has only read.
  if (sqlite3_get_autocommit(database->handle()) != 0) return {};
  return database->run("COMMIT");
}

}  // namespace fermata
