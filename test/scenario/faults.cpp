#include "test/scenario/faults.h"

namespace fermata::scenario {

std::string name_of(Fault fault) {
  switch (fault) {
    case Fault::none: return "none";
    case Fault::crash_before_commit: return "crash_before_commit";
    case Fault::crash_after_commit: return "crash_after_commit";
    case Fault::conflict: return "conflict";
    case Fault::unknown_written: return "unknown_written";
    case Fault::unknown_lost: return "unknown_lost";
    case Fault::unavailable: return "unavailable";
    case Fault::load_fails: return "load_fails";
    case Fault::crash_before_submit: return "crash_before_submit";
    case Fault::crash_after_submit: return "crash_after_submit";
  }
  return "";
}

std::vector<Fault> all_faults() {
  std::vector<Fault> faults;
  for (auto fault = Fault::crash_before_commit; fault <= Fault::crash_after_submit;
       fault = static_cast<Fault>(static_cast<uint8_t>(fault) + 1))
    faults.push_back(fault);
  return faults;
}

Outcome<std::vector<StoredRun>> FaultyStore::load(std::span<const RunId> ids,
                                                  uint64_t checkpoint_before) {
  if (plan_.strikes(Fault::load_fails))
    return fail(ErrorCode::store_unavailable, "the store cannot be read");
  return store_.load(ids, checkpoint_before);
}

Outcome<std::vector<StoredJob>> FaultyStore::load_jobs(std::span<const JobId> ids) {
  if (plan_.strikes(Fault::load_fails))
    return fail(ErrorCode::store_unavailable, "the store cannot be read");
  return store_.load_jobs(ids);
}

Outcome<std::vector<RunId>> FaultyStore::live_runs_with(const AccountId& account,
                                                        const std::string& label_key,
                                                        const std::string& label_value,
                                                        size_t limit) {
  if (plan_.strikes(Fault::load_fails))
    return fail(ErrorCode::store_unavailable, "the store cannot be read");
  return store_.live_runs_with(account, label_key, label_value, limit);
}

Outcome<Store::OpenJobsPage> FaultyStore::open_jobs(uint64_t after, size_t limit) {
  return store_.open_jobs(after, limit);
}

Outcome<std::vector<StoredSchedule>> FaultyStore::load_schedules(
    std::span<const schedule::Key> keys) {
  if (plan_.strikes(Fault::load_fails))
    return fail(ErrorCode::store_unavailable, "the store cannot be read");
  return store_.load_schedules(keys);
}

Outcome<Store::OpenSchedulesPage> FaultyStore::open_schedules(uint64_t after, size_t limit) {
  return store_.open_schedules(after, limit);
}

std::vector<CommitOutcome> FaultyStore::commit(const CommitBatch& batch) {
  auto all = [&](CommitOutcome outcome) {
    return std::vector<CommitOutcome>(batch.size(), outcome);
  };
  if (plan_.strikes(Fault::crash_before_commit)) throw Crash{};
  if (plan_.strikes(Fault::conflict)) return all(CommitOutcome::conflict);
  if (plan_.strikes(Fault::unknown_lost)) return all(CommitOutcome::unknown);
  if (plan_.strikes(Fault::unavailable)) return all(CommitOutcome::unavailable);
  std::vector<CommitOutcome> outcomes = store_.commit(batch);
  if (plan_.strikes(Fault::crash_after_commit)) throw Crash{};
  if (plan_.strikes(Fault::unknown_written)) return all(CommitOutcome::unknown);
  return outcomes;
}

void FaultyStore::submit(CommitBatch batch) {
  asked_ = 0;
  batch_ = std::move(batch);
}

std::optional<CommitAnswer> FaultyStore::harvest() {
  constexpr int asked_in_vain = 2;
  if (!batch_ || (slow_ && ++asked_ <= asked_in_vain)) return std::nullopt;
  CommitBatch batch = *std::exchange(batch_, std::nullopt);
  std::vector<CommitOutcome> outcomes = commit(batch);
  return CommitAnswer{std::move(batch), std::move(outcomes)};
}

Outcome<Store::PendingPage> FaultyStore::pending(uint64_t after, size_t limit) {
  return store_.pending(after, limit);
}

}  // namespace fermata::scenario
