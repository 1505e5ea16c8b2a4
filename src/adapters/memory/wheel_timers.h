#pragma once
#include <array>
#include <map>
#include <unordered_map>

#include "ports/timers.h"

namespace fermata {

/// A hierarchical timing wheel: 8 levels of 64 slots, 1 ms in the lowest, about 8,900 years in all.
///
/// An entry stands on the level of the highest base-64 digit in which its due time differs from the
/// wheel's position, so all entries of one due time share one slot and keep the order in which they
/// were armed. Due times before the position wait in an ordered set, those beyond the top level in
/// one list. Moving on visits slots in use only, however far the clock jumps.
///
/// `due` gives entries ordered by (due time, order of arming); arming again with the same due time
/// keeps the place. Not safe from several threads.
class WheelTimers final : public Timers {
 public:
  WheelTimers();

  using Timers::arm;
  void arm(const RunId& run, Instant due, TimerLane lane) override;
  void disarm(const RunId& run) override;
  std::vector<DueRun> due(Instant now, size_t most) override;
  /// Exact when an entry is less than 64 ms away or late, else the start of its slot.
  std::optional<Instant> next_due() const override;
  size_t size() const override { return entry_of_.size(); }

 private:
  using Tick = uint64_t;  ///< milliseconds, shifted so that every Instant is a positive number
  using Index = uint32_t;
  using Place = uint16_t;  ///< level * 64 + slot, or one of the two below

  static constexpr Index none = UINT32_MAX;
  static constexpr int levels = 8;
  static constexpr int digit_bits = 6;
  static constexpr int wheel_bits = levels * digit_bits;
  static constexpr Place overflow = levels << digit_bits;
  static constexpr Place late = overflow + 1;

  struct Entry {
    Tick tick = 0;
    uint64_t order = 0;
    const RunId* run = nullptr;  ///< the key in entry_of_
    Index next = none;
    Index prev = none;
    Place place = 0;
    TimerLane lane = 0;
  };
  struct List {
    Index first = none;
    Index last = none;
  };
  struct NextSlot {
    Place place = 0;
    Tick start = 0;  ///< no entry of the wheel is due earlier
  };

  static Tick tick_of(Instant at) { return static_cast<Tick>(at.ms) ^ (Tick{1} << 63); }
  static Instant instant_of(Tick tick) { return {static_cast<int64_t>(tick ^ (Tick{1} << 63))}; }

  Index take_free();
  void insert(Index index);
  void remove(Index index);
  DueRun release(Index index);
  std::optional<NextSlot> next_slot() const;
  Tick overflow_start() const;
  void cascade(Place place);
  void move_on(Tick now);

  Tick position_;  ///< every entry of the wheel is due at or after it
  uint64_t armed_ = 0;
  std::array<uint64_t, levels> used_{};  ///< one bit per slot that is not empty
  std::array<List, (levels << digit_bits) + 1> lists_{};
  std::map<std::pair<Tick, uint64_t>, Index> late_;  ///< by due time and order of arming
  std::vector<Entry> entries_;
  Index free_ = none;  ///< head of the list of unused entries, linked by `next`
  std::unordered_map<RunId, Index> entry_of_;
};

}  // namespace fermata
