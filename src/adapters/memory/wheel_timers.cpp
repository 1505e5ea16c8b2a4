#include "adapters/memory/wheel_timers.h"

#include <algorithm>
#include <bit>

#include "base/check.h"

namespace fermata {

WheelTimers::WheelTimers() : position_(tick_of(Instant{0})) {}

void WheelTimers::arm(const RunId& run, Instant due, TimerLane lane) {
  auto [found, added] = entry_of_.try_emplace(run, none);
  Tick tick = tick_of(due);
  if (added) {
    found->second = take_free();
    entries_[found->second].run = &found->first;
  } else {
    entries_[found->second].lane = lane;
    if (entries_[found->second].tick == tick) return;
    remove(found->second);
  }
  Entry& entry = entries_[found->second];
  entry.tick = tick;
  entry.lane = lane;
  entry.order = ++armed_;
  insert(found->second);
}

void WheelTimers::disarm(const RunId& run) {
  auto found = entry_of_.find(run);
  if (found == entry_of_.end()) return;
  remove(found->second);
  release(found->second);
}

std::vector<DueRun> WheelTimers::due(Instant now_at, size_t most) {
  std::vector<DueRun> out;
  Tick now = tick_of(now_at);
  while (out.size() < most && !late_.empty() && late_.begin()->first.first <= now) {
    Index index = late_.begin()->second;
    remove(index);
    out.push_back(release(index));
  }
  // What is late comes before everything in the wheel, so the wheel waits until all of it is taken.
  while (out.size() < most) {
    std::optional<NextSlot> next = next_slot();
    if (next && next->place == overflow && next->start <= now) next->start = overflow_start();
    if (!next || next->start > now) {
      if (now > position_) move_on(now);
      break;
    }
    position_ = next->start;
    if (next->place >> digit_bits != 0) {
      cascade(next->place);
      continue;
    }
    Index index = lists_[next->place].first;
    remove(index);
    out.push_back(release(index));
  }
  return out;
}

std::optional<Instant> WheelTimers::next_due() const {
  if (!late_.empty()) return instant_of(late_.begin()->first.first);
  std::optional<NextSlot> next = next_slot();
  if (!next) return std::nullopt;
  return instant_of(next->start);
}

WheelTimers::Index WheelTimers::take_free() {
  if (free_ == none) {
    check(entries_.size() < none);
    entries_.emplace_back();
    return static_cast<Index>(entries_.size() - 1);
  }
  Index index = free_;
  free_ = entries_[index].next;
  return index;
}

void WheelTimers::insert(Index index) {
  Entry& entry = entries_[index];
  if (entry.tick < position_) {
    entry.place = late;
    late_.emplace(std::pair(entry.tick, entry.order), index);
    return;
  }
  Tick difference = entry.tick ^ position_;
  if (difference >> wheel_bits != 0) {
    entry.place = overflow;
  } else {
    int level = difference == 0 ? 0 : (63 - std::countl_zero(difference)) / digit_bits;
    auto slot = static_cast<Place>((entry.tick >> (level * digit_bits)) & 63);
    entry.place = static_cast<Place>((level << digit_bits) | slot);
    used_[static_cast<size_t>(level)] |= uint64_t{1} << slot;
  }
  List& list = lists_[entry.place];
  entry.next = none;
  entry.prev = list.last;
  (list.last == none ? list.first : entries_[list.last].next) = index;
  list.last = index;
}

void WheelTimers::remove(Index index) {
  Entry& entry = entries_[index];
  if (entry.place == late) {
    late_.erase({entry.tick, entry.order});
    return;
  }
  List& list = lists_[entry.place];
  (entry.prev == none ? list.first : entries_[entry.prev].next) = entry.next;
  (entry.next == none ? list.last : entries_[entry.next].prev) = entry.prev;
  if (list.first == none && entry.place != overflow) {
    used_[entry.place >> digit_bits] &= ~(uint64_t{1} << (entry.place & 63));
  }
}

DueRun WheelTimers::release(Index index) {
  auto node = entry_of_.extract(entry_of_.find(*entries_[index].run));
  entries_[index].run = nullptr;
  entries_[index].next = free_;
  free_ = index;
  return {std::move(node.key()), entries_[index].lane};
}

/// Lower levels hold what is due earlier, and within a level no slot before the position's is used.
std::optional<WheelTimers::NextSlot> WheelTimers::next_slot() const {
  for (int level = 0; level < levels; ++level) {
    uint64_t used = used_[static_cast<size_t>(level)];
    if (used == 0) continue;
    auto slot = static_cast<Tick>(std::countr_zero(used));
    int shift = level * digit_bits;
    Tick above = position_ >> (shift + digit_bits) << (shift + digit_bits);
    return NextSlot{static_cast<Place>((level << digit_bits) | static_cast<int>(slot)),
                    above | (slot << shift)};
  }
  if (lists_[overflow].first == none) return std::nullopt;
  return NextSlot{overflow, ((position_ >> wheel_bits) + 1) << wheel_bits};
}

/// Start of the turn of the whole wheel that holds the earliest entry beyond the top level: a clock
/// that jumps by millennia passes over the empty turns between.
WheelTimers::Tick WheelTimers::overflow_start() const {
  Tick earliest = UINT64_MAX;
  for (Index i = lists_[overflow].first; i != none; i = entries_[i].next) {
    earliest = std::min(earliest, entries_[i].tick);
  }
  return earliest >> wheel_bits << wheel_bits;
}

/// Puts every entry of a list where the position, which has just reached it, says it belongs.
void WheelTimers::cascade(Place place) {
  Index index = lists_[place].first;
  lists_[place] = {};
  if (place != overflow) used_[place >> digit_bits] &= ~(uint64_t{1} << (place & 63));
  while (index != none) {
    Index next = entries_[index].next;
    insert(index);
    index = next;
  }
}

/// Nothing of the wheel is due up to `now`, so no slot in use lies between and all of them stay
/// right; only the list beyond the top level is looked through when its time has come nearer.
void WheelTimers::move_on(Tick now) {
  bool crossed = (position_ ^ now) >> wheel_bits != 0;
  position_ = now;
  if (crossed) cascade(overflow);
}

}  // namespace fermata
