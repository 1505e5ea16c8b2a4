#include "sim/ports/sim_store.h"

#include <algorithm>

namespace fermata::sim {

Outcome<std::vector<StoredRun>> SimStore::load(std::span<const RunId> ids,
                                               uint64_t checkpoint_before) {
  chaos_.port_call("store.load");
  if (chaos_.strikes(Fault::load_unavailable))
    return fail(ErrorCode::store_unavailable, "the simulated store cannot be read");
  std::vector<StoredRun> out;
  for (const RunId& id : ids) {
    if (flies(id)) throw Violation{"run " + id.text() + " is loaded while its commit is under way"};
    const StoredRun* run = truth(id);
    // Without its mark a request that was carried out is unknown again.
    bool forgotten = run && sabotage_ == Sabotage::dedup && is_terminal(run->summary.status);
    out.push_back(run && !forgotten ? since_checkpoint(*run, checkpoint_before) : StoredRun{});
  }
  chaos_.port_call("store.load done");
  return out;
}

StoredRun SimStore::since_checkpoint(const StoredRun& run, uint64_t before) {
  StoredRun out{run.version, run.summary, {}};
  for (const Checkpoint& kept : checkpoints_[run.summary.id])
    if (kept.sequence < before) out.checkpoint = kept;
  uint64_t covered = out.checkpoint ? out.checkpoint->sequence : 0;
  for (const HistoryChunk& chunk : run.history)
    if (chunk.first_sequence > covered) out.history.push_back(chunk);
  if (out.checkpoint && chaos_.strikes(Fault::checkpoint_unreadable)) {
    // Written by a program to come, or not to its end.
    std::string& bytes = out.checkpoint->bytes;
    chaos_.dice().chance(0.5) ? void(bytes.front() = '\xff') : bytes.resize(bytes.size() / 2);
  }
  return out;
}

std::vector<CommitOutcome> SimStore::commit(const CommitBatch& batch) {
  chaos_.port_call("store.commit");
  if (chaos_.strikes(Fault::crash_before_commit)) throw SimCrash{};
  ++commits_;
  if (chaos_.strikes(Fault::commit_unavailable))
    return std::vector(batch.size(), CommitOutcome::unavailable);
  std::map<const void*, CommitOutcome> outcomes;
  // Signals first: what follows from them is never alone.
  for (const SignalWrite& signal : batch.signals) outcomes[&signal] = write_with_faults(signal);
  for (const Group& group : groups_of(batch)) {
    if (!outcomes.empty() && chaos_.strikes(Fault::crash_within_commit)) throw SimCrash{};
    CommitOutcome outcome = write_with_faults(group);
    for (const RunWrite* run : group.runs) outcomes[run] = outcome;
    for (const JobWrite* job : group.jobs) outcomes[job] = outcome;
    for (const ScheduleWrite* schedule : group.schedules) outcomes[schedule] = outcome;
    for (const DeliveryWrite* delivery : group.deliveries) outcomes[delivery] = outcome;
    for (const ContactWrite* contact : group.contacts) outcomes[contact] = outcome;
  }
  std::vector<CommitOutcome> out;
  auto tell = [&](const auto& write) {
    out.push_back(outcomes.at(&write));
    if (out.back() == CommitOutcome::done)
      audit_.insert(audit_.end(), write.audit.begin(), write.audit.end());
  };
  for (const RunWrite& run : batch.runs) tell(run);
  for (const JobWrite& job : batch.jobs) tell(job);
  for (const ScheduleWrite& schedule : batch.schedules) tell(schedule);
  for (const DeliveryWrite& delivery : batch.deliveries) tell(delivery);
  for (const ContactWrite& contact : batch.contacts) tell(contact);
  for (const SignalWrite& signal : batch.signals) tell(signal);
  audit_.insert(audit_.end(), batch.audit.begin(), batch.audit.end());
  if (!batch.audit.empty()) out.push_back(CommitOutcome::done);
  if (!batch.roll.empty()) {
    for (const auto& record : batch.roll.written) registrations_[record.id] = record;
    for (const RegistrationId& id : batch.roll.forgotten) registrations_.erase(id);
    out.push_back(CommitOutcome::done);
  }
  if (chaos_.strikes(Fault::crash_after_commit)) throw SimCrash{};
  chaos_.port_call("store.commit done");
  return out;
}

void SimStore::submit(CommitBatch batch) {
  if (flight_) throw Violation{"a batch is submitted while another is under way"};
  InFlight flight{std::move(batch), std::nullopt, clock_.true_now()};
  bool slow = chaos_.strikes(Fault::commit_slow);
  if (slow) flight.answers_at = flight.answers_at + Duration{chaos_.between(1, 3'000)};
  if (slow && sabotage_ == Sabotage::durability) {
    // Says that it is done, but has yet to write it.
    flight.outcomes.emplace(flight.batch.size(), CommitOutcome::done);
    flight_ = std::move(flight);
    return;
  }
  // The disk may have it long before anybody is told.
  if (!slow || chaos_.dice().chance(0.5)) flight.outcomes = commit(flight.batch);
  flight_ = std::move(flight);
}

std::optional<CommitAnswer> SimStore::harvest() {
  if (!flight_) return std::nullopt;
  chaos_.port_call("store.harvest");
  if (flight_->answers_at > clock_.true_now()) {
    hooks_.probe(Probe::commit_in_flight);
    return std::nullopt;
  }
  if (!flight_->outcomes) flight_->outcomes = commit(flight_->batch);
  InFlight flight = *std::exchange(flight_, std::nullopt);
  return CommitAnswer{std::move(flight.batch), *std::move(flight.outcomes)};
}

void SimStore::crashed() {
  if (!flight_) return;
  InFlight flight = *std::exchange(flight_, std::nullopt);
  if (flight.outcomes) return;
  std::vector<Group> groups = groups_of(flight.batch);
  size_t written = chaos_.dice().below(groups.size() + 1);
  hooks_.probe(written == 0 ? Probe::crash_in_flight_lost : Probe::crash_in_flight_written);
  size_t signals = flight.batch.signals.size();
  if (written == 0 && signals > 0) signals = chaos_.dice().below(signals + 1);
  for (size_t i = 0; i < signals; ++i) write(flight.batch.signals[i]);
  for (size_t i = 0; i < written; ++i)
    if (fits(groups[i])) write(groups[i]);
}

std::optional<Instant> SimStore::next() const {
  if (!flight_) return std::nullopt;
  return flight_->answers_at;
}

bool SimStore::flies(const RunId& id) const {
  if (!flight_) return false;
  return std::any_of(flight_->batch.runs.begin(), flight_->batch.runs.end(),
                     [&](const RunWrite& run) { return run.summary.id == id; });
}

/// In the order of their first members.
std::vector<SimStore::Group> SimStore::groups_of(const CommitBatch& batch) const {
  std::vector<Group> groups;
  std::map<uint32_t, size_t> at;
  auto group_for = [&](uint32_t number) -> Group& {
    auto [place, fresh] = at.try_emplace(number, groups.size());
    bool alone = number == 0 || fresh || sabotage_ == Sabotage::together;
    return alone ? groups.emplace_back() : groups[place->second];
  };
  for (const RunWrite& run : batch.runs) group_for(run.group).runs.push_back(&run);
  for (const JobWrite& job : batch.jobs) group_for(job.group).jobs.push_back(&job);
  for (const ScheduleWrite& one : batch.schedules) group_for(one.group).schedules.push_back(&one);
  for (const DeliveryWrite& one : batch.deliveries) group_for(one.group).deliveries.push_back(&one);
  for (const ContactWrite& one : batch.contacts) group_for(one.group).contacts.push_back(&one);
  return groups;
}

bool SimStore::fits(const RunWrite& write) const {
  const StoredRun* stored = truth(write.summary.id);
  uint64_t version = stored ? stored->version : 0;
  return version == write.expected_version || sabotage_ == Sabotage::version_check ||
         (sabotage_ == Sabotage::dedup && write.expected_version == 0);
}

CommitOutcome SimStore::write_with_faults(const Group& group) {
  if (group.size() > 1) hooks_.probe(Probe::runs_committed_together);
  auto all_conflict = [&] {
    for (const RunWrite* run : group.runs) conflict(run->summary.id);
    conflicts_ += group.size() - group.runs.size();
    return CommitOutcome::conflict;
  };
  if (chaos_.strikes(Fault::commit_conflict)) return all_conflict();
  // One that notes such a refusal is taken.
  bool resumes = group.size() == 1 && group.runs.size() == 1 && group.runs[0]->waits.size() == 1 &&
                 group.runs[0]->waits[0].wait.status == WaitStatus::resumed;
  if (resumes && chaos_.strikes(Fault::commit_refused)) return CommitOutcome::refused;
  if (chaos_.strikes(Fault::commit_unknown_not_done)) {
    hooks_.probe(Probe::unknown_not_done);
    return CommitOutcome::unknown;
  }
  if (!group.runs.empty() && chaos_.strikes(Fault::commit_intruded))
    if (auto other = hooks_.intrude(group.runs.back()->summary.id)) write(*other);
  if (!fits(group)) return all_conflict();
  write(group);
  for (const RunWrite* run : group.runs) {
    if (auto found = conflicted_.find(run->summary.id); found != conflicted_.end()) {
      hooks_.probe(Probe::conflict_retried);
      conflicted_.erase(found);
    }
  }
  if (!chaos_.strikes(Fault::commit_unknown_done)) return CommitOutcome::done;
  hooks_.probe(Probe::unknown_but_done);
  return CommitOutcome::unknown;
}

CommitOutcome SimStore::write_with_faults(const SignalWrite& signal) {
  if (chaos_.strikes(Fault::commit_unknown_not_done)) return CommitOutcome::unknown;
  write(signal);
  return chaos_.strikes(Fault::commit_unknown_done) ? CommitOutcome::unknown : CommitOutcome::done;
}

CommitOutcome SimStore::conflict(const RunId& id) {
  ++conflicts_;
  conflicted_[id] = true;
  return CommitOutcome::conflict;
}

CommitOutcome SimStore::write(const RunWrite& write) {
  const RunId& id = write.summary.id;
  auto found = runs_.find(id);
  uint64_t version = found == runs_.end() ? 0 : found->second.version;
  bool begins_again = sabotage_ == Sabotage::dedup && write.expected_version == 0 && version > 0;
  if (begins_again) {
    found->second = {};
    checkpoints_.erase(id);
  } else if (version != write.expected_version && sabotage_ != Sabotage::version_check) {
    return conflict(id);
  }
  if (found == runs_.end()) {
    found = runs_.emplace(id, StoredRun{}).first;
    order_.push_back(id);
  }
  StoredRun& run = found->second;
  run.history.push_back(write.events);
  run.summary = write.summary;
  ++run.version;
  ++writes_;
  run_spans_.try_emplace(id, Span{writes_, 0}).first->second.last = writes_;
  for (const WaitRecord& record : write.waits) {
    waits_[record.wait.id] = record;
    if (!is_pending(record.wait.status)) wait_ends_.try_emplace(record.wait.id, writes_);
  }
  if (write.checkpoint) {
    std::vector<Checkpoint>& kept = checkpoints_[id];
    kept.push_back(*write.checkpoint);
    if (kept.size() > write.checkpoints_kept) kept.erase(kept.begin());
  }
  for (const Delivery& delivery : write.deliveries) keep(delivery);
  for (const SignalReached& reached : write.reached) this->write(reached);
  hooks_.written(run, write);
  return CommitOutcome::done;
}

Outcome<Store::PendingPage> SimStore::pending(uint64_t after, size_t limit) {
  chaos_.port_call("store.pending");
  if (chaos_.strikes(Fault::pending_unavailable))
    return fail(ErrorCode::store_unavailable, "the simulated store cannot be read");
  PendingPage page;
  if (sabotage_ == Sabotage::sweep) return page;
  for (size_t i = after; i < order_.size(); ++i) {
    const RunSummary& run = runs_.at(order_[i]).summary;
    if (is_terminal(run.status) || (!run.next_due && run.calls_pending == 0)) continue;
    if (page.runs.size() == limit) {
      page.more = true;
      break;
    }
    page.runs.push_back({run.id, run.next_due, run.calls_pending, run.account});
    page.cursor = i + 1;
  }
  return page;
}

const StoredRun* SimStore::truth(const RunId& id) const {
  auto found = runs_.find(id);
  return found == runs_.end() ? nullptr : &found->second;
}

}  // namespace fermata::sim
