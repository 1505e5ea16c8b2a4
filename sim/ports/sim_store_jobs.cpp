#include <algorithm>

#include "sim/ports/sim_store.h"

/// The jobs of the simulated store.
namespace fermata::sim {

Outcome<std::vector<StoredJob>> SimStore::load_jobs(std::span<const JobId> ids) {
  chaos_.port_call("store.load_jobs");
  if (chaos_.strikes(Fault::load_unavailable))
    return fail(ErrorCode::store_unavailable, "the simulated store cannot be read");
  std::vector<StoredJob> out;
  for (const JobId& id : ids) {
    bool under_way =
        flight_ && std::any_of(flight_->batch.jobs.begin(), flight_->batch.jobs.end(),
                               [&](const JobWrite& job) { return job.summary.id == id; });
    if (under_way) throw Violation{"job " + id.text() + " is loaded while its commit is under way"};
    auto found = jobs_.find(id);
    out.push_back(found == jobs_.end() ? StoredJob{} : found->second);
  }
  chaos_.port_call("store.load_jobs done");
  return out;
}

bool SimStore::fits(const Group& group) const {
  auto fit = [&](const auto* write) { return fits(*write); };
  return std::all_of(group.runs.begin(), group.runs.end(), fit) &&
         std::all_of(group.jobs.begin(), group.jobs.end(), fit) &&
         std::all_of(group.schedules.begin(), group.schedules.end(), fit) &&
         std::all_of(group.deliveries.begin(), group.deliveries.end(), fit) &&
         std::all_of(group.contacts.begin(), group.contacts.end(), fit);
}

bool SimStore::fits(const JobWrite& write) const {
  auto found = jobs_.find(write.summary.id);
  uint64_t version = found == jobs_.end() ? 0 : found->second.version;
  return version == write.expected_version || sabotage_ == Sabotage::version_check;
}

void SimStore::write(const Group& group) {
  for (const RunWrite* run : group.runs) write(*run);
  for (const JobWrite* job : group.jobs) write(*job);
  for (const ScheduleWrite* schedule : group.schedules) write(*schedule);
  for (const DeliveryWrite* delivery : group.deliveries) write(*delivery);
  // Last: what is demanded of a contact is demanded of the runs that were written with it.
  for (const ContactWrite* contact : group.contacts) write(*contact);
  hooks_.group_written();
}

void SimStore::write(const JobWrite& write) {
  const JobId& id = write.summary.id;
  auto [found, fresh] = jobs_.try_emplace(id);
  if (fresh) job_order_.push_back(id);
  StoredJob& job = found->second;
  if (write.events.count > 0) job.history.push_back(write.events);
  job.summary = write.summary;
  ++job.version;
  if (sabotage_ != Sabotage::letters)
    for (const DeadLetterEntry& entry : write.dead_letters)
      letters_.emplace(entry.letter.id, entry);
  for (const job::PolicyDecision& decision : write.decisions) decisions_.push_back(decision);
  if (write.spent) {
    job::Usage& sum = spent_[{write.summary.account, write.spent->day}];
    sum = sum + write.spent->usage;
  }
  if (write.drop_held) held_.erase(id);
  if (write.held) held_[id] = *write.held;
  if (write.settled_letter)
    for (auto& [letter, entry] : letters_)
      if (entry.open() && entry.letter.job == id) settle_entry(entry, *write.settled_letter);
  hooks_.job_written(job, write);
}

Outcome<std::vector<AccountSpent>> SimStore::spent_on(int64_t day) {
  chaos_.port_call("store.spent_on");
  if (chaos_.strikes(Fault::pending_unavailable))
    return fail(ErrorCode::store_unavailable, "the simulated store cannot be read");
  std::vector<AccountSpent> out;
  for (const auto& [key, usage] : spent_)
    if (key.second == day) out.push_back({key.first, usage});
  return out;
}

Outcome<Store::OpenJobsPage> SimStore::open_jobs(uint64_t after, size_t limit) {
  chaos_.port_call("store.open_jobs");
  if (chaos_.strikes(Fault::pending_unavailable))
    return fail(ErrorCode::store_unavailable, "the simulated store cannot be read");
  OpenJobsPage page;
  if (sabotage_ == Sabotage::sweep) return page;
  for (size_t i = after; i < job_order_.size(); ++i) {
    const job::Summary& job = jobs_.at(job_order_[i]).summary;
    if (is_terminal(job.state) && !job.next_due) continue;
    if (page.jobs.size() == limit) {
      page.more = true;
      break;
    }
    page.jobs.push_back(job);
    page.cursor = i + 1;
  }
  return page;
}

Outcome<std::vector<fleet::RegistrationRecord>> SimStore::registrations() {
  chaos_.port_call("store.registrations");
  if (chaos_.strikes(Fault::pending_unavailable))
    return fail(ErrorCode::store_unavailable, "the simulated store cannot be read");
  std::vector<fleet::RegistrationRecord> out;
  for (const auto& [id, record] : registrations_) out.push_back(record);
  return out;
}

Outcome<Store::PassedPage> SimStore::passed(Instant since, uint64_t after, size_t limit) {
  chaos_.port_call("store.passed");
  if (chaos_.strikes(Fault::pending_unavailable))
    return fail(ErrorCode::store_unavailable, "the simulated store cannot be read");
  PassedPage page;
  page.cursor = after;
  for (size_t i = after; i < decisions_.size(); ++i) {
    if (decisions_[i].counted.empty() || decisions_[i].at < since) continue;
    if (page.decisions.size() == limit) {
      page.more = true;
      break;
    }
    page.decisions.push_back(decisions_[i]);
    page.cursor = i + 1;
  }
  return page;
}

}  // namespace fermata::sim
