#include "adapters/redis/timer_book.h"

namespace fermata {

TimerBook::Place TimerBook::place_of(const Entries::value_type& entry) const {
  return {entry.second.due, entry.second.order, &entry.first};
}

TimerBook::Entry* TimerBook::find(const RunId& run) {
  auto found = entries_.find(run);
  return found == entries_.end() ? nullptr : &found->second;
}

void TimerBook::put(const RunId& run, Entry entry) {
  auto [found, added] = entries_.try_emplace(run);
  if (!added) places_[static_cast<size_t>(found->second.kept)].erase(place_of(*found));
  entry.order = ++orders_;
  found->second = std::move(entry);
  places_[static_cast<size_t>(found->second.kept)].insert(place_of(*found));
}

void TimerBook::move(const RunId& run, Kept kept) {
  auto found = entries_.find(run);
  if (found == entries_.end() || found->second.kept == kept) return;
  places_[static_cast<size_t>(found->second.kept)].erase(place_of(*found));
  found->second.kept = kept;
  places_[static_cast<size_t>(kept)].insert(place_of(*found));
}

void TimerBook::erase(const RunId& run) {
  auto found = entries_.find(run);
  if (found == entries_.end()) return;
  places_[static_cast<size_t>(found->second.kept)].erase(place_of(*found));
  entries_.erase(found);
}

}  // namespace fermata
