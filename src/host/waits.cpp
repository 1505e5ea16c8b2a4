#include <algorithm>

#include "host/partition.h"

/// What the engine sends to runs because of their waits: they fall due, find room within the limits
/// of their account, or follow other zone data. And how long it waits for a store that is away.
namespace fermata {

namespace {

constexpr int64_t store_delay_ms = 1'000;
constexpr int64_t store_delay_ms_max = 300'000;
/// Runs that are told of new zone data in one turn: everything else goes on meanwhile.
constexpr size_t follow_runs_max = 64;

}  // namespace

void Host::Partition::take_waits(std::vector<Item>& items, size_t most, Instant now) {
  size_t room = most - std::min(most, items.size());
  if (flying_.empty() && next_.empty()) limits_.recount_if_doubted();
  for (Command& command : limits_.entering(accounts_.get(), now, room))
    items.push_back({std::move(command), {}});
  if (!zones_) return;
  uint64_t decided = flights_begun_ + (next_.empty() ? 0 : 1);
  for (RunId& run :
       follower_.next(*zones_, decided, flights_landed_, now, std::min(room, follow_runs_max)))
    items.push_back({{std::move(run), FollowZones{}}, {}});
}

void Host::Partition::take_due(std::vector<Item>& items, size_t most) {
  for (RunId& run : due_.take(most)) {
    ++counters_.timers_fired;
    items.push_back({{std::move(run), WakeRun{}}, {}});
  }
}

/// A second at first, then twice as long each time, up to five minutes (W-66).
Duration Host::Partition::store_delay(Item& item) {
  constexpr uint32_t doublings_max = 9;
  int64_t delay = store_delay_ms << std::min(item.delays, doublings_max);
  ++item.delays;
  store_failed_ = true;
  if (std::holds_alternative<WakeRun>(item.command.body)) ++counters_.resumes_delayed;
  return Duration{std::min(delay, store_delay_ms_max)};
}

/// What waited for the store is late enough: it goes on at once.
void Host::Partition::store_is_back(Instant now) {
  store_failed_ = false;
  std::multimap<Instant, Item> later;
  for (auto& [until, item] : deferred_)
    later.emplace(item.delays > 0 ? std::min(until, now) : until, std::move(item));
  deferred_ = std::move(later);
}

}  // namespace fermata
