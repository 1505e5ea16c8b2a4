#pragma once
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/error.h"
#include "core/fleet/worker.h"
#include "core/job/summary.h"
#include "core/model/approval.h"
#include "core/model/summary.h"
#include "core/model/wait.h"
#include "core/schedule/schedule.h"
#include "ports/contacts.h"
#include "ports/dead_letters.h"
#include "ports/deliveries.h"
#include "ports/outbox.h"
#include "ports/signals.h"
#include "ports/wait_store.h"

namespace fermata {

/// The state of a run after one of its events (core/run/checkpoint.h), kept so that a long history
/// need not be folded from its beginning. It can always be made again from the history, which stays
/// whole.
struct Checkpoint {
  uint64_t sequence = 0;
  std::string bytes;
  bool operator==(const Checkpoint&) const = default;
};

/// A run as the store holds it: its summary, and the history whose fold is its state.
struct StoredRun {
  uint64_t version = 0;
  RunSummary summary;
  /// Without gaps, from sequence 1; with a checkpoint, what follows it.
  std::vector<HistoryChunk> history;
  std::optional<Checkpoint> checkpoint{};
  uint32_t checkpoints_damaged = 0;  ///< newer ones that the store could not read
};

/// One run's part of a commit. Takes effect iff the stored version is `expected_version`
/// (0: the run does not exist yet); the version is then one more.
struct RunWrite {
  uint64_t expected_version = 0;
  RunSummary summary;
  HistoryChunk events;
  std::vector<AuditLine> audit{};  ///< written with the run, or not at all
  /// Writes of one group, other than 0, take effect together or not at all: when one of them
  /// cannot, the others are answered `conflict` too.
  uint32_t group = 0;
  /// Of the state after `events`. Those before the newest `checkpoints_kept` are let go.
  std::optional<Checkpoint> checkpoint{};
  uint32_t checkpoints_kept = 2;
  /// Waits that `events` changed, each once, as they are after them (W-90).
  std::vector<WaitRecord> waits{};
  std::vector<ApprovalRecord> approvals{};  ///< the same of approvals
  /// What others are to be told of ends among `events` (W-72); written once.
  std::vector<Delivery> deliveries{};
  /// What signals have done to the run by `events` (W-50); one that is there already stays.
  std::vector<SignalReached> reached{};
  std::vector<DeadLetterEntry> dead_letters{};  ///< opened by this commit
  std::vector<OutboxRow> outbox{};              ///< what other programs are to be told of `events`
  std::vector<MessageMark> marks{};             ///< of messages that `events` came of
};

/// A job as the store holds it, with all of its history: that of a job stays short.
struct StoredJob {
  uint64_t version = 0;
  job::Summary summary;
  std::vector<HistoryChunk> history{};
};

/// What attempts that ended by a commit have cost, on a day of UTC counted from 1970 (J-57).
struct DaySpent {
  int64_t day = 0;
  job::Usage usage{};
};
struct AccountSpent {
  AccountId account;
  job::Usage usage{};
};

/// One job's part of a commit, with the meaning of a run's. Groups hold runs and jobs alike.
struct JobWrite {
  uint64_t expected_version = 0;
  job::Summary summary;
  HistoryChunk events;
  std::vector<AuditLine> audit{};
  uint32_t group = 0;
  std::vector<DeadLetterEntry> dead_letters{};  ///< opened by this commit
  /// That the job refers to from now on, until it is removed. One without text is there already.
  std::vector<job::KeepBlob> blobs{};
  std::vector<job::PolicyDecision> decisions{};  ///< lines of the decision log (J-25)
  std::optional<DaySpent> spent{};               ///< added to the sum of the account
  /// The output that is held from now on, in place of an earlier one (J-46).
  std::optional<std::string> held{};
  /// It goes, and so do these unless another job refers to them. Neither leaves bytes behind.
  bool drop_held = false;
  std::vector<std::string> dropped_blobs{};
  std::optional<job::SettleLetter> settled_letter{};  ///< what becomes of its open dead letter
};

/// Registrations of workers as they are now, for a start to come (J-67).
struct RollWrite {
  std::vector<fleet::RegistrationRecord> written{};  ///< in place of what was kept of each
  std::vector<RegistrationId> forgotten{};
  bool empty() const { return written.empty() && forgotten.empty(); }
};

/// A schedule as the store holds it. It may fire for years: it is opened from its newest state, and
/// the beginning of its history may be gone.
struct StoredSchedule {
  uint64_t version = 0;
  schedule::ScheduleSummary summary;
  std::optional<Checkpoint> checkpoint{};  ///< core/schedule/snapshot.h
  std::vector<HistoryChunk> history{};     ///< what follows the checkpoint, else all of it
};

/// One schedule's part of a commit, with the meaning of a run's.
struct ScheduleWrite {
  uint64_t expected_version = 0;
  schedule::ScheduleSummary summary;
  HistoryChunk events;
  std::vector<AuditLine> audit{};
  uint32_t group = 0;
  std::optional<Checkpoint> checkpoint{};  ///< of the state after `events`
  uint64_t history_from = 1;  ///< chunks that end before this sequence are let go with a checkpoint
};

struct CommitBatch {
  std::vector<RunWrite> runs;               ///< each run at most once
  std::vector<JobWrite> jobs{};             ///< each job at most once
  std::vector<ScheduleWrite> schedules{};   ///< each schedule at most once
  std::vector<DeliveryWrite> deliveries{};  ///< each delivery at most once
  std::vector<ContactWrite> contacts{};     ///< each contact at most once
  RollWrite roll{};
  /// Each at most once. None depends on what was there before; a crash that leaves only part of the
  /// batch leaves these rather than what follows from them.
  std::vector<SignalWrite> signals{};
  std::vector<AuditLine> audit{};  ///< that belongs to nothing else in it
  bool empty() const { return size() == 0; }
  /// How many outcomes it has: per run, job, schedule, delivery, contact and signal, then one for
  /// all of `audit` and one for a roll, if they are not empty.
  size_t size() const {
    return runs.size() + jobs.size() + schedules.size() + deliveries.size() + signals.size() +
           contacts.size() + (audit.empty() ? 0 : 1) + (roll.empty() ? 0 : 1);
  }
};

enum class CommitOutcome : uint8_t {
  done,         ///< durable
  conflict,     ///< the version was another; nothing of this run was written
  unavailable,  ///< surely not written; may succeed later
  unknown,      ///< written or not: load again to see
  refused,      ///< surely not written: the store is there and does not take this
};

/// What became of a batch that was submitted.
struct CommitAnswer {
  CommitBatch batch;
  std::vector<CommitOutcome> outcomes;  ///< in the order of CommitBatch::size
  int64_t took_us = 0;                  ///< where the store has measured it
};

/// Holds the truth. Used by one partition thread; `load` and `commit` may block on the disk.
class Store : public SignalStore, public WaitStore {
 public:
  /// One entry per id, in order; version 0 for a run that does not exist. Each with its newest
  /// checkpoint of a sequence before `checkpoint_before` and the history since; without one, with
  /// the whole history. A run whose commit is under way is not asked for.
  virtual Outcome<std::vector<StoredRun>> load(std::span<const RunId> ids,
                                               uint64_t checkpoint_before = UINT64_MAX) = 0;
  /// The same of jobs; version 0 for one that does not exist.
  virtual Outcome<std::vector<StoredJob>> load_jobs(std::span<const JobId> ids) = 0;
  /// The same of schedules; version 0 for one that does not exist.
  virtual Outcome<std::vector<StoredSchedule>> load_schedules(
      std::span<const schedule::Key> keys) = 0;
  /// One outcome for each part of the batch, in the order of CommitBatch::size. All writes that are
  /// `done` are durable on return, made by as few synchronisations with the disk as the store can.
  virtual std::vector<CommitOutcome> commit(const CommitBatch& batch) = 0;
  /// Why the last commit was `unavailable`, in words that may be told to any caller ("the disk is
  /// full"); empty when there is nothing to say.
  virtual std::string trouble() const { return {}; }

  /// The same without waiting: begins a commit, whose answer `harvest` gives once when it is there.
  /// One batch at a time: the next is submitted after the answer to this one. A store that has
  /// nothing to gain by it is done when `submit` returns, as this one is.
  virtual void submit(CommitBatch batch) {
    std::vector<CommitOutcome> outcomes = commit(batch);
    answer_ = CommitAnswer{std::move(batch), std::move(outcomes)};
  }
  virtual std::optional<CommitAnswer> harvest() { return std::exchange(answer_, std::nullopt); }
  /// Has `ring` called, from any thread, when an answer came after `submit` had returned. It must
  /// not block. Once replaced it is not called any more.
  virtual void on_answer(std::function<void()> /*ring*/) {}

  /// What recovery needs: every live run that has a due time or calls under way. `after` pages on
  /// (0 at first; then the last page's `cursor`).
  struct Pending {
    RunId id;
    std::optional<Instant> next_due;
    uint32_t calls_pending = 0;
    AccountId account{};
  };
  struct PendingPage {
    std::vector<Pending> runs;
    uint64_t cursor = 0;
    bool more = false;
  };
  virtual Outcome<PendingPage> pending(uint64_t after, size_t limit) = 0;
  /// Live runs of the account with that label, newest first, `limit` at most.
  virtual Outcome<std::vector<RunId>> live_runs_with(const AccountId& account,
                                                     const std::string& label_key,
                                                     const std::string& label_value,
                                                     size_t limit) = 0;
  /// Every job that has not ended, or wants to be looked at all the same because its output is
  /// held: what the queue, the leases and the alarm are rebuilt from.
  struct OpenJobsPage {
    std::vector<job::Summary> jobs;
    uint64_t cursor = 0;
    bool more = false;
  };
  virtual Outcome<OpenJobsPage> open_jobs(uint64_t after, size_t limit) = 0;
  /// Every schedule that expects an occurrence.
  struct OpenSchedulesPage {
    std::vector<schedule::ScheduleSummary> schedules;
    uint64_t cursor = 0;
    bool more = false;
  };
  virtual Outcome<OpenSchedulesPage> open_schedules(uint64_t after, size_t limit) = 0;
  /// Deliveries that are still to be sent, by when they were written.
  virtual Outcome<PendingDeliveryPage> pending_deliveries(uint64_t after, size_t limit) = 0;
  /// Those that are there, in any order.
  virtual Outcome<std::vector<Delivery>> load_deliveries(std::span<const std::string> ids) = 0;
  /// Decisions that count in a window of a velocity rule, made since, oldest first (J-20). `after`
  /// pages on.
  struct PassedPage {
    std::vector<job::PolicyDecision> decisions;
    uint64_t cursor = 0;
    bool more = false;
  };
  virtual Outcome<PassedPage> passed(Instant since, uint64_t after, size_t limit) = 0;
  /// What accounts have spent on a day: the sums of what was written with jobs.
  virtual Outcome<std::vector<AccountSpent>> spent_on(int64_t day) = 0;
  /// Registrations of workers as last written. One that cannot be read is left out.
  virtual Outcome<std::vector<fleet::RegistrationRecord>> registrations() = 0;

 private:
  std::optional<CommitAnswer> answer_;
};

}  // namespace fermata
