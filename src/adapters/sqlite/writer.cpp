#include "adapters/sqlite/writer.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace fermata::sqlite {
namespace {

constexpr std::string_view damage_words = "stored data is damaged";
constexpr std::string_view moved_words = "the store has moved to another place";

/// True when the same would fail again however well the disk is.
bool refuses(int result) {
  int primary = result & 0xff;
  return primary == SQLITE_CONSTRAINT || primary == SQLITE_TOOBIG || primary == SQLITE_MISMATCH;
}

}  // namespace

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
  FERMATA_TRY_VOID(jobs_.start());
  FERMATA_TRY_VOID(schedules_.start());
  FERMATA_TRY_VOID(deliveries_.start());
  FERMATA_TRY_VOID(outbox_.start());
  return chain_.start();
}

std::vector<CommitOutcome> Writer::commit(const CommitBatch& batch) {
  if (batch.empty()) return {};
  Writes all;
  all.reserve(batch.size());
  for (const RunWrite& run : batch.runs) all.push_back({.run = &run});
  for (const JobWrite& job : batch.jobs) all.push_back({.job = &job});
  for (const ScheduleWrite& one : batch.schedules) all.push_back({.schedule = &one});
  for (const DeliveryWrite& one : batch.deliveries) all.push_back({.delivery = &one});
  for (const ContactWrite& one : batch.contacts) all.push_back({.contact = &one});
  for (const SignalWrite& signal : batch.signals) all.push_back({.signal = &signal});
  if (!batch.audit.empty()) all.push_back({.audit = &batch.audit});
  if (!batch.roll.empty()) all.push_back({.roll = &batch.roll});
  std::lock_guard lock(mutex_);
  last_failure_ = {};
  Together together = commit_together(all);
  if (together.divisible) commit_in_parts(all, together.outcomes);
  std::lock_guard trouble_lock(commit_trouble_mutex_);
  commit_trouble_ = last_failure_;
  return std::move(together.outcomes);
}

/// After all together failed because one of them meets what is damaged or cannot be taken: the
/// others must not suffer for it. Halves are tried until it stands alone. Members of a group still
/// stand or fall together.
void Writer::commit_in_parts(const Writes& all, std::vector<CommitOutcome>& outcomes) {
  std::map<std::pair<uint32_t, size_t>, std::vector<size_t>> groups;
  for (size_t i = 0; i < all.size(); ++i)
    groups[{all[i].group(), all[i].group() == 0 ? i : 0}].push_back(i);
  std::vector<std::vector<size_t>> parts;
  for (auto& [key, members] : groups) parts.push_back(std::move(members));
  struct Range {
    size_t from, to;
  };
  auto halves = [](Range range) {
    size_t middle = (range.from + range.to) / 2;
    return std::array{Range{range.from, middle}, Range{middle, range.to}};
  };
  std::vector<Range> left;
  if (parts.size() > 1)
    for (Range half : halves({0, parts.size()})) left.push_back(half);
  while (!left.empty()) {
    Range range = left.back();
    left.pop_back();
    std::vector<size_t> places;
    for (size_t i = range.from; i < range.to; ++i)
      places.insert(places.end(), parts[i].begin(), parts[i].end());
    Writes writes;
    for (size_t place : places) writes.push_back(all[place]);
    Together together = commit_together(writes);
    if (together.divisible && range.to - range.from > 1) {
      for (Range half : halves(range)) left.push_back(half);
      continue;
    }
    for (size_t i = 0; i < places.size(); ++i) outcomes[places[i]] = together.outcomes[i];
  }
}

Writer::Together Writer::commit_together(const Writes& writes) {
  std::vector<CommitOutcome> none(writes.size(), CommitOutcome::unavailable);
  if (!begin()) return {std::move(none)};
  // Nearly always all of them fit; finding that out beforehand would read every row twice.
  Outcome<std::vector<CommitOutcome>> written = write_all(writes, {});
  if (written && breaks_group(writes, *written)) {
    roll_back();
    if (!begin()) return {std::move(none)};
    written = write_fitting(writes);
  }
  if (!written) {
    bool refused = refuses(sqlite3_errcode(database_->handle()));
    bool damaged = written.error().code == ErrorCode::data_damaged;
    if (refused) {
      // The store is well: what is wrong is in the write.
      last_failure_ = cause_of(sqlite3_extended_errcode(database_->handle()));
      std::fill(none.begin(), none.end(), CommitOutcome::refused);
    } else {
      report(written.error());
    }
    roll_back();
    return {std::move(none), damaged || refused};
  }
  std::vector<CommitOutcome> outcomes = *std::move(written);
  if (std::find(outcomes.begin(), outcomes.end(), CommitOutcome::done) == outcomes.end()) {
    roll_back();
    return {std::move(outcomes)};
  }
  Ended ended = end();
  if (ended != Ended::done) {
    auto instead = ended == Ended::unknown ? CommitOutcome::unknown : CommitOutcome::unavailable;
    std::replace(outcomes.begin(), outcomes.end(), CommitOutcome::done, instead);
  }
  return {std::move(outcomes)};
}

bool Writer::breaks_group(const Writes& writes, const std::vector<CommitOutcome>& outcomes) {
  for (size_t i = 0; i < writes.size(); ++i)
    if (writes[i].group() != 0 && outcomes[i] != CommitOutcome::done) return true;
  return false;
}

Outcome<std::vector<CommitOutcome>> Writer::write_fitting(const Writes& writes) {
  FERMATA_TRY(unfit, unfit_groups(writes));
  return write_all(writes, unfit);
}

/// Groups of which not every write would take effect. Most groups have one member, which its own
/// write finds out about.
Outcome<std::set<uint32_t>> Writer::unfit_groups(const Writes& writes) {
  std::set<uint32_t> seen, shared, unfit;
  for (const Write& write : writes)
    if (write.group() != 0 && !seen.insert(write.group()).second) shared.insert(write.group());
  if (shared.empty()) return unfit;
  for (const Write& write : writes) {
    if (!shared.contains(write.group())) continue;
    std::optional<CommitOutcome> outcome = test(write);
    if (!outcome) return database_->failure("reading what is to be written");
    if (*outcome != CommitOutcome::done) unfit.insert(write.group());
  }
  return unfit;
}

std::optional<CommitOutcome> Writer::test(const Write& write) {
  if (write.run) return runs_.test(*write.run);
  if (write.contact) return contacts_.test(*write.contact);
  if (write.job) return jobs_.test(*write.job);
  return write.schedule ? schedules_.test(*write.schedule) : deliveries_.test(*write.delivery);
}

Outcome<std::vector<CommitOutcome>> Writer::write_all(const Writes& writes,
                                                      const std::set<uint32_t>& unfit) {
  std::vector<CommitOutcome> outcomes(writes.size(), CommitOutcome::conflict);
  FERMATA_TRY_VOID(write_runs(writes, unfit, outcomes));
  FERMATA_TRY_VOID(write_others(writes, unfit, outcomes));
  for (size_t i = 0; i < writes.size(); ++i) {
    if (!writes[i].signal) continue;
    if (!signals_.write(*writes[i].signal)) return database_->failure("writing a signal");
    outcomes[i] = CommitOutcome::done;
    for (const AuditLine& line : writes[i].signal->audit) FERMATA_TRY_VOID(chain_.append(line));
  }
  for (size_t i = 0; i < writes.size(); ++i) {
    if (!writes[i].audit) continue;
    for (const AuditLine& line : *writes[i].audit) FERMATA_TRY_VOID(chain_.append(line));
    outcomes[i] = CommitOutcome::done;
  }
  for (size_t i = 0; i < writes.size(); ++i) {
    if (!writes[i].roll) continue;
    if (!registrations_.write(*writes[i].roll)) return database_->failure("writing registrations");
    outcomes[i] = CommitOutcome::done;
  }
  return outcomes;
}

std::optional<CommitOutcome> Writer::put(const DeliveryWrite& write) {
  std::optional<CommitOutcome> outcome = deliveries_.write(write);
  bool done = outcome == CommitOutcome::done;
  if (done && !jobs_.write_letters(write.dead_letters)) return std::nullopt;
  return outcome;
}

Outcome<void> Writer::write_others(const Writes& writes, const std::set<uint32_t>& unfit,
                                   std::vector<CommitOutcome>& outcomes) {
  auto written = [&](const auto& write) -> Outcome<CommitOutcome> {
    std::optional<CommitOutcome> outcome = put(write);
    if (!outcome) return database_->failure("writing what goes beside runs");
    if (*outcome != CommitOutcome::done) return *outcome;
    for (const AuditLine& line : write.audit) FERMATA_TRY_VOID(chain_.append(line));
    return *outcome;
  };
  for (size_t i = 0; i < writes.size(); ++i) {
    const Write& one = writes[i];
    bool other = one.job || one.schedule || one.delivery || one.contact;
    if (!other || unfit.contains(one.group())) continue;
    FERMATA_TRY(outcome, one.job        ? written(*one.job)
                         : one.schedule ? written(*one.schedule)
                         : one.delivery ? written(*one.delivery)
                                        : written(*one.contact));
    outcomes[i] = outcome;
  }
  return {};
}

Outcome<void> Writer::write_runs(const Writes& writes, const std::set<uint32_t>& unfit,
                                 std::vector<CommitOutcome>& outcomes) {
  std::vector<RunWriter::Task> tasks;
  tasks.reserve(writes.size());
  for (size_t i = 0; i < writes.size(); ++i)
    if (writes[i].run && !unfit.contains(writes[i].group()))
      tasks.push_back({writes[i].run, &outcomes[i]});
  if (tasks.empty()) return {};
  if (!runs_.write(tasks)) return database_->failure("writing runs");
  bool any = false;
  std::vector<const WaitRecord*> waits;
  for (size_t i = 0; i < writes.size(); ++i) {
    if (!writes[i].run || outcomes[i] != CommitOutcome::done) continue;
    any = true;
    for (const WaitRecord& wait : writes[i].run->waits) waits.push_back(&wait);
    for (const ApprovalRecord& approval : writes[i].run->approvals)
      if (!approvals_.write(approval)) return database_->failure("writing an approval");
    for (const Delivery& delivery : writes[i].run->deliveries)
      if (!deliveries_.create(delivery)) return database_->failure("writing a delivery");
    for (const SignalReached& reached : writes[i].run->reached)
      if (!signals_.write(reached)) return database_->failure("writing what a signal has reached");
    if (!jobs_.write_letters(writes[i].run->dead_letters))
      return database_->failure("writing an entry of the dead letter queue");
    if (!outbox_.write(*writes[i].run)) return database_->failure("writing the outbox");
    for (const AuditLine& line : writes[i].run->audit) FERMATA_TRY_VOID(chain_.append(line));
  }
  if (!waits_.write(waits)) return database_->failure("writing waits");
  if (any && !runs_.write_tally()) return database_->failure("writing the tally of runs");
  return {};
}

template <class Ask>
auto Writer::ask(Ask ask) -> decltype(ask()) {
  std::lock_guard lock(mutex_);
  if (unsettled_ && !settle()) {
    return fail(ErrorCode::store_unavailable,
                "a commit failed and the store cannot be written to find out whether it holds");
  }
  // One snapshot for all of them is cheaper than one for each statement.
  if (!begin_read_.execute()) return database_->failure("beginning to read");
  auto found = ask();
  if (!commit_.execute()) roll_back();
  return found;
}

Outcome<std::vector<StoredRun>> Writer::load(std::span<const RunId> ids,
                                             uint64_t checkpoint_before) {
  return ask([&] { return queries_.load(ids, checkpoint_before); });
}

Outcome<std::vector<StoredJob>> Writer::load_jobs(std::span<const JobId> ids) {
  return ask([&] { return job_queries_.load(ids); });
}

Outcome<std::vector<StoredSchedule>> Writer::load_schedules(std::span<const schedule::Key> keys) {
  return ask([&] { return schedule_queries_.load(keys); });
}

Outcome<std::vector<Delivery>> Writer::load_deliveries(std::span<const std::string> ids) {
  return ask([&] { return delivery_queries_.load(ids); });
}

Outcome<std::vector<std::optional<SignalRecord>>> Writer::load_signals(
    std::span<const SignalKey> keys) {
  return ask([&] { return signal_queries_.load(keys); });
}

Outcome<std::vector<Contact>> Writer::load_contacts(std::span<const ContactKey> keys) {
  return ask([&] { return contact_queries_.load(keys); });
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
    case Ended::done: return {};
    case Ended::unavailable: return unavailable();
    case Ended::unknown: break;
  }
  return fail(ErrorCode::outcome_unknown, "the store failed while it made the write durable");
}

bool Writer::begin() {
  if (closed_) {
    trouble_ = last_failure_ = moved_words;
    return false;
  }
  if (checkpointer_.take_rest()) passive_checkpoint(*database_);
  if (begin_.execute()) return true;
  report("beginning a transaction");
  return false;
}

Writer::Ended Writer::end() {
  if (commit_.execute()) {
    unsettled_ = false;
    std::string_view before = std::exchange(trouble_, {});
    if (!before.empty() && before != damage_words && reports_.recovery) reports_.recovery();
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
              "the store could not be written: " + std::string(trouble_));
}

std::string_view Writer::trouble() const {
  std::lock_guard lock(commit_trouble_mutex_);
  return commit_trouble_;
}

void Writer::report(std::string_view doing) { report(database_->failure(doing).value); }

/// Right after the call that failed: SQLite still knows why.
void Writer::report(const Error& error) {
  bool damage = error.code == ErrorCode::data_damaged;
  trouble_ = damage ? damage_words : cause_of(sqlite3_extended_errcode(database_->handle()));
  last_failure_ = trouble_;
  const auto& told = damage ? reports_.damage : reports_.failure;
  if (told) told(error);
}

}  // namespace fermata::sqlite
