#pragma once
#include <atomic>
#include <functional>
#include <mutex>
#include <set>
#include <span>

#include "adapters/sqlite/approval_rows.h"
#include "adapters/sqlite/audit_chain.h"
#include "adapters/sqlite/catalog_queries.h"
#include "adapters/sqlite/checkpointer.h"
#include "adapters/sqlite/contact_rows.h"
#include "adapters/sqlite/delivery_rows.h"
#include "adapters/sqlite/job_queries.h"
#include "adapters/sqlite/job_writer.h"
#include "adapters/sqlite/outbox_rows.h"
#include "adapters/sqlite/registration_rows.h"
#include "adapters/sqlite/run_queries.h"
#include "adapters/sqlite/run_writer.h"
#include "adapters/sqlite/schedule_queries.h"
#include "adapters/sqlite/schedule_writer.h"
#include "adapters/sqlite/signal_rows.h"
#include "adapters/sqlite/wait_rows.h"

namespace fermata::sqlite {

/// The one connection that writes. Everything that changes the store goes through it, a transaction
/// at a time, under its mutex; each transaction is durable when its call returns.
class Writer {
 public:
  /// Told why a write failed, when one succeeds again, and of what is damaged, which is no trouble
  /// that goes away. Each may be empty.
  struct Reports {
    std::function<void(const Error&)> failure;
    std::function<void()> recovery;
    std::function<void(const Error&)> damage;
  };

  Writer(std::unique_ptr<Database> database, Checkpointer& checkpointer, Reports reports);
  Outcome<void> start();

  std::vector<CommitOutcome> commit(const CommitBatch& batch);
  /// After an outcome was unknown, first makes it known.
  Outcome<std::vector<StoredRun>> load(std::span<const RunId> ids, uint64_t checkpoint_before);
  Outcome<std::vector<StoredJob>> load_jobs(std::span<const JobId> ids);
  Outcome<std::vector<StoredSchedule>> load_schedules(std::span<const schedule::Key> keys);
  Outcome<std::vector<Delivery>> load_deliveries(std::span<const std::string> ids);
  Outcome<std::vector<std::optional<SignalRecord>>> load_signals(std::span<const SignalKey> keys);
  Outcome<std::vector<Contact>> load_contacts(std::span<const ContactKey> keys);
  /// Runs `body` and writes the audit line in one transaction; nothing stays when either fails.
  Outcome<void> transact(const AuditLine* line, const std::function<Outcome<void>()>& body);

  /// False after an outcome was unknown, until it is known. Safe from several threads.
  bool settled() const { return !unsettled_; }
  /// Why the last `commit` failed, in words for any caller, whatever was written beside it since;
  /// empty after one that did not. Does not wait for a write under way.
  std::string_view trouble() const;

  /// Keeps everybody else from writing as long as it lives.
  std::unique_lock<std::mutex> hold() { return std::unique_lock(mutex_); }
  /// While held: from now on nothing is written any more.
  void close() { closed_ = true; }

  Database& database() { return *database_; }
  // For the bodies of transactions.
  CatalogQueries& catalog() { return catalog_; }
  RunQueries& runs() { return queries_; }
  JobQueries& jobs() { return job_queries_; }
  Outcome<void> append(const AuditLine& line) { return chain_.append(line); }
  OutboxRows& outbox() { return outbox_; }
  bool write_letters(const std::vector<DeadLetterEntry>& entries) {
    return jobs_.write_letters(entries);
  }

 private:
  enum class Ended { done, unavailable, unknown };
  bool begin();
  Ended end();
  void roll_back();
  bool settle();
  /// One of them.
  struct Write {
    const RunWrite* run = nullptr;
    const JobWrite* job = nullptr;
    const ScheduleWrite* schedule = nullptr;
    const DeliveryWrite* delivery = nullptr;
    const RollWrite* roll = nullptr;
    const SignalWrite* signal = nullptr;
    const ContactWrite* contact = nullptr;
    const std::vector<AuditLine>* audit = nullptr;
    uint32_t group() const {
      if (contact) return contact->group;
      if (run) return run->group;
      if (job) return job->group;
      if (schedule) return schedule->group;
      return delivery ? delivery->group : 0;
    }
  };
  using Writes = std::vector<Write>;
  /// What is damaged, or cannot be taken, fails all of them; they may be tried in smaller parts
  /// then.
  struct Together {
    std::vector<CommitOutcome> outcomes;
    bool divisible = false;
  };
  Together commit_together(const Writes& writes);
  /// Whether a group was written in part, which must not stay.
  static bool breaks_group(const Writes& writes, const std::vector<CommitOutcome>& outcomes);
  Outcome<std::vector<CommitOutcome>> write_fitting(const Writes& writes);
  void commit_in_parts(const Writes& all, std::vector<CommitOutcome>& outcomes);
  Outcome<std::set<uint32_t>> unfit_groups(const Writes& writes);
  Outcome<std::vector<CommitOutcome>> write_all(const Writes& writes,
                                                const std::set<uint32_t>& unfit);
  Outcome<void> write_runs(const Writes& writes, const std::set<uint32_t>& unfit,
                           std::vector<CommitOutcome>& outcomes);
  std::optional<CommitOutcome> test(const Write& write);
  std::optional<CommitOutcome> put(const JobWrite& write) { return jobs_.write(write); }
  std::optional<CommitOutcome> put(const ScheduleWrite& write) { return schedules_.write(write); }
  std::optional<CommitOutcome> put(const DeliveryWrite& write);
  std::optional<CommitOutcome> put(const ContactWrite& write) { return contacts_.write(write); }
  /// The jobs, schedules, deliveries and contacts, which are written one by one.
  Outcome<void> write_others(const Writes& writes, const std::set<uint32_t>& unfit,
                             std::vector<CommitOutcome>& outcomes);
  /// Asks with one snapshot, after an unknown outcome is known.
  template <class Ask>
  auto ask(Ask ask) -> decltype(ask());
  void report(std::string_view doing);
  void report(const Error& error);
  Failure<Error> unavailable() const;

  std::mutex mutex_;
  const std::unique_ptr<Database> database_;
  Checkpointer& checkpointer_;
  const Reports reports_;
  int log_pages_ = 0;                    ///< length of the log after the last commit
  bool closed_ = false;                  ///< the store has moved
  std::atomic<bool> unsettled_ = false;  ///< a COMMIT failed in a way that leaves its outcome open
  Statement begin_{*database_, "BEGIN IMMEDIATE"};
  Statement begin_read_{*database_, "BEGIN"};
  Statement commit_{*database_, "COMMIT"};
  Statement rollback_{*database_, "ROLLBACK"};
  Statement settle_{*database_, "UPDATE settlement SET count = count + 1"};
  RunWriter runs_{*database_};
  JobWriter jobs_{*database_};
  ScheduleWriter schedules_{*database_};
  WaitWriter waits_{*database_};
  ApprovalWriter approvals_{*database_};
  DeliveryWriter deliveries_{*database_};
  SignalWriter signals_{*database_};
  ContactWriter contacts_{*database_};
  RegistrationRows registrations_{*database_};
  OutboxRows outbox_{*database_};
  AuditChain chain_{*database_};
  RunQueries queries_{*database_};
  JobQueries job_queries_{*database_};
  ScheduleQueries schedule_queries_{*database_};
  SignalQueries signal_queries_{*database_};
  ContactQueries contact_queries_{*database_};
  CatalogQueries catalog_{*database_};
  DeliveryQueries delivery_queries_{*database_};

  // Causes are literals.
  std::string_view trouble_;       ///< of the last write; empty after one that succeeded
  std::string_view last_failure_;  ///< since the last `commit` began
  mutable std::mutex commit_trouble_mutex_;
  std::string_view commit_trouble_;
};

}  // namespace fermata::sqlite
