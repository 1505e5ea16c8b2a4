#pragma once
#include <deque>
#include <map>
#include <memory>

#include "adapters/sqlite/read_pool.h"
#include "ports/transfer.h"

namespace fermata::sqlite {

/// Where the things of a kind lie: by which columns one is known, and what else is read of it.
struct ThingTable {
  transfer::Kind kind;
  const char* table;
  const char* number;  ///< its place in order, or "0"
  std::vector<const char*> keys;
  const char* more;   ///< further columns, or empty
  const char* order;  ///< by which all are read
};
/// One per kind, in their order.
const std::vector<ThingTable>& thing_tables();

/// Reads things over one connection, in the words of ports/transfer.h. What is damaged fails it.
class ThingReader {
 public:
  explicit ThingReader(Database& database) : database_(database) {}
  Outcome<void> all(const transfer::Take& take);
  Outcome<void> some(std::span<const transfer::Key> keys, const transfer::Take& take);

 private:
  Statement& statement(const ThingTable& table, bool by_key);
  Outcome<void> give(const ThingTable& table, Rows& rows, const transfer::Take& take);
  Outcome<transfer::Thing> thing(const ThingTable& table, const Rows& rows);
  Outcome<transfer::Thing> record(const ThingTable& table, const Rows& rows, int more);
  Outcome<transfer::Thing> policy(const ThingTable& table, const Rows& rows, int more);
  Outcome<transfer::Thing> plain(const ThingTable& table, const Rows& rows);
  Outcome<transfer::Thing> run(uint64_t number);
  Outcome<transfer::Thing> job(uint64_t number);
  Outcome<transfer::Thing> schedule(uint64_t number);
  Outcome<transfer::Thing> workflow(uint64_t number, std::string_view bytes);
  Outcome<transfer::Thing> bulk(const std::string& id);
  Outcome<transfer::Thing> blob(const Rows& rows);

  Database& database_;
  RunQueries runs_{database_};
  JobQueries jobs_{database_};
  ScheduleQueries schedules_{database_};
  WaitQueries waits_{database_};
  SignalQueries signals_{database_};
  BulkQueries bulks_{database_};
  JobFileQueries files_{database_};
  HeldQueries held_{database_};
  Statement blobs_{database_,
                   "SELECT b.sha256 FROM job_blob r JOIN blob b ON b.number = r.blob "
                   "WHERE r.job = ? ORDER BY b.sha256"};
  Statement log_{database_,
                 "SELECT number, attempt, size, record FROM job_log WHERE job = ? ORDER BY number"};
  Statement deleted_{database_, "SELECT since FROM schedule_deleted WHERE schedule = ?"};
  Statement versions_{database_,
                      "SELECT number, record FROM version WHERE workflow = ? ORDER BY version"};
  std::deque<std::string> texts_;  ///< of the statements, which borrow them
  std::map<std::pair<transfer::Kind, bool>, std::unique_ptr<Statement>> statements_;
};

}  // namespace fermata::sqlite
