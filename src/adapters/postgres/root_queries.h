#pragma once
#include <functional>
#include <span>

#include "adapters/postgres/connection.h"
#include "adapters/postgres/root_rows.h"
#include "ports/reader.h"

namespace fermata::postgres {

// What is asked of runs, jobs and schedules, over one connection. A record that does not match its
// checksum or its row gives data_damaged.

Outcome<std::vector<StoredRun>> load_runs(Connection& connection, std::span<const RunId> ids,
                                          uint64_t checkpoint_before);
Outcome<StoredRun> find_run(Connection& connection, const RunId& id, uint64_t first_sequence,
                            size_t events_max);
Outcome<std::optional<RunSummary>> run_summary(Connection& connection, const RunId& id);
/// Those before a place, or with the oldest first those after it.
Outcome<RunPage> list_runs(Connection& connection, const RunFilter& filter, size_t limit,
                           uint64_t place, RunOrder order = RunOrder::newest_first);
/// Of one kind, by status; all accounts when it is empty.
Outcome<std::vector<std::pair<int, uint64_t>>> count_roots(Connection& connection, RootKind kind,
                                                           const AccountId& account);
struct PendingRuns {
  Store::PendingPage page;
  std::vector<Error> damages;  ///< open runs that could not be read and are left out
};
Outcome<PendingRuns> pending_runs(Connection& connection, uint64_t after, size_t limit);

Outcome<std::vector<StoredJob>> load_jobs(Connection& connection, std::span<const JobId> ids);
Outcome<JobPage> list_jobs(Connection& connection, const JobFilter& filter, size_t limit,
                           uint64_t before);
Outcome<Store::OpenJobsPage> open_jobs(Connection& connection, uint64_t after, size_t limit);

Outcome<std::vector<StoredSchedule>> load_schedules(Connection& connection,
                                                    std::span<const schedule::Key> keys);
Outcome<SchedulePage> list_schedules(Connection& connection, const ScheduleFilter& filter,
                                     size_t limit, uint64_t before);
Outcome<Store::OpenSchedulesPage> open_schedules(Connection& connection, uint64_t after,
                                                 size_t limit);
/// As Reader::schedule_history.
Outcome<std::vector<HistoryChunk>> newest_history(Connection& connection, const schedule::Key& key,
                                                  uint64_t before, size_t events_max);

// What those are made of.

/// The row of a root.
struct FoundRoot {
  uint64_t number = 0;
  std::string id;
  std::string record;
};
/// Those that are there, in no order.
Outcome<std::vector<FoundRoot>> find_roots(Connection& connection, RootKind kind,
                                           const Column& ids);
/// A page of open ones by number.
Outcome<std::vector<FoundRoot>> open_roots(Connection& connection, RootKind kind, uint64_t after,
                                           size_t limit);
/// Removes roots with their histories, checkpoints and tags, within a transaction of the caller.
Outcome<void> drop_roots(Connection& connection, const Column& numbers);

/// What is wanted of the history of one root: from the chunk that holds a sequence to the last.
struct WantedHistory {
  const FoundRoot* root = nullptr;
  uint64_t first_sequence = 1;
  uint64_t last_sequence = 0;
  bool whole = true;  ///< it must begin at or before `first_sequence`
  std::vector<HistoryChunk>* out = nullptr;
};
Outcome<void> read_histories(Connection& connection, RootKind kind,
                             std::span<const WantedHistory> wanted);

/// A scan of one kind's rows, newest first unless `upwards`, that match conditions on `roots r`.
struct RootScan {
  RootKind kind = RootKind::run;
  bool upwards = false;
  std::string from = "roots r";
  std::string conditions{};
  /// Arguments from $3 on; $1 is where to begin, $2 how many.
  std::function<void(Arguments&)> arguments = [](Arguments&) {};
};
/// Calls `visit` for each until it answers false.
Outcome<void> scan_roots(Connection& connection, const RootScan& scan, size_t limit, uint64_t place,
                         const std::function<Outcome<bool>(const FoundRoot&)>& visit);

}  // namespace fermata::postgres
