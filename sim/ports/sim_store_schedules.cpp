#include <algorithm>

#include "sim/ports/sim_store.h"

/// The schedules of the simulated store.
namespace fermata::sim {

Outcome<std::vector<StoredSchedule>> SimStore::load_schedules(std::span<const schedule::Key> keys) {
  chaos_.port_call("store.load_schedules");
  if (chaos_.strikes(Fault::load_unavailable))
    return fail(ErrorCode::store_unavailable, "the simulated store cannot be read");
  std::vector<StoredSchedule> out;
  for (const schedule::Key& key : keys) {
    bool under_way =
        flight_ &&
        std::any_of(flight_->batch.schedules.begin(), flight_->batch.schedules.end(),
                    [&](const ScheduleWrite& write) { return write.summary.key() == key; });
    if (under_way)
      throw Violation{"schedule " + key.id.text() + " is loaded while its commit is under way"};
    auto found = schedules_.find(key);
    StoredSchedule& stored = out.emplace_back();
    if (found == schedules_.end()) continue;
    stored = found->second;
    uint64_t covered = stored.checkpoint ? stored.checkpoint->sequence : 0;
    std::erase_if(stored.history,
                  [&](const HistoryChunk& chunk) { return chunk.first_sequence <= covered; });
  }
  chaos_.port_call("store.load_schedules done");
  return out;
}

bool SimStore::fits(const ScheduleWrite& write) const {
  auto found = schedules_.find(write.summary.key());
  uint64_t version = found == schedules_.end() ? 0 : found->second.version;
  return version == write.expected_version || sabotage_ == Sabotage::version_check;
}

void SimStore::write(const ScheduleWrite& write) {
  auto [found, fresh] = schedules_.try_emplace(write.summary.key());
  if (fresh) schedule_order_.push_back(write.summary.key());
  StoredSchedule& schedule = found->second;
  schedule.history.push_back(write.events);
  schedule.summary = write.summary;
  if (write.checkpoint) schedule.checkpoint = write.checkpoint;
  ++schedule.version;
  if (hooks_.schedule_written) hooks_.schedule_written(schedule, write);
}

Outcome<Store::OpenSchedulesPage> SimStore::open_schedules(uint64_t after, size_t limit) {
  chaos_.port_call("store.open_schedules");
  if (chaos_.strikes(Fault::pending_unavailable))
    return fail(ErrorCode::store_unavailable, "the simulated store cannot be read");
  OpenSchedulesPage page;
  page.cursor = after;
  if (sabotage_ == Sabotage::sweep) return page;
  for (size_t i = after; i < schedule_order_.size(); ++i) {
    const schedule::ScheduleSummary& one = schedules_.at(schedule_order_[i]).summary;
    if (!one.next_due) continue;
    if (page.schedules.size() == limit) {
      page.more = true;
      break;
    }
    page.schedules.push_back(one);
    page.cursor = i + 1;
  }
  return page;
}

}  // namespace fermata::sim
