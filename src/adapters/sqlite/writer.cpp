#include "adapters/sqlite/writer.h"

#include <algorithm>

namespace fermata::sqlite {

Writer::Writer(std::unique_ptr<Database> database, Checkpointer& checkpointer, Reports reports)
    : database_(std::move(database)), checkpointer_(checkpointer), reports_(std::move(reports)) {
  auto remember = [](void* self, sqlite3*, const char*, int pages) {
    static_cast<Writer*>(self)->log_pages_ = pages;
    return SQLITE_OK;
  };
  sqlite3_wal_hook(database_->handle(), remember, this);
}

Outcome<void> Writer::start() {
  FERMATA_TRY_VOID(runs_.start());
  return chain_.start();
}

std::vector<CommitOutcome> Writer::commit(const CommitBatch& batch) {
  std::vector<CommitOutcome> outcomes(batch.runs.size(), CommitOutcome::unavailable);
  if (batch.runs.empty()) return outcomes;
  std::lock_guard lock(mutex_);
  if (!begin()) return outcomes;
  if (Outcome<void> written = write_all(batch, outcomes); !written) {
    report(written.error());
    roll_back();
    std::fill(outcomes.begin(), outcomes.end(), CommitOutcome::unavailable);
    return outcomes;
  }
  if (std::find(outcomes.begin(), outcomes.end(), CommitOutcome::done) == outcomes.end()) {
    roll_back();
    return outcomes;
  }
  Ended ended = end();
  if (ended != Ended::done) {
    auto instead = ended == Ended::unknown ? CommitOutcome::unknown : CommitOutcome::unavailable;
    std::replace(outcomes.begin(), outcomes.end(), CommitOutcome::done, instead);
  }
  return outcomes;
}

/// Groups of which not every write would take effect. Most groups have one member, which its own
/// write finds out about.
Outcome<std::set<uint32_t>> Writer::unfit_groups(const CommitBatch& batch) {
  std::set<uint32_t> seen, shared, unfit;
  for (const RunWrite& run : batch.runs)
    if (run.group != 0 && !seen.insert(run.group).second) shared.insert(run.group);
  if (shared.empty()) return unfit;
  for (const RunWrite& run : batch.runs) {
    if (!shared.contains(run.group)) continue;
    std::optional<CommitOutcome> outcome = runs_.test(run);
    if (!outcome) return database_->failure("reading a run");
    if (*outcome != CommitOutcome::done) unfit.insert(run.group);
  }
  return unfit;
}

Outcome<void> Writer::write_all(const CommitBatch& batch, std::vector<CommitOutcome>& outcomes) {
  FERMATA_TRY(unfit, unfit_groups(batch));
  std::vector<RunWriter::Task> tasks;
  tasks.reserve(batch.runs.size());
  for (size_t i = 0; i < batch.runs.size(); ++i) {
    outcomes[i] = CommitOutcome::conflict;
    if (!unfit.contains(batch.runs[i].group)) tasks.push_back({&batch.runs[i], &outcomes[i]});
  }
  if (!runs_.write(tasks)) return database_->failure("writing runs");
  bool any = false;
  for (size_t i = 0; i < batch.runs.size(); ++i) {
    if (outcomes[i] != CommitOutcome::done) continue;
    any = true;
    for (const AuditLine& line : batch.runs[i].audit) FERMATA_TRY_VOID(chain_.append(line));
  }
  if (!any) return {};
  if (!runs_.write_tally()) return database_->failure("writing the tally of runs");
  return {};
}

Outcome<std::vector<StoredRun>> Writer::load(std::span<const RunId> ids,
                                             uint64_t checkpoint_before) {
  std::lock_guard lock(mutex_);
  if (unsettled_ && !settle()) {
    return fail(ErrorCode::store_unavailable,
                "a commit failed and the store cannot be written to find out whether it holds");
  }
  // One snapshot for all of them is cheaper than one for each statement.
  if (!begin_read_.execute()) return database_->failure("beginning to read");
  Outcome<std::vector<StoredRun>> found = queries_.load(ids, checkpoint_before);
  if (!commit_.execute()) roll_back();
  return found;
}

Outcome<void> Writer::transact(const AuditLine* line, const std::function<Outcome<void>()>& body) {
  std::lock_guard lock(mutex_);
  if (!begin()) return unavailable();
  Outcome<void> made = body();
  if (made && line != nullptr) made = chain_.append(*line);
  if (!made) {
    // The disk may be full already while a large value is written; a refusal is the caller's.
    bool failed = made.error().code == ErrorCode::io_failed;
    if (failed) report(made.error());
    roll_back();
    return failed ? unavailable() : made;
  }
  switch (end()) {
    case Ended::done:
      return {};
    case Ended::unavailable:
      return unavailable();
    case Ended::unknown:
      break;
  }
  return fail(ErrorCode::outcome_unknown, "the store failed while it made the write durable");
}

bool Writer::begin() {
  if (checkpointer_.take_rest()) passive_checkpoint(*database_);
  if (begin_.execute()) return true;
  report("beginning a transaction");
  return false;
}

Writer::Ended Writer::end() {
  if (commit_.execute()) {
    unsettled_ = false;
    if (set_trouble({}) && reports_.recovery) reports_.recovery();
    chain_.keep();
    checkpointer_.log_grew(log_pages_);
    return Ended::done;
  }
  // A full disk is met while the log is written, before the frame that would commit it is whole.
  // After any other failure the log may hold all of the transaction: SQLite has forgotten it, but a
  // crash before the next commit would bring it back.
  int result = sqlite3_errcode(database_->handle());
  bool surely_not = result == SQLITE_FULL || result == SQLITE_BUSY;
  report("committing");
  roll_back();
  if (surely_not) return Ended::unavailable;
  unsettled_ = true;
  return Ended::unknown;
}

void Writer::roll_back() {
  // SQLite may have rolled back by itself.
  if (database_->in_transaction() && !rollback_.execute()) report("rolling back");
  runs_.drop();
  chain_.drop();
}

/// Writes over the frames of a transaction whose outcome is unknown: after this it surely does not
/// hold, also after a crash.
bool Writer::settle() {
  if (!begin()) return false;
  if (!settle_.execute()) {
    report("settling an unknown outcome");
    roll_back();
    return false;
  }
  return end() == Ended::done;
}

Failure<Error> Writer::unavailable() const {
  return fail(ErrorCode::store_unavailable,
              "the store could not be written: " + std::string(trouble()));
}

std::string_view Writer::trouble() const {
  std::lock_guard lock(trouble_mutex_);
  return trouble_;
}

bool Writer::set_trouble(std::string_view cause) {
  std::lock_guard lock(trouble_mutex_);
  return std::exchange(trouble_, cause) != cause;
}

void Writer::report(std::string_view doing) { report(database_->failure(doing).value); }

/// Right after the call that failed: SQLite still knows why.
void Writer::report(const Error& error) {
  set_trouble(error.code == ErrorCode::data_damaged
                  ? "stored data is damaged"
                  : cause_of(sqlite3_extended_errcode(database_->handle())));
  if (reports_.failure) reports_.failure(error);
}

}  // namespace fermata::sqlite
