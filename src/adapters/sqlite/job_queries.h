#pragma once
#include <span>

#include "adapters/sqlite/database.h"
#include "adapters/sqlite/records.h"
#include "ports/reader.h"

namespace fermata::sqlite {

/// A job's row as it was found.
struct FoundJob {
  uint64_t number = 0;
  JobRecord record;
};

/// What is asked of jobs, over one connection. A record that does not match its checksum or its row
/// gives data_damaged.
class JobQueries {
 public:
  explicit JobQueries(Database& database) : database_(database) {}

  Outcome<std::optional<FoundJob>> by_id(const JobId& id);
  Outcome<std::optional<FoundJob>> by_number(uint64_t number);
  Outcome<std::vector<HistoryChunk>> history(const FoundJob& job);
  Outcome<StoredJob> find(const JobId& id);
  Outcome<std::vector<StoredJob>> load(std::span<const JobId> ids);
  Outcome<JobPage> list(const JobFilter& filter, size_t limit, uint64_t before);
  Outcome<std::vector<std::pair<job::State, uint64_t>>> counts(const AccountId& account);
  Outcome<Store::OpenJobsPage> open(uint64_t after, size_t limit);

 private:
  Outcome<std::optional<FoundJob>> take(Rows rows);
  Outcome<std::vector<uint64_t>> next_numbers(const JobFilter& filter, uint64_t before,
                                              size_t most);
  bool collect(Rows rows, std::vector<uint64_t>& out);

  Database& database_;
  Statement by_id_{database_, "SELECT number, id, state, record FROM job WHERE id = ?"};
  Statement by_number_{database_, "SELECT number, id, state, record FROM job WHERE number = ?"};
  Statement link_{database_,
                  "SELECT job, prev, first, count, checksum, bytes FROM job_history "
                  "WHERE number = ?"};
  Statement all_{database_, "SELECT number FROM job WHERE number < ? ORDER BY number DESC LIMIT ?"};
  Statement of_account_{database_,
                        "SELECT number FROM job WHERE account = ? AND number < ? "
                        "ORDER BY number DESC LIMIT ?"};
  Statement of_run_{database_,
                    "SELECT number FROM job WHERE run = ? AND run <> '' AND number < ? "
                    "ORDER BY number DESC LIMIT ?"};
  Statement of_state_{database_,
                      "SELECT number FROM job WHERE state = ? AND state <> 7 AND number < ? "
                      "ORDER BY number DESC LIMIT ?"};
  Statement open_after_{database_,
                        "SELECT number FROM job WHERE state = ? AND state <> 7 AND number > ? "
                        "ORDER BY number LIMIT ?"};
  Statement held_after_{database_,
                        "SELECT job FROM held_output WHERE job > ? ORDER BY job LIMIT ?"};
  Statement count_all_{database_, "SELECT state, count(*) FROM job GROUP BY state ORDER BY state"};
  Statement count_one_{database_,
                       "SELECT state, count(*) FROM job WHERE account = ? GROUP BY state "
                       "ORDER BY state"};
};

}  // namespace fermata::sqlite
