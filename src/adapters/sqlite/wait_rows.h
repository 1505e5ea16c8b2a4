#pragma once
#include <functional>
#include <span>

#include "adapters/sqlite/database.h"
#include "adapters/sqlite/wait_tally_rows.h"
#include "core/model/signal.h"
#include "ports/reader.h"

namespace fermata::sqlite {

/// Writes waits within a transaction of the caller: what the commit of their run changed.
class WaitWriter {
 public:
  explicit WaitWriter(Database& database);
  /// In this order; false on failure.
  bool write(std::span<const WaitRecord* const> records);
  bool forget(const RunId& run) { return forget_.execute(run.text()); }

 private:
  static constexpr size_t rows_at_once = 8;
  struct Made;
  static void bind(Statement& put, size_t row, const WaitRecord& record, const Made& made);
  bool count(std::span<const WaitRecord* const> records);

  Database& database_;
  std::string put_sql_, put_many_sql_, before_sql_;
  Statement put_{database_, put_sql_.c_str()}, put_many_{database_, put_many_sql_.c_str()};
  Statement before_;
  WaitTallyWriter tally_{database_};
  Statement forget_{database_,
                    "DELETE FROM workflow_wait_executions WHERE workflow_execution_id = ?"};
};

/// What is asked of waits, over one connection.
class WaitQueries {
 public:
  explicit WaitQueries(Database& database);
  Outcome<std::optional<WaitRecord>> find(const std::string& id);
  Outcome<std::vector<WaitRecord>> of_run(const RunId& run, const std::string& step);
  Outcome<WaitPage> list(const WaitFilter& filter, size_t limit, const WaitStart& start);
  Outcome<std::vector<WaitSlot>> slots(const WaitFilter& filter);
  /// Those that fall due from now on for so long and are not held.
  Outcome<uint64_t> due_within(const AccountId& account, const WorkflowId& workflow, Instant now,
                               Duration length);
  Outcome<std::vector<WaitRecord>> limited(size_t after, size_t limit);
  Outcome<std::vector<RunId>> of_other_zones(const std::string& version, const RunId& after,
                                             size_t limit);
  /// Every wait there is; one that cannot be read is passed over.
  Outcome<void> each(const std::function<void(const WaitRecord&)>& visit);
  Outcome<std::vector<WaitRecord>> listening(size_t after, size_t limit);
  Outcome<std::vector<WaitRecord>> heard(const Signal& signal, Instant since, size_t limit);
  /// The statement that a list is read with, and what is bound to it.
  struct Question {
    std::string where;
    std::vector<std::string> values;
  };
  static Question question(const WaitFilter& filter);

 private:
  Outcome<std::vector<WaitRecord>> collect(Rows rows);
  Outcome<std::vector<WaitSlot>> counted_slots(const WaitFilter& filter);

  Database& database_;
  WaitTallyQueries tally_{database_};
  Statement heard_of_contact_, heard_of_run_;  ///< asked for every signal
};

}  // namespace fermata::sqlite
