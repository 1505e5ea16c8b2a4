#include "core/fleet/turns.h"

#include <algorithm>

#include "core/fleet/pools.h"

namespace fermata::fleet {

namespace {

/// Divided by every weight with little left over.
constexpr uint64_t one_job = 720'720'000;
static_assert(one_job / static_cast<uint64_t>(weight_max) > 1'000);

size_t lane_of(job::Priority priority) { return static_cast<size_t>(priority); }

}  // namespace

uint64_t Turns::count_of(const std::string& pool, job::Priority priority, FlowId flow) const {
  auto found = pools_.find(pool);
  if (found == pools_.end()) return 0;
  const Lane& lane = found->second.lanes[lane_of(priority)];
  auto own = lane.counts.find(flow);
  return own != lane.counts.end() ? std::max(own->second, lane.now) : lane.now;
}

void Turns::served(const std::string& pool, job::Priority priority, FlowId flow, uint32_t weight) {
  uint64_t count = count_of(pool, priority, flow);
  OfPool& turns = pools_[pool];
  Lane& lane = turns.lanes[lane_of(priority)];
  lane.now = count;
  lane.counts[flow] = count + one_job / std::max<uint32_t>(weight, 1);
  if (priority == job::Priority::interactive) ++turns.interactive_in_a_row;
  if (priority == job::Priority::batch) turns.interactive_in_a_row = 0;
}

bool Turns::batch_is_next(const std::string& pool) const {
  auto found = pools_.find(pool);
  return found != pools_.end() && found->second.interactive_in_a_row >= interactive_per_batch;
}

void Turns::forget(FlowId flow) {
  for (auto& [pool, turns] : pools_)
    for (Lane& lane : turns.lanes) lane.counts.erase(flow);
}

}  // namespace fermata::fleet
