#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "core/model/summary.h"
#include "ports/approvals.h"
#include "ports/store.h"
#include "ports/wait_tally.h"

namespace fermata {

/// Which runs a list shows; empty fields do not filter. Fields have initialisers so that callers
/// may name only those they use.
struct RunFilter {
  AccountId account{};
  std::vector<RunStatus> statuses{};
  WorkflowId workflow{};
  std::string label_key{};
  std::string label_value{};  ///< with label_key
  std::string contact_id{};
  RunId parent{};
  std::optional<Instant> from{};    ///< started at or after
  std::optional<Instant> to{};      ///< started before
  std::string q{};                  ///< text found in id, workflow id, contact id or error code
  std::vector<SagaStatus> sagas{};  ///< any of these
  bool operator==(const RunFilter&) const = default;
};

/// True when a list with this filter shows the run. `q` is compared without regard to ASCII case.
bool matches(const RunFilter& filter, const RunSummary& run);

/// By when runs were started, as stores number them: the one order that every index of runs has, so
/// that a page costs the same in both directions whatever is filtered.
enum class RunOrder : uint8_t { newest_first, oldest_first };
/// A cursor of a list of runs is one of its order only: the place of the last run shown.
std::string run_cursor(uint64_t number, RunOrder order);
/// The place in a cursor, that before the first run for an empty one; invalid_query for what is
/// none of this order.
Outcome<uint64_t> run_place(const std::string& cursor, RunOrder order);

struct RunPage {
  std::vector<RunSummary> items;  ///< in the order that was asked for
  std::string next_cursor;        ///< empty on the last page
  std::vector<Error> damages{};  ///< runs on the way that could not be read, which may match or not
};

/// Which jobs a list shows; empty fields do not filter.
struct JobFilter {
  AccountId account{};
  std::vector<job::State> states{};
  std::string topic{};  ///< full name, `*` for any characters
  std::string label_key{};
  std::string label_value{};  ///< with label_key
  RunId run{};
  WorkflowId workflow{};
  WorkerId worker{};
  std::string pool{};
  std::string reason_code{};
  std::optional<Instant> from{};  ///< submitted at or after
  std::optional<Instant> to{};    ///< submitted before
  std::string q{};                ///< text found in id, topic, run id or reason code
};
bool matches(const JobFilter& filter, const job::Summary& job);

struct JobPage {
  std::vector<job::Summary> items;  ///< newest first
  std::string next_cursor;          ///< empty on the last page
};

/// Which schedules a list shows; empty fields do not filter. Deleted ones are never shown.
struct ScheduleFilter {
  AccountId account{};
  WorkflowId workflow{};
  std::optional<schedule::Status> status{};
};
bool matches(const ScheduleFilter& filter, const schedule::ScheduleSummary& schedule);

struct SchedulePage {
  std::vector<schedule::ScheduleSummary> items;  ///< newest first
  std::string next_cursor;                       ///< empty on the last page
};
/// Which waits a list shows; empty fields do not filter.
struct WaitFilter {
  AccountId account{};
  std::vector<WaitStatus> statuses{};
  std::string type{};
  WorkflowId workflow{};
  RunId run{};
  std::string contact_id{};
  std::string step{};
  std::string event_type{};
  std::optional<WaitSource> source{};
  std::optional<bool> on_hold{};
  std::optional<Instant> due_from{};  ///< due at or after
  std::optional<Instant> due_to{};    ///< due before
  bool unheld = false;  ///< held by nobody but a switch of the account: what may be overdue (W-86)
  std::string q{};      ///< text found in id, run id, workflow id, step or contact id
};
bool matches(const WaitFilter& filter, const WaitRecord& record);

struct WaitPage {
  std::vector<WaitRecord> items;  ///< by due time, then id
  std::string next_cursor;
  uint64_t total = 0;  ///< of all that match, whatever the page
};
/// Where a page of waits begins: behind what a cursor names, or after so many.
struct WaitStart {
  std::string cursor{};
  size_t offset = 0;
};
/// Waits of one type that fall due within one quarter of an hour: the clocks of all zones agree on
/// where those begin.
struct WaitSlot {
  Instant start;
  std::string type;
  uint64_t waits = 0;
  bool operator==(const WaitSlot&) const = default;
};
constexpr Duration wait_slot_length{900'000};
/// A cursor of a list of waits: the place of the last one shown.
std::string cursor_of(const WaitRecord& record);
struct WaitPlace {
  Instant due;
  std::string id;
  auto operator<=>(const WaitPlace&) const = default;
};
WaitPlace place_of(const WaitRecord& record);
/// Nothing for an empty cursor; fails with invalid_query for what is none.
Outcome<std::optional<WaitPlace>> wait_place(const std::string& cursor);

struct AuditEntry {
  AuditLine line;
  uint64_t sequence = 0;  ///< per account, 1, 2, 3 …
  std::string prev_hash;  ///< of the entry before, hex; 64 zeros at first
  std::string hash;       ///< hex SHA-256 over prev_hash and the canonical line (audit_hash)
};
struct AuditFilter {
  AccountId account{};
  std::string action{};  ///< exact, or a prefix ending in `.`
  std::string subject{};
  std::string actor{};
  std::optional<Instant> from{};
  std::optional<Instant> to{};
};
bool matches(const AuditFilter& filter, const AuditLine& line);

struct AuditPage {
  std::vector<AuditEntry> items;  ///< newest first
  std::string next_cursor;
};
/// What the first entry of an account gives as the hash before it: 64 zeros.
std::string audit_hash_start();
/// The hash that chains an entry to the one before it.
std::string audit_hash(const std::string& prev_hash, uint64_t sequence, const AuditLine& line);

/// Looks without deciding. Safe from several threads; may lag behind the last commit by nothing
/// that was answered.
class Reader {
 public:
  virtual ~Reader() = default;
  /// The summary and the history from `first_sequence` on, at most `events_max` events' worth of
  /// chunks (a chunk is never cut). Version 0 when the run does not exist.
  virtual Outcome<StoredRun> find(const RunId& id, uint64_t first_sequence = 1,
                                  size_t events_max = SIZE_MAX) = 0;
  /// The run with its newest checkpoint and the history since; without one, with all of it. Version
  /// 0 when it does not exist.
  virtual Outcome<StoredRun> latest(const RunId& id) = 0;
  virtual Outcome<std::optional<RunSummary>> summary(const RunId& id) = 0;
  virtual Outcome<RunPage> list(const RunFilter& filter, size_t limit, const std::string& cursor,
                                RunOrder order = RunOrder::newest_first) = 0;
  /// Runs by status for one account (all accounts when empty).
  virtual Outcome<std::vector<std::pair<RunStatus, uint64_t>>> counts(const AccountId& account) = 0;
  /// Version 0 when the job does not exist.
  virtual Outcome<StoredJob> find_job(const JobId& id) = 0;
  virtual Outcome<JobPage> list_jobs(const JobFilter& filter, size_t limit,
                                     const std::string& cursor) = 0;
  /// Jobs by state for one account (all accounts when empty).
  virtual Outcome<std::vector<std::pair<job::State, uint64_t>>> count_jobs(
      const AccountId& account) = 0;
  /// Version 0 when the schedule does not exist.
  virtual Outcome<StoredSchedule> find_schedule(const schedule::Key& key) = 0;
  virtual Outcome<SchedulePage> list_schedules(const ScheduleFilter& filter, size_t limit,
                                               const std::string& cursor) = 0;
  /// What is kept of a schedule's history and begins before a sequence, newest chunk first, until
  /// there are `events_max` events.
  virtual Outcome<std::vector<HistoryChunk>> schedule_history(const schedule::Key& key,
                                                              uint64_t before,
                                                              size_t events_max) = 0;
  virtual Outcome<std::optional<WaitRecord>> find_wait(const std::string& id) = 0;
  /// Every wait of a run at one step, or at any when it is empty, by step and occurrence.
  virtual Outcome<std::vector<WaitRecord>> waits_of(const RunId& run, const std::string& step) = 0;
  virtual Outcome<WaitPage> list_waits(const WaitFilter& filter, size_t limit,
                                       const WaitStart& start) = 0;
  /// How many of the waits fall due when, by time and type; empty slots are left out.
  virtual Outcome<std::vector<WaitSlot>> wait_slots(const WaitFilter& filter) = 0;
  /// What is kept count of, of one account or (when empty) of all, of one workflow or of all.
  virtual Outcome<WaitTally> wait_tally(const AccountId& account, const WorkflowId& workflow,
                                        Instant now) = 0;
  /// Accounts that ever had a wait, by name.
  virtual Outcome<std::vector<AccountId>> wait_accounts() = 0;
  /// Accounts with waits that should have ended by now: one of them, or (when empty) all.
  virtual Outcome<std::vector<OverdueWaits>> overdue_waits(const AccountId& account,
                                                           Instant now) = 0;
  virtual Outcome<std::optional<ApprovalRecord>> find_approval(const std::string& id) = 0;
  virtual Outcome<ApprovalPage> list_approvals(const ApprovalFilter& filter, size_t limit,
                                               const std::string& cursor) = 0;
  virtual Outcome<std::optional<Delivery>> find_delivery(const std::string& id) = 0;
  virtual Outcome<DeliveryPage> list_deliveries(const DeliveryFilter& filter, size_t limit,
                                                const std::string& cursor) = 0;
  virtual Outcome<std::optional<SignalRecord>> find_signal(const SignalKey& key) = 0;
  virtual Outcome<SignalPage> list_signals(const SignalFilter& filter, size_t limit,
                                           const std::string& cursor) = 0;
  virtual Outcome<AuditPage> audit(const AuditFilter& filter, size_t limit,
                                   const std::string& cursor) = 0;
};

}  // namespace fermata
