#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "adapters/sqlite/schema_waits.h"
#include "bench/engine.h"

/// What the machine itself can do, in the same run and on the same disk.
namespace fermata::bench {

namespace {

constexpr size_t row_bytes = 160;      // of a run's summary
constexpr size_t history_bytes = 240;  // of one commit's events

double append_per_second(size_t records, std::vector<double>* latencies) {
  std::filesystem::path file = fresh_directory("limit-append") / "log";
  int fd = open(file.c_str(), O_CREAT | O_WRONLY | O_APPEND, 0600);
  if (fd < 0) std::exit(5);
  std::string record(row_bytes + history_bytes, 'x');
  auto begin = std::chrono::steady_clock::now();
  for (size_t i = 0; i < records; ++i) {
    auto one = std::chrono::steady_clock::now();
    if (write(fd, record.data(), record.size()) < 0 || fdatasync(fd) != 0) std::exit(5);
    if (latencies) latencies->push_back(seconds_since(one) * 1000);
  }
  double rate = static_cast<double>(records) / seconds_since(begin);
  close(fd);
  return rate;
}

void run_sql(sqlite3* db, const char* sql) {
  char* message = nullptr;
  if (sqlite3_exec(db, sql, nullptr, nullptr, &message) == SQLITE_OK) return;
  std::fprintf(stderr, "bench: %s: %s\n", sql, message);
  std::exit(5);
}

/// The rows that a start which parks at a wait writes (a run row with its two indexes, a history
/// row, the row of the wait with its own), without an engine.
double sqlite_per_second(size_t batch, size_t total) {
  std::filesystem::path file = fresh_directory("limit-sqlite") / "limit.db";
  sqlite3* db = nullptr;
  if (sqlite3_open(file.c_str(), &db) != SQLITE_OK) std::exit(5);
  run_sql(db,
          "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA secure_delete=OFF;"
          "PRAGMA cache_size=-131072; PRAGMA wal_autocheckpoint=0;"
          "CREATE TABLE run(number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, account TEXT,"
          " workflow TEXT, status INTEGER, due INTEGER, body BLOB);"
          "CREATE INDEX run_workflow ON run(account, workflow, number);"
          "CREATE TABLE history(number INTEGER PRIMARY KEY, run INTEGER, sequence INTEGER,"
          " body BLOB);");
  run_sql(db, sqlite::waits_schema);
  sqlite3_stmt *run = nullptr, *history = nullptr, *wait = nullptr, *begin_it = nullptr,
               *commit = nullptr;
  sqlite3_prepare_v2(db, "INSERT INTO run VALUES(?,?,'default','bench',1,?,?)", -1, &run, nullptr);
  sqlite3_prepare_v2(db, "INSERT INTO history(run,sequence,body) VALUES(?,1,?)", -1, &history,
                     nullptr);
  sqlite3_prepare_v2(
      db,
      "INSERT INTO workflow_wait_executions(workflow_execution_id,step_id,occurrence,id,account_id,"
      "workflow_id,source,wait_type,wait_config,status,scheduled_at,due_at,on_hold,parked,"
      "reached_at,created_at,updated_at) VALUES(?1,'hold',1,?2,'default','bench','graph',"
      "'until_date','{\"date\":\"2026-11-16T18:00:00.000Z\"}','scheduled',?3,?3,0,1,?4,?4,?4)",
      -1, &wait, nullptr);
  sqlite3_prepare_v2(db, "BEGIN IMMEDIATE", -1, &begin_it, nullptr);
  sqlite3_prepare_v2(db, "COMMIT", -1, &commit, nullptr);
  std::string row(row_bytes, 'r'), events(history_bytes, 'h');
  auto begin = std::chrono::steady_clock::now();
  for (size_t done = 0; done < total; done += batch) {
    sqlite3_step(begin_it);
    sqlite3_reset(begin_it);
    for (size_t i = 0; i < batch; ++i) {
      auto number = static_cast<int64_t>(done + i + 1);
      char id[40];
      std::snprintf(id, sizeof id, "01930000-0000-7000-8000-%012ld", static_cast<long>(number));
      sqlite3_bind_int64(run, 1, number);
      sqlite3_bind_text(run, 2, id, -1, SQLITE_TRANSIENT);
      sqlite3_bind_int64(run, 3, number);
      sqlite3_bind_blob(run, 4, row.data(), static_cast<int>(row.size()), SQLITE_STATIC);
      sqlite3_step(run);
      sqlite3_reset(run);
      sqlite3_bind_int64(history, 1, number);
      sqlite3_bind_blob(history, 2, events.data(), static_cast<int>(events.size()), SQLITE_STATIC);
      sqlite3_step(history);
      sqlite3_reset(history);
      char wait_id[40], due[32];
      std::snprintf(wait_id, sizeof wait_id, "01930000-0000-8000-8000-%012ld",
                    static_cast<long>(number));
      std::snprintf(due, sizeof due, "2026-11-16T18:%02ld:%02ld.%03ldZ",
                    static_cast<long>(number / 60'000 % 60), static_cast<long>(number / 1'000 % 60),
                    static_cast<long>(number % 1'000));
      sqlite3_bind_text(wait, 1, id, -1, SQLITE_TRANSIENT);
      sqlite3_bind_text(wait, 2, wait_id, -1, SQLITE_TRANSIENT);
      sqlite3_bind_text(wait, 3, due, -1, SQLITE_TRANSIENT);
      sqlite3_bind_text(wait, 4, "2026-11-16T17:59:59.000Z", -1, SQLITE_STATIC);
      if (sqlite3_step(wait) != SQLITE_DONE) std::exit(5);
      sqlite3_reset(wait);
    }
    sqlite3_step(commit);
    sqlite3_reset(commit);
  }
  double rate = static_cast<double>(total) / seconds_since(begin);
  for (sqlite3_stmt* statement : {run, history, wait, begin_it, commit})
    sqlite3_finalize(statement);
  sqlite3_close(db);
  return rate;
}

}  // namespace

double straight_sqlite(size_t batch) {
  return sqlite_per_second(batch, batch == 1 ? 2'000 : batch * 200);
}

Limits measure_limits() {
  section("the machine's limit (core: a)");
  Limits limits;
  std::vector<double> latencies;
  for (int round = 0; round < 3; ++round)
    limits.fsync_per_s_1 = std::max(limits.fsync_per_s_1, append_per_second(1'000, &latencies));
  limits.fsync_p50_ms = percentile(latencies, 0.5);
  report("append + fdatasync, 400 bytes each", limits.fsync_per_s_1, "/s");
  report("one fdatasync, p50", limits.fsync_p50_ms, "ms");
  for (size_t i = 0; i < 4; ++i) {
    size_t batch = Limits::batches[i];
    for (int round = 0; round < 2; ++round)
      limits.sqlite_per_s[i] = std::max(limits.sqlite_per_s[i], straight_sqlite(batch));
    report("the same rows straight through SQLite, " + std::to_string(batch) + " a commit",
           limits.sqlite_per_s[i], "rows/s");
  }
  return limits;
}

}  // namespace fermata::bench
