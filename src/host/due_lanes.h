#pragma once
#include <deque>
#include <map>

#include "ports/timers.h"

namespace fermata {

/// Runs that are due, in a lane for each account: a herd of one does not hold up the few of another
/// (W-95). Within a lane the earliest goes first. Used by the partition's thread alone.
class DueLanes {
 public:
  /// Takes out of the timers whatever is due.
  void fill(Timers& timers, Instant now) {
    if (size_ >= fill_max) return;
    for (DueRun& due : timers.due(now, fill_max - size_)) {
      lanes_[due.lane].push_back(std::move(due.run));
      ++size_;
    }
  }
  /// One of each lane in turn, at most so many.
  std::vector<RunId> take(size_t most) {
    std::vector<RunId> taken;
    while (taken.size() < most && size_ > 0) {
      auto lane = lanes_.upper_bound(last_);
      if (lane == lanes_.end() || !begun_) lane = lanes_.begin();
      begun_ = true;
      last_ = lane->first;
      taken.push_back(std::move(lane->second.front()));
      lane->second.pop_front();
      --size_;
      if (lane->second.empty()) lanes_.erase(lane);
    }
    return taken;
  }
  size_t size() const { return size_; }

 private:
  static constexpr size_t fill_max = 200'000;
  std::map<TimerLane, std::deque<RunId>> lanes_;
  TimerLane last_ = 0;
  bool begun_ = false;
  size_t size_ = 0;
};

/// The lane of an account. Two that share one by chance share their turns.
inline TimerLane lane_of(const AccountId& account) {
  return static_cast<TimerLane>(std::hash<std::string>{}(account.text()));
}

}  // namespace fermata
