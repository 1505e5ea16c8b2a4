#pragma once
#include <atomic>
#include <functional>
#include <mutex>
#include <set>
#include <span>

#include "adapters/sqlite/audit_chain.h"
#include "adapters/sqlite/catalog_queries.h"
#include "adapters/sqlite/checkpointer.h"
#include "adapters/sqlite/run_queries.h"
#include "adapters/sqlite/run_writer.h"

namespace fermata::sqlite {

/// The one connection that writes. Everything that changes the store goes through it, a transaction
/// at a time, under its mutex; each transaction is durable when its call returns.
class Writer {
 public:
  using Report = std::function<void(const Error&)>;

  /// `report` is told why a write failed; it may be empty.
  Writer(std::unique_ptr<Database> database, Checkpointer& checkpointer, Report report);
  Outcome<void> start();

  std::vector<CommitOutcome> commit(const CommitBatch& batch);
  /// After an outcome was unknown, first makes it known.
  Outcome<std::vector<StoredRun>> load(std::span<const RunId> ids, uint64_t checkpoint_before);
  /// Runs `body` and writes the audit line in one transaction; nothing stays when either fails.
  Outcome<void> transact(const AuditLine* line, const std::function<Outcome<void>()>& body);

  /// False after an outcome was unknown, until it is known. Safe from several threads.
  bool settled() const { return !unsettled_; }
  Database& database() { return *database_; }
  /// For the bodies of transactions.
  CatalogQueries& catalog() { return catalog_; }

 private:
  enum class Ended { done, unavailable, unknown };
  bool begin();
  Ended end();
  void roll_back();
  bool settle();
  Outcome<std::set<uint32_t>> unfit_groups(const CommitBatch& batch);
  Outcome<void> write_all(const CommitBatch& batch, std::vector<CommitOutcome>& outcomes);
  void report(std::string_view doing);

  std::mutex mutex_;
  const std::unique_ptr<Database> database_;
  Checkpointer& checkpointer_;
  const Report report_;
  int log_pages_ = 0;                    ///< length of the log after the last commit
  std::atomic<bool> unsettled_ = false;  ///< a COMMIT failed in a way that leaves its outcome open
  Statement begin_{*database_, "BEGIN IMMEDIATE"};
  Statement begin_read_{*database_, "BEGIN"};
  Statement commit_{*database_, "COMMIT"};
  Statement rollback_{*database_, "ROLLBACK"};
  Statement settle_{*database_, "UPDATE settlement SET count = count + 1"};
  RunWriter runs_{*database_};
  AuditChain chain_{*database_};
  RunQueries queries_{*database_};
  CatalogQueries catalog_{*database_};
};

}  // namespace fermata::sqlite
