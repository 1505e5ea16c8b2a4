#pragma once
#include <span>
#include <string>
#include <vector>

#include "adapters/postgres/arguments.h"
#include "ports/store.h"

namespace fermata::postgres {

/// One part of a batch that has an outcome: one of these.
struct Write {
  const RunWrite* run = nullptr;
  const JobWrite* job = nullptr;
  const ScheduleWrite* schedule = nullptr;
  const DeliveryWrite* delivery = nullptr;
  const ContactWrite* contact = nullptr;
  const SignalWrite* signal = nullptr;
  const std::vector<AuditLine>* audit = nullptr;
  const RollWrite* roll = nullptr;

  uint32_t group() const;
  /// Does not depend on what is stored.
  bool sure() const { return signal || audit || roll; }
  std::span<const AuditLine> lines() const;
};
/// A write is known by its place here, which the statement calls `n`.
using Writes = std::span<const Write>;

/// A batch as one statement (C-12). Its text depends on which tables it touches and on nothing
/// else, so that there are few of them; the rows are arrays.
///
/// What is stored decides by `fit`, what follows is written by `then`:
///   fit   a query that gives `n` of each write whose condition holds, with its rows locked
///   won   (made here) writes that fit, whose whole group fits, while we lead
///   then  a statement that joins `won` by `n`, so that it writes for those alone
class CommitStatement {
 public:
  /// `epoch` is that of our lead, `id` the mark by which the outcome is found out (C-15).
  CommitStatement(Writes writes, uint64_t epoch, std::string_view id);

  /// A new array parameter, as it is written in the text: "$5::text[]".
  std::string array(const Column& column);
  /// A query that others name: `name as materialized (sql)`, in the order of the calls.
  void let(const std::string& name, const std::string& sql);
  /// The same, and its column `n` tells which writes fit.
  void fit(const std::string& name, const std::string& sql);
  /// After all of `let` and `fit`, which it may name, and `won`. `name` is unique in the statement.
  void then(const std::string& name, const std::string& sql);

  /// Answers rows of one column: `n` of those that won; -1 alone when we do not lead.
  std::string text() const;
  const Arguments& arguments() const { return arguments_; }

 private:
  Arguments arguments_;
  std::string want_, mark_, lead_;
  std::string before_, fits_, after_;
};

// Each adds its rows to the statement, or nothing when there are none. Those with a condition:
void add_roots(CommitStatement& statement, Writes writes);       ///< runs, jobs, schedules
void add_deliveries(CommitStatement& statement, Writes writes);  ///< DeliveryWrite
void add_contacts(CommitStatement& statement, Writes writes);    ///< ContactWrite
// What goes with others. `root_rows` (n, number) gives the number of each run, job and schedule.
void add_audit(CommitStatement& statement, Writes writes);
void add_waits(CommitStatement& statement, Writes writes);           ///< of runs, with their tally
void add_approvals(CommitStatement& statement, Writes writes);       ///< of runs
void add_new_deliveries(CommitStatement& statement, Writes writes);  ///< of runs
void add_signals(CommitStatement& statement, Writes writes);  ///< SignalWrite, and what was reached
void add_job_sides(CommitStatement& statement, Writes writes);  ///< blobs, decisions, spent, held
void add_dead_letters(CommitStatement& statement, Writes writes);  ///< of any, and settled ones
void add_outbox(CommitStatement& statement, Writes writes);  ///< of runs, with marks of messages
void add_roll(CommitStatement& statement, Writes writes);    ///< registrations

/// All of them, in order.
CommitStatement statement_of(Writes writes, uint64_t epoch, std::string_view id);

}  // namespace fermata::postgres
